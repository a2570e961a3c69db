package dev.headrace.data;

/**
 * Elements kept within bounds, as {@code tf.clip_by_value}; NaN stays NaN.
 *
 * @param least what smaller elements become, in the elements' type
 * @param most what larger elements become; where it is less than {@code least}, that wins
 */
public record ClipExpression(Tensor source, double least, double most)
    implements ElementwiseExpression {
  public ClipExpression {
    Elements.checkNumbers("clip", source);
    Elements.checkHolds("clip", source.dtype(), least);
    Elements.checkHolds("clip", source.dtype(), most);
  }

  @Override
  public DType dtype() {
    return source.dtype();
  }

  @Override
  public ClipExpression on(Tensor other) {
    return new ClipExpression(other, least, most);
  }

  @Override
  public String describe() {
    return "clip(%s, %s) ← %s"
        .formatted(Elements.shorten(least), Elements.shorten(most), source.describe());
  }
}
