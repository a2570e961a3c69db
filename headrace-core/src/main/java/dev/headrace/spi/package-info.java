/**
 * What the author of an operator sees: the plan node, its running cursor, and what the engine gives
 * them.
 *
 * <p>Main type: {@code Op}, an immutable plan node.
 *
 * <p>May import {@code data}.
 */
@NullMarked
package dev.headrace.spi;

import org.jspecify.annotations.NullMarked;
