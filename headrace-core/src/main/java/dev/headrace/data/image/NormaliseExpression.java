package dev.headrace.data.image;

import dev.headrace.data.DType;
import dev.headrace.data.Plural;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * An image as float32, less a mean and divided by a deviation, each a number for every channel or
 * one for all.
 */
public record NormaliseExpression(Tensor source, List<Float> mean, List<Float> deviation)
    implements ImageExpression {
  public NormaliseExpression {
    mean = List.copyOf(mean);
    deviation = List.copyOf(deviation);
    int channels = ImageSize.of("normalise", source).channels();
    if (!fits(mean, channels) || !fits(deviation, channels)) {
      throw new IllegalArgumentException(
          "normalise: expected a mean and a deviation for each of %d %s or one for all, but"
                  .formatted(channels, Plural.word(channels, "channel"))
              + " got "
              + mean
              + " and "
              + deviation);
    }
    if (deviation.contains(0f)) {
      throw new IllegalArgumentException(
          "normalise: expected deviations other than 0, but got " + deviation);
    }
  }

  /** A normalisation by numbers in arrays. */
  public static NormaliseExpression of(Tensor source, float[] mean, float[] deviation) {
    return new NormaliseExpression(source, list(mean), list(deviation));
  }

  private static List<Float> list(float[] values) {
    List<Float> list = new ArrayList<>();
    for (float value : values) {
      list.add(value);
    }
    return list;
  }

  private static boolean fits(List<Float> values, int channels) {
    return values.size() == 1 || values.size() == channels;
  }

  @Override
  public DType dtype() {
    return DType.FLOAT32;
  }

  @Override
  public Shape shape() {
    return source.shape();
  }

  @Override
  public String describe() {
    return "normalise(" + mean + ", " + deviation + ") ← " + source.describe();
  }
}
