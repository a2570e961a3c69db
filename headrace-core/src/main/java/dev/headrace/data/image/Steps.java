package dev.headrace.data.image;

import dev.headrace.data.Arithmetic;
import dev.headrace.data.ConvertExpression;
import dev.headrace.data.DType;
import java.util.List;

/** The loops of the steps that change values, row by row. */
final class Steps {
  private static final float RED = 0.2989f;
  private static final float GREEN = 0.5870f;
  private static final float BLUE = 0.1140f;

  private Steps() {}

  /** A number for each float of a row, from one for each channel or one for all. */
  static float[] repeated(List<Float> values, ImageSize size) {
    float[] repeated = new float[size.rowLength()];
    for (int i = 0; i < repeated.length; i++) {
      repeated[i] = values.get(i % size.channels() % values.size());
    }
    return repeated;
  }

  static RowStep affine(float[] mean, float[] deviation) {
    return (row, pixels) -> {
      for (int i = 0; i < mean.length; i++) {
        row[i] = (row[i] - mean[i]) / deviation[i];
      }
    };
  }

  static RowStep standardise(Statistics statistics, int channels) {
    float mean = (float) statistics.mean();
    double least = 1 / Math.sqrt((double) statistics.count() * channels);
    float deviation = (float) Math.max(statistics.deviation(), least);
    return (row, pixels) -> {
      for (int i = 0; i < pixels * channels; i++) {
        row[i] = (row[i] - mean) / deviation;
      }
    };
  }

  static void multiply(float[] row, int length, float factor) {
    for (int i = 0; i < length; i++) {
      row[i] *= factor;
    }
  }

  static void combine(float[] row, int length, Arithmetic operation, float operand) {
    switch (operation) {
      case ADD -> {
        for (int i = 0; i < length; i++) {
          row[i] += operand;
        }
      }
      case SUBTRACT -> {
        for (int i = 0; i < length; i++) {
          row[i] -= operand;
        }
      }
      case MULTIPLY -> multiply(row, length, operand);
      case DIVIDE -> {
        for (int i = 0; i < length; i++) {
          row[i] /= operand;
        }
      }
    }
  }

  static void cast(float[] row, int length, ConvertExpression convert) {
    if (convert.source().dtype().isInteger() && convert.dtype().isInteger()) {
      for (int i = 0; i < length; i++) {
        row[i] = wrap((long) row[i], convert.dtype());
      }
    }
    PixelMemory.settle(convert.dtype(), row, length);
  }

  private static float wrap(long value, DType dtype) {
    if (dtype == DType.UINT64) {
      return PixelMemory.unsigned(value);
    }
    int unused = Long.SIZE - dtype.byteSize() * 8;
    return dtype.isUnsigned() ? value << unused >>> unused : value << unused >> unused;
  }

  static void convertImage(float[] row, int length, DType from, DType to, boolean saturate) {
    if (from.isInteger() && to.isInteger()) {
      rescale(row, length, from, to, saturate);
    } else if (from.isInteger()) {
      multiply(row, length, (float) (1 / PixelMemory.most(from)));
    } else if (to.isInteger()) {
      // The half makes the cast round evenly: the largest value covers as much as the others.
      multiply(row, length, (float) (PixelMemory.most(to) + 0.5));
      PixelMemory.settle(to, row, length);
    }
  }

  private static void rescale(float[] row, int length, DType from, DType to, boolean saturate) {
    double most = PixelMemory.most(from) + 1;
    double mostAfter = PixelMemory.most(to) + 1;
    boolean shrinks = most > mostAfter;
    long factor = (long) (shrinks ? most / mostAfter : mostAfter / most);
    for (int i = 0; i < length; i++) {
      long value = (long) row[i];
      if (shrinks) {
        value = Math.floorDiv(value, factor);
      }
      if (saturate) {
        value = Math.clamp(value, (long) PixelMemory.least(to), (long) PixelMemory.most(to));
      }
      row[i] = wrap(shrinks ? value : value * factor, to);
    }
  }

  static RowStep adjust(AdjustExpression expression, int channels, Statistics statistics) {
    DType dtype = expression.dtype();
    boolean isDirect = dtype == DType.FLOAT16 || dtype == DType.FLOAT32;
    RowStep change = change(expression.adjustment(), channels, statistics, dtype);
    return (row, pixels) -> {
      if (!isDirect) {
        convertImage(row, pixels * channels, dtype, DType.FLOAT32, false);
      }
      change.apply(row, pixels);
      if (!isDirect) {
        convertImage(row, pixels * channels, DType.FLOAT32, dtype, true);
      }
    };
  }

  private static RowStep change(
      Adjustment adjustment, int channels, Statistics statistics, DType dtype) {
    return switch (adjustment) {
      case Adjustment.Brightness brightness ->
          (row, pixels) -> {
            for (int i = 0; i < pixels * channels; i++) {
              row[i] += brightness.delta();
            }
          };
      case Adjustment.Gamma gamma ->
          (row, pixels) -> {
            for (int i = 0; i < pixels * channels; i++) {
              row[i] = gamma.gain() * (float) Math.pow(row[i], gamma.gamma());
            }
          };
      case Adjustment.Contrast contrast -> {
        // The statistics are of the values before they are scaled to floats.
        double scale = dtype.isInteger() ? 1 / PixelMemory.most(dtype) : 1;
        float[] means = new float[channels];
        for (int channel = 0; channel < channels; channel++) {
          means[channel] = (float) (statistics.channelMean(channel) * scale);
        }
        yield (row, pixels) -> stretch(row, pixels, means, contrast.factor());
      }
      case Adjustment.Saturation saturation ->
          (row, pixels) -> Hsv.saturate(row, pixels, saturation.factor());
      case Adjustment.Hue hue -> (row, pixels) -> Hsv.turn(row, pixels, hue.delta());
    };
  }

  private static void stretch(float[] row, int pixels, float[] means, float factor) {
    int at = 0;
    for (int pixel = 0; pixel < pixels; pixel++) {
      for (float mean : means) {
        row[at] = (row[at] - mean) * factor + mean;
        at++;
      }
    }
  }

  static RowStep colour(ColourExpression expression) {
    DType dtype = expression.dtype();
    return switch (expression.colour()) {
      case RGB_TO_GRAYSCALE ->
          (row, pixels) -> {
            convertImage(row, 3 * pixels, dtype, DType.FLOAT32, false);
            for (int i = 0; i < pixels; i++) {
              row[i] = row[3 * i] * RED + row[3 * i + 1] * GREEN + row[3 * i + 2] * BLUE;
            }
            convertImage(row, pixels, DType.FLOAT32, dtype, false);
          };
      case GRAYSCALE_TO_RGB ->
          (row, pixels) -> {
            for (int i = pixels - 1; i >= 0; i--) {
              float grey = row[i];
              row[3 * i] = grey;
              row[3 * i + 1] = grey;
              row[3 * i + 2] = grey;
            }
          };
      case RGB_TO_HSV -> Hsv::fromRgb;
      case HSV_TO_RGB -> Hsv::toRgb;
    };
  }

  static void reverse(float[] row, int pixels, int channels) {
    for (int left = 0, right = (pixels - 1) * channels;
        left < right;
        left += channels, right -= channels) {
      for (int i = 0; i < channels; i++) {
        float kept = row[left + i];
        row[left + i] = row[right + i];
        row[right + i] = kept;
      }
    }
  }
}
