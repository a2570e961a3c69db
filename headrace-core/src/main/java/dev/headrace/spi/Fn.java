package dev.headrace.spi;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * A function of the user that may throw, so that {@code Files::readAllBytes} fits as it is.
 *
 * <p>It is {@link Serializable} only so that the engine can ask a lambda for its name and captured
 * values ({@link FunctionIdentity}); it is never serialised.
 */
@FunctionalInterface
public interface Fn<A extends @Nullable Object, B extends @Nullable Object> extends Serializable {
  B apply(A value) throws Exception;
}
