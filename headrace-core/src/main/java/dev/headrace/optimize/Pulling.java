package dev.headrace.optimize;

import dev.headrace.op.CounterOp;
import dev.headrace.op.FromListOp;
import dev.headrace.op.FromTensorsOp;
import dev.headrace.op.RangeOp;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Parallelism;

/** What the thread that pulls from an operator has to do for it. */
final class Pulling {
  private Pulling() {}

  /**
   * Whether the thread that pulls from an operator computes something, or reads a file: there is
   * work between it and the next operators below that have threads of their own.
   */
  static boolean isWork(Op op) {
    if (hasThreads(op) || isFree(op)) {
      return false;
    }
    boolean handsOn = op.traits().keepsElements() && op.traits().neverFails();
    return !handsOn || op.anyInput(Pulling::isWork);
  }

  /** Whether an operator reads its input ahead, will once that helps, or was told not to. */
  static boolean hasThreads(Op op) {
    return op.parallelism() != Parallelism.SEQUENTIAL
        || OpShape.of(op.getClass()).hasKnob("buffer");
  }

  /** Sources whose elements are there, or cost a nanosecond. */
  private static boolean isFree(Op op) {
    return op instanceof RangeOp
        || op instanceof CounterOp
        || op instanceof FromListOp
        || op instanceof FromTensorsOp;
  }
}
