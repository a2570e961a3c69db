package dev.headrace.spi;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A function that draws random numbers from the generator it is given.
 *
 * <p>The generator depends on the seed, the operator's place and the element's id alone, so the
 * result is the same for any number of threads.
 */
@FunctionalInterface
public interface RandomFn<A extends @Nullable Object, B extends @Nullable Object>
    extends UserFunction {
  B apply(A value, RandomGenerator random) throws Exception;
}
