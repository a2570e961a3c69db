package dev.headrace.data;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Elementwise steps that make a tensor larger, and give the same bits wherever they are done. Where
 * bytes are expensive, hand on the tensor that they start from.
 *
 * @param root the tensor that the first step reads
 * @param steps the steps, first to last
 */
public record Cast(Tensor root, List<ElementwiseExpression> steps) {
  public Cast {
    steps = List.copyOf(steps);
  }

  /** What a deferred tensor on the host is a larger cast of; null where it is none. */
  public static @Nullable Cast of(Tensor tensor) {
    if (!(tensor.expression() instanceof ElementwiseExpression last)) {
      return null;
    }
    ElementwiseChain chain = ElementwiseChain.endingIn(last);
    Tensor root = chain.root();
    boolean isStored = !root.isDeferred() && root.place() == null;
    boolean isExact = chain.steps().stream().allMatch(ElementwiseExpression::isExact);
    return isStored && isExact && root.byteSize() < tensor.byteSize()
        ? new Cast(root, chain.steps())
        : null;
  }

  /** The same steps, done to another tensor; deferred. */
  public Tensor on(Tensor other) {
    Tensor result = other;
    for (ElementwiseExpression step : steps) {
      result = Tensor.deferred(step.on(result));
    }
    return result;
  }
}
