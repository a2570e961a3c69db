package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/** A function of two values that may throw. */
@FunctionalInterface
public interface BiFn<
        A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
    extends UserFunction {
  C apply(A first, B second) throws Exception;
}
