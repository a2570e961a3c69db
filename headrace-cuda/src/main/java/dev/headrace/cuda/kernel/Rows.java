package dev.headrace.cuda.kernel;

import dev.headrace.data.CombineExpression;
import dev.headrace.data.ElementwiseExpression;
import dev.headrace.data.Expression;
import dev.headrace.data.ReduceExpression;
import dev.headrace.data.ReshapeExpression;
import dev.headrace.data.StackExpression;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.CropAndResizeExpression;
import dev.headrace.data.image.ImageExpression;
import java.util.IdentityHashMap;
import java.util.Map;

/** Knows which tensors can be computed row by row of their first dimension. */
final class Rows {
  /** What is known of a tensor. */
  private enum Kind {
    /** Rows depend on each other, or cannot be told apart. */
    ONE,
    /** Each row can be computed by itself. */
    APART,
    /** They can, and come from a stack: as a whole they are not in memory. */
    STACKED
  }

  private final Map<Tensor, Kind> known = new IdentityHashMap<>();

  /** Whether the tensor comes from a stack, by steps that work on each row by itself. */
  boolean isWorthwhile(Tensor tensor) {
    return kind(tensor) == Kind.STACKED;
  }

  private Kind kind(Tensor tensor) {
    Kind kind = known.get(tensor);
    if (kind == null) {
      kind = tensor.shape().rank() == 0 ? Kind.ONE : find(tensor);
      known.put(tensor, kind);
    }
    return kind;
  }

  private Kind find(Tensor tensor) {
    Expression expression = tensor.expression();
    if (expression == null) {
      return Kind.APART;
    }
    return switch (expression) {
      case StackExpression stack -> Kind.STACKED;
      case ElementwiseExpression step -> kind(step.source());
      case CombineExpression combine -> both(combine.left(), combine.right());
      case ReshapeExpression reshape -> keepsRows(reshape) ? kind(reshape.source()) : Kind.ONE;
      case ReduceExpression reduce -> reduce.axes().contains(0) ? Kind.ONE : kind(reduce.source());
      case CropAndResizeExpression boxes -> Kind.ONE;
      case ImageExpression image -> image.shape().rank() == 4 ? kind(image.source()) : Kind.ONE;
      default -> Kind.ONE;
    };
  }

  private static boolean keepsRows(ReshapeExpression reshape) {
    Tensor source = reshape.source();
    return source.shape().rank() > 0 && source.shape().dim(0) == reshape.shape().dim(0);
  }

  // A scalar is the same for all rows.
  private Kind both(Tensor left, Tensor right) {
    Kind one = left.shape().rank() == 0 ? Kind.APART : kind(left);
    Kind other = right.shape().rank() == 0 ? Kind.APART : kind(right);
    if (one == Kind.ONE || other == Kind.ONE) {
      return Kind.ONE;
    }
    return one == Kind.STACKED ? one : other;
  }
}
