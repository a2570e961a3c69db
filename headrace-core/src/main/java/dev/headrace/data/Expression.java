package dev.headrace.data;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A computation that yields a tensor but has not run yet, so that the code that places its result
 * can have it written straight to its destination.
 *
 * <p><b>Threading:</b> immutable; any thread may evaluate, and two may at once.
 */
public interface Expression {
  /** The type of the result; never {@link DType#STRING}. */
  DType dtype();

  /** The shape of the result, fully known. */
  Shape shape();

  /** The tensors that the computation reads. */
  List<Tensor> sources();

  /**
   * Computes the result into {@code destination}, which has exactly its bytes, in native byte order
   * and without alignment. Every byte is written, by the calling thread alone: the memory may be
   * that thread's own.
   */
  void evaluateInto(MemorySegment destination);

  /**
   * The computation in one line, last step first: {@code scale(0.00392) ← convert(float) ←
   * uint8[224, 224, 3]}.
   */
  String describe();
}
