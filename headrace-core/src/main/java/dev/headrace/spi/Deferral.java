package dev.headrace.spi;

import dev.headrace.data.Cast;
import dev.headrace.data.Expression;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * When the tensors that a function left deferred are computed.
 *
 * <p>It follows from the plan alone, never from threads: a computation that fails does so in the
 * same place every time.
 */
public enum Deferral {
  /** Where the function ran, by the thread that called it. */
  AT_ONCE,
  /** Later, if what has to be kept for it is no larger than the result: a shuffle lies between. */
  IF_SMALLER,
  /** Later, if it is a larger cast of what has to be kept; all else at once. */
  IF_CAST,
  /** Later, by the operator that has a place for the result. */
  LATER;

  private static final Tensor[] NONE = {};

  /** The same seen from behind an operator that keeps many elements for a while. */
  public Deferral whileHeld() {
    return this == LATER ? IF_SMALLER : this;
  }

  /**
   * Computes what must not wait in the elements of a chunk from one to before another; says whether
   * there was anything, so that they may weigh more than before.
   */
  public boolean settle(Chunk chunk, int from, int to, Blame blame) {
    if (this == LATER || !Tensor.anyDeferred() || chunk.inLongs()) {
      return false;
    }
    boolean isAnyComputed = false;
    for (int i = from; i < to; i++) {
      Object element = chunk.item(i);
      if (!mayHoldTensors(element)) {
        continue;
      }
      try {
        isAnyComputed |= settle(element);
      } catch (Throwable e) {
        isAnyComputed = true;
        chunk.replace(i, blame.failure(chunk.id(i), e));
      }
    }
    return isAnyComputed;
  }

  private boolean settle(Object element) {
    boolean isAnyComputed = false;
    for (Tensor leaf : tensorsOf(element)) {
      Expression expression = leaf.expression();
      if (expression != null && mustNotWait(leaf, expression)) {
        leaf.compute();
        isAnyComputed = true;
      }
    }
    return isAnyComputed;
  }

  private boolean mustNotWait(Tensor leaf, Expression expression) {
    return switch (this) {
      case AT_ONCE -> true;
      case IF_CAST -> Cast.of(leaf) == null;
      case IF_SMALLER -> keptBytes(expression) > leaf.byteSize();
      case LATER -> false;
    };
  }

  /** The tensors of an element; none where it cannot be taken apart, which is not our concern. */
  public static Tensor[] tensorsOf(Object element) {
    if (element instanceof Tensor tensor) {
      return new Tensor[] {tensor};
    }
    if (!mayHoldTensors(element)) {
      return NONE;
    }
    try {
      Optional<Structure<Object>> structure = Structure.find(element);
      return structure.isEmpty() ? NONE : structure.get().leaves(element);
    } catch (RuntimeException e) {
      return NONE;
    }
  }

  /** Whether an element of this chunk holds a tensor that is not computed yet. */
  public static boolean isSeenIn(Chunk chunk) {
    if (!Tensor.anyDeferred() || chunk.inLongs()) {
      return false;
    }
    for (int i = 0; i < chunk.size(); i++) {
      Object element = chunk.item(i);
      if (mayHoldTensors(element) && isSeenIn(element)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isSeenIn(Object element) {
    for (Tensor leaf : tensorsOf(element)) {
      if (leaf.isDeferred()) {
        return true;
      }
    }
    return false;
  }

  private static boolean mayHoldTensors(Object element) {
    return element instanceof Tensor
        || element instanceof Record
        || element instanceof Map
        || element instanceof List;
  }

  /** Whether an operator keeps elements for a while that it carries: a buffer of any kind. */
  public static boolean isHeldBy(Op op) {
    return !op.traits().keepsElements() || op.traits().shapesNothing();
  }

  /** The operators whose functions may have left tensors deferred in the elements of {@code op}. */
  public static List<Op> makersOf(Op op) {
    List<Op> makers = new ArrayList<>();
    collectMakers(op, makers);
    return makers;
  }

  private static void collectMakers(Op op, List<Op> into) {
    switch (op.traits().deferring()) {
      case COMPOSES -> into.add(op);
      case NEEDS, COMPUTES, CASTS, PLACES -> {}
      case CARRIES -> {
        for (Op input : op.inputs()) {
          collectMakers(input, into);
        }
      }
    }
  }

  /**
   * How many threads may compute what the elements of {@code op} hold deferred: as many as may call
   * the functions that made it.
   */
  public static int parallelismOf(Op op) {
    return parallelismOf(op, UnaryOperator.identity());
  }

  /** The same, as it was before operators were rewritten. */
  public static int parallelismOf(Op op, UnaryOperator<Op> origins) {
    return makersOf(op).stream()
        .map(maker -> origins.apply(maker).parallelism())
        .min(Comparator.comparingInt(Parallelism::most))
        .orElse(Parallelism.SEQUENTIAL);
  }

  /** What must be kept to compute an expression later. */
  static long keptBytes(Expression expression) {
    long bytes = 0;
    for (Tensor source : expression.sources()) {
      Expression before = source.expression();
      bytes += before == null ? source.byteSize() : keptBytes(before);
    }
    return bytes;
  }
}
