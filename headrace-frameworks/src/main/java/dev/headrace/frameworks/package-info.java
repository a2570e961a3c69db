/**
 * Measurements with training frameworks: what their own loaders take beside Headrace, and what
 * handing a batch to them costs.
 *
 * <p>May import the adapters and everything core exports.
 */
@NullMarked
package dev.headrace.frameworks;

import org.jspecify.annotations.NullMarked;
