package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/**
 * A claim about an element that may throw; {@code filter} keeps the elements for which it holds.
 */
@FunctionalInterface
public interface Condition<A extends @Nullable Object> extends UserFunction {
  boolean test(A value) throws Exception;
}
