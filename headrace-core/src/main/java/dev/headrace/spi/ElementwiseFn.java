package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/**
 * A pure function on tensors, or structures of them, that gives the same for a batch as for each of
 * its elements, and does not fail.
 */
@FunctionalInterface
public interface ElementwiseFn<A extends @Nullable Object, B extends @Nullable Object>
    extends PureFn<A, B> {}
