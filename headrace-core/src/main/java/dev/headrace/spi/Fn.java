package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/** A function of the user that may throw, so that {@code Files::readAllBytes} fits as it is. */
@FunctionalInterface
public interface Fn<A extends @Nullable Object, B extends @Nullable Object> extends UserFunction {
  B apply(A value) throws Exception;
}
