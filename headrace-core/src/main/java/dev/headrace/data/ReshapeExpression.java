package dev.headrace.data;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** The elements of a deferred tensor in another shape. */
public record ReshapeExpression(Tensor source, Shape shape) implements Expression {
  @Override
  public DType dtype() {
    return source.dtype();
  }

  @Override
  public List<Tensor> sources() {
    return List.of(source);
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    source.copyInto(destination, 0);
  }

  @Override
  public String describe() {
    return "reshape(" + shape + ") ← " + source.describe();
  }
}
