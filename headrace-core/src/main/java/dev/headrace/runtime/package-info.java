/**
 * The engine: runs an opened plan on threads, within its budgets of memory, and measures it.
 *
 * <p>Main type: the run of one opened plan, which {@code Pipeline} holds.
 *
 * <p>May import {@code data} and {@code spi}; it knows operators by their traits, never by name.
 */
@NullMarked
package dev.headrace.runtime;

import org.jspecify.annotations.NullMarked;
