package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/** A function of the user that is declared to be pure: {@code map(pure(x -> decode(x)))}. */
@FunctionalInterface
public interface PureFn<A extends @Nullable Object, B extends @Nullable Object>
    extends Fn<A, B>, PureFunction {}
