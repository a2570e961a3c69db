/**
 * The {@code headrace} command.
 *
 * <p>Main type: {@link dev.headrace.cli.Main}. May import everything core exports, and bench.
 */
@NullMarked
package dev.headrace.cli;

import org.jspecify.annotations.NullMarked;
