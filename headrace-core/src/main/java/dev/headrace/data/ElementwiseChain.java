package dev.headrace.data;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.headrace.data.image.ImagePass;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Elementwise steps that follow one another, computed in one pass over the tensor they start from.
 *
 * @param root the tensor that the first step reads
 * @param steps the steps, first to last
 */
record ElementwiseChain(Tensor root, List<ElementwiseExpression> steps) {
  private static final int BYTE_VALUES = 256;

  /** Sees results, run by run. */
  @FunctionalInterface
  interface BlockReader {
    /**
     * Sees a run of results.
     *
     * @param block the results, which change after the call
     * @param from which element the first of them is
     */
    void read(ElementBlock block, long from);
  }

  /** The longest chain that ends in {@code last}. */
  static ElementwiseChain endingIn(ElementwiseExpression last) {
    List<ElementwiseExpression> steps = new ArrayList<>();
    ElementwiseExpression step = last;
    steps.add(step);
    while (step.source().expression() instanceof ElementwiseExpression before) {
      steps.add(before);
      step = before;
    }
    Collections.reverse(steps);
    return new ElementwiseChain(step.source(), steps);
  }

  void evaluateInto(MemorySegment destination) {
    ImagePass pass = ImagePass.after(steps.getLast());
    if (pass != null) {
      pass.evaluateInto(destination);
      return;
    }
    long elements = root.shape().elements();
    root.borrow(
        memory -> {
          if (root.dtype().byteSize() == 1 && elements > 4 * BYTE_VALUES) {
            lookUp(memory, destination);
          } else {
            compute(memory, destination, elements);
          }
        });
  }

  /**
   * Lets {@code reader} see all elements of a tensor, which is not computed into memory for it
   * where its last steps are elementwise.
   */
  static void forEachBlock(Tensor tensor, BlockReader reader) {
    ElementwiseChain chain =
        tensor.expression() instanceof ElementwiseExpression last && ImagePass.after(last) == null
            ? endingIn(last)
            : new ElementwiseChain(tensor, List.of());
    chain.root.borrow(memory -> chain.forEachBlock(memory, tensor.elements(), reader));
  }

  private void compute(MemorySegment memory, MemorySegment destination, long elements) {
    forEachBlock(memory, elements, (block, from) -> block.store(destination, from));
  }

  private void forEachBlock(MemorySegment memory, long elements, BlockReader reader) {
    ElementBlock block = new ElementBlock(root.dtype(), elements);
    for (long from = 0; from < elements; from += ElementBlock.CAPACITY) {
      int count = (int) Math.min(ElementBlock.CAPACITY, elements - from);
      block.load(root.dtype(), memory, from, count);
      for (ElementwiseExpression step : steps) {
        apply(step, block);
      }
      reader.read(block, from);
    }
  }

  private static void apply(ElementwiseExpression step, ElementBlock block) {
    switch (step) {
      case ConvertExpression convert -> block.convertTo(convert.dtype());
      case ScaleExpression scale -> {
        block.convertTo(scale.dtype());
        block.combine(Arithmetic.MULTIPLY, scale.factor());
      }
      case ArithmeticExpression arithmetic -> {
        block.convertTo(arithmetic.dtype());
        block.combine(arithmetic.operation(), arithmetic.operand());
      }
      case MathExpression math -> block.apply(math.function());
      case ClipExpression clip -> block.clip(clip.least(), clip.most());
    }
  }

  /* A byte has 256 values: compute each once and look the rest up. It is exact by construction
   * and makes the common case, pixels to scaled floats, as cheap as a plain loop. */
  private void lookUp(MemorySegment memory, MemorySegment destination) {
    byte[] values = new byte[BYTE_VALUES];
    for (int i = 0; i < BYTE_VALUES; i++) {
      values[i] = (byte) i;
    }
    MemorySegment inputs = MemorySegment.ofArray(values);
    switch (steps.getLast().dtype().byteSize()) {
      case 1 -> {
        byte[] table = new byte[BYTE_VALUES];
        compute(inputs, MemorySegment.ofArray(table), BYTE_VALUES);
        for (long i = 0; i < memory.byteSize(); i++) {
          destination.set(JAVA_BYTE, i, table[memory.get(JAVA_BYTE, i) & 0xFF]);
        }
      }
      case 2 -> {
        short[] table = new short[BYTE_VALUES];
        compute(inputs, MemorySegment.ofArray(table), BYTE_VALUES);
        for (long i = 0; i < memory.byteSize(); i++) {
          destination.set(JAVA_SHORT_UNALIGNED, i * 2, table[memory.get(JAVA_BYTE, i) & 0xFF]);
        }
      }
      case 4 -> {
        int[] table = new int[BYTE_VALUES];
        compute(inputs, MemorySegment.ofArray(table), BYTE_VALUES);
        for (long i = 0; i < memory.byteSize(); i++) {
          destination.set(JAVA_INT_UNALIGNED, i * 4, table[memory.get(JAVA_BYTE, i) & 0xFF]);
        }
      }
      default -> {
        long[] table = new long[BYTE_VALUES];
        compute(inputs, MemorySegment.ofArray(table), BYTE_VALUES);
        for (long i = 0; i < memory.byteSize(); i++) {
          destination.set(JAVA_LONG_UNALIGNED, i * 8, table[memory.get(JAVA_BYTE, i) & 0xFF]);
        }
      }
    }
  }
}
