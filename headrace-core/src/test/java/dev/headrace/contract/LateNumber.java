package dev.headrace.contract;

import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A number and its successor, computed late; one number in seven cannot be.
 *
 * @param length how long the result is: longer than its source, or not
 */
record LateNumber(Tensor source, int length) implements Expression {
  static Tensor of(long value, int length) {
    return Tensor.deferred(new LateNumber(Tensor.of(value, value), length));
  }

  @Override
  public DType dtype() {
    return DType.INT64;
  }

  @Override
  public Shape shape() {
    return Shape.of(length);
  }

  @Override
  public List<Tensor> sources() {
    return List.of(source);
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    long value = source.longAt(0);
    if (Math.floorMod(value, 7L) == 2) {
      throw new IllegalStateException("cannot compute " + value);
    }
    for (int i = 0; i < length; i++) {
      destination.set(ValueLayout.JAVA_LONG_UNALIGNED, 8L * i, value + i);
    }
  }

  @Override
  public String describe() {
    return "late(" + length + ") ← " + source.describe();
  }
}
