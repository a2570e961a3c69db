package dev.headrace.spi;

import dev.headrace.data.Tensor;
import java.util.List;

/** A function that turns the elements of one batch, in order, into the batch. */
@FunctionalInterface
public interface Collator<A, B> extends UserFunction {
  B collate(List<A> elements) throws Exception;

  /**
   * Stacks scalars (numbers, booleans, strings), primitive arrays or tensors into one tensor with a
   * leading dimension: {@code range(8).batch(3, stack())} gives {@code int64[3]}.
   */
  static <A> Collator<A, Tensor> stack() {
    return Stacking.instance();
  }

  /** Hands the batch over as an unmodifiable list. */
  static <A> Collator<A, List<A>> toList() {
    return List::copyOf;
  }
}
