/**
 * Scenarios that measure Headrace, alone and beside its peers.
 *
 * <p>May import everything core exports.
 */
@NullMarked
package dev.headrace.bench;

import org.jspecify.annotations.NullMarked;
