package dev.headrace.data.image;

import dev.headrace.data.ArithmeticExpression;
import dev.headrace.data.ConvertExpression;
import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.ScaleExpression;

/** One step of a pass, on a row of pixels as floats. */
@FunctionalInterface
interface RowStep {
  /** Changes {@code pixels} pixels in place; there is room for more channels where it adds some. */
  void apply(float[] row, int pixels);

  /**
   * The step of an expression.
   *
   * @param statistics of the image that the step is applied to, where it needs them
   */
  static RowStep of(Expression expression, ImageSize size, Statistics statistics) {
    int channels = size.channels();
    return switch (expression) {
      case NormaliseExpression normalise ->
          Steps.affine(
              Steps.repeated(normalise.mean(), size), Steps.repeated(normalise.deviation(), size));
      case StandardiseExpression standardise -> Steps.standardise(statistics, channels);
      case ConvertImageExpression convert ->
          (row, pixels) ->
              Steps.convertImage(
                  row,
                  pixels * channels,
                  convert.source().dtype(),
                  convert.dtype(),
                  convert.saturate());
      case AdjustExpression adjust -> Steps.adjust(adjust, channels, statistics);
      case ColourExpression colour -> Steps.colour(colour);
      case ConvertExpression convert ->
          (row, pixels) -> Steps.cast(row, pixels * channels, convert);
      case ScaleExpression scale -> {
        float[] factor = {(float) scale.factor()};
        PixelMemory.settle(scale.dtype(), factor, 1);
        yield (row, pixels) -> Steps.multiply(row, pixels * channels, factor[0]);
      }
      case ArithmeticExpression arithmetic -> {
        float[] operand = {(float) arithmetic.operand()};
        PixelMemory.settle(arithmetic.dtype(), operand, 1);
        yield (row, pixels) ->
            Steps.combine(row, pixels * channels, arithmetic.operation(), operand[0]);
      }
      default -> throw new AssertionError(expression.describe());
    };
  }

  /** Whether a step can be part of a pass. */
  static boolean isRowwise(Expression expression) {
    return switch (expression) {
      case NormaliseExpression normalise -> true;
      case StandardiseExpression standardise -> true;
      case ConvertImageExpression convert -> true;
      case AdjustExpression adjust -> true;
      case ColourExpression colour ->
          colour.colour() != Colour.GRAYSCALE_TO_RGB || PixelMemory.isExact(colour.dtype());
      case OrientExpression orient ->
          !orient.orientation().swaps() && PixelMemory.isExact(orient.dtype());
      case ConvertExpression convert ->
          isImage(convert.source().shape().rank())
              && PixelMemory.isExact(convert.source().dtype())
              && PixelMemory.isExact(convert.dtype());
      case ScaleExpression scale ->
          isImage(scale.source().shape().rank()) && PixelMemory.isExact(scale.source().dtype());
      // Integers wrap around in more bits than floats have.
      case ArithmeticExpression arithmetic ->
          isImage(arithmetic.shape().rank())
              && PixelMemory.isExact(arithmetic.source().dtype())
              && arithmetic.dtype().isFloating();
      default -> false;
    };
  }

  private static boolean isImage(int rank) {
    return rank == 3 || rank == 4;
  }

  /** Whether a step must have seen the whole image before it changes the first row. */
  static boolean needsStatistics(Expression expression) {
    return expression instanceof StandardiseExpression
        || expression instanceof AdjustExpression adjust
            && adjust.adjustment() instanceof Adjustment.Contrast;
  }

  /** Whether values between two steps must be made what their type can hold. */
  static boolean settles(DType dtype) {
    return dtype != DType.FLOAT32 && dtype != DType.FLOAT64;
  }
}
