package dev.headrace.spi;

import dev.headrace.data.Expression;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import java.util.Optional;

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
  /** Later, by the operator that has a place for the result. */
  LATER;

  /** The same seen from behind an operator that keeps many elements for a while. */
  public Deferral whileHeld() {
    return this == LATER ? IF_SMALLER : this;
  }

  /** Computes what must not wait in the first {@code count} elements of a chunk. */
  public void settle(Chunk chunk, int count, Context context) {
    if (this == LATER || !Tensor.anyDeferred() || chunk.inLongs()) {
      return;
    }
    for (int i = 0; i < count; i++) {
      Object element = chunk.item(i);
      if (!mayHoldTensors(element)) {
        continue;
      }
      try {
        settle(element);
      } catch (Throwable e) {
        chunk.replace(i, context.failure(chunk.id(i), e));
      }
    }
  }

  private void settle(Object element) {
    Optional<Structure<Object>> structure = Structure.find(element);
    if (structure.isEmpty()) {
      return;
    }
    for (Tensor leaf : structure.get().leaves(element)) {
      Expression expression = leaf.expression();
      if (expression != null && (this == AT_ONCE || keptBytes(expression) > leaf.byteSize())) {
        leaf.compute();
      }
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
    if (element instanceof Tensor tensor) {
      return tensor.isDeferred();
    }
    Optional<Structure<Object>> structure = Structure.find(element);
    if (structure.isPresent()) {
      for (Tensor leaf : structure.get().leaves(element)) {
        if (leaf.isDeferred()) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean mayHoldTensors(Object element) {
    return element instanceof Tensor
        || element instanceof Record
        || element instanceof java.util.Map
        || element instanceof java.util.List;
  }

  /**
   * How many threads may compute what the elements of {@code op} hold deferred: as many as may call
   * the function that made it.
   */
  public static int parallelismOf(Op op) {
    return switch (op.traits().deferring()) {
      case COMPOSES -> op.parallelism();
      case NEEDS, PLACES -> Parallelism.SEQUENTIAL;
      case CARRIES -> {
        int most = Parallelism.SEQUENTIAL;
        for (Op input : op.inputs()) {
          int one = parallelismOf(input);
          most =
              one == Knob.AUTOTUNE || most == Knob.AUTOTUNE ? Knob.AUTOTUNE : Math.max(one, most);
        }
        yield most;
      }
    };
  }

  /** The operator whose function may have left tensors deferred in the elements of {@code op}. */
  public static Op makerOf(Op op) {
    Op at = op;
    while (at.traits().deferring() == Deferring.CARRIES) {
      at = at.inputs().getFirst();
    }
    return at;
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
