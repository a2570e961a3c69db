package dev.headrace.data.image;

import dev.headrace.data.DType;

/** A step that computes pixels of another size as weighted sums, row by row. */
public sealed interface Resampling extends ImageExpression
    permits ResizeExpression, ScaleAndTranslateExpression {
  /** The filter from row to row. */
  Axis vertical();

  /** The filter within a row. */
  Axis horizontal();

  /** Whether rows of floats are the result; else the step has a way of its own. */
  default boolean givesFloats() {
    return dtype() == DType.FLOAT32;
  }
}
