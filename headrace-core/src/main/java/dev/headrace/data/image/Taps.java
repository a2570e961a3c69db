package dev.headrace.data.image;

/**
 * For each output of an axis, the run of inputs that it is a weighted sum of. The arrays are shared
 * and only to be read.
 *
 * @param starts the first input of each run
 * @param counts the length of each run
 * @param weights {@code span} weights for each output, the first {@code counts} of them used
 * @param span the longest run
 */
public record Taps(int[] starts, int[] counts, float[] weights, int span) {
  private static final int TABLE_SIZE = 1024;
  private static final float LEGACY_SHARPNESS = -0.75f;
  private static final float KEYS_SHARPNESS = -0.5f;
  private static final float LEAST_TOTAL = 1000 * Float.MIN_NORMAL;

  /** The weights of an axis, which are kept if it is a common one; not of the nearest method. */
  public static Taps along(Axis axis) {
    return AxisCache.taps(axis);
  }

  static Taps of(Axis axis) {
    if (axis.kernel() != null) {
      return scaled(axis, axis.kernel());
    }
    return switch (axis.method()) {
      case BICUBIC -> cubic(axis);
      case AREA -> area(axis);
      case BILINEAR -> linear(axis);
      default -> throw new AssertionError(axis);
    };
  }

  private static Taps empty(int outputs, int span) {
    return new Taps(new int[outputs], new int[outputs], new float[outputs * span], span);
  }

  private static Taps linear(Axis axis) {
    Lerp lerp = Lerp.of(axis, 1);
    Taps taps = empty(axis.outputs(), 2);
    for (int i = 0; i < axis.outputs(); i++) {
      taps.starts[i] = lerp.low()[i];
      taps.counts[i] = lerp.high()[i] - lerp.low()[i] + 1;
      taps.weights[2 * i] = taps.counts[i] == 1 ? 1 : 1 - lerp.weight()[i];
      taps.weights[2 * i + 1] = lerp.weight()[i];
    }
    return taps;
  }

  /* The filter is centred on the place of an output and cut off at the image's edge; what is left
   * is scaled to a sum of one. Outputs whose place lies outside have no inputs and are 0. */
  private static Taps scaled(Axis axis, ScaleKernel kernel) {
    float inverse = 1 / axis.scale();
    float shift = -inverse * axis.translation();
    float width = axis.antialias() ? Math.max(inverse, 1) : 1;
    float narrowing = 1 / width; // multiplied by, as in TensorFlow: at the filter's edge it shows
    float reach = kernel.radius() * width;
    int span = (int) Math.min(2 * Math.ceil(reach) + 1, axis.inputs());
    Taps taps = empty(axis.outputs(), span);
    for (int i = 0; i < axis.outputs(); i++) {
      float place = (i + 0.5f) * inverse + shift;
      if (place < 0 || place > axis.inputs()) {
        continue;
      }
      int first = (int) Math.max(0, Math.ceil(place - reach - 0.5f));
      int last = (int) Math.min(axis.inputs() - 1, Math.floor(place + reach - 0.5f));
      int count = Math.min(span, last - first + 1);
      taps.starts[i] = first;
      taps.counts[i] = Math.max(0, count);
      for (int k = 0; k < count; k++) {
        taps.weights[i * span + k] = kernel.weight((first + k + 0.5f - place) * narrowing);
      }
      taps.normalise(i);
    }
    return taps;
  }

  /* TensorFlow takes a cubic's weights from a table of 1024 steps. On the half pixel grid inputs
   * beyond the edge have no weight, on the older ones the edge stands in for them. */
  private static Taps cubic(Axis axis) {
    boolean keys = axis.grid() == Grid.HALF_PIXEL;
    float sharpness = keys ? KEYS_SHARPNESS : LEGACY_SHARPNESS;
    int span = Math.min(4, axis.inputs());
    Taps taps = empty(axis.outputs(), span);
    for (int i = 0; i < axis.outputs(); i++) {
      float place = axis.place(i);
      int floor = (int) Math.floor(place);
      int offset = (int) Math.rint((place - floor) * TABLE_SIZE);
      int first = Math.clamp((long) floor - 1, 0, axis.inputs() - 1);
      int last = Math.clamp((long) floor + 2, 0, axis.inputs() - 1);
      taps.starts[i] = first;
      taps.counts[i] = last - first + 1;
      for (int k = -1; k <= 2; k++) {
        int input = Math.clamp((long) floor + k, 0, axis.inputs() - 1);
        if (!keys || input == floor + k) {
          taps.weights[i * span + input - first] += cubicWeight(sharpness, k, offset);
        }
      }
      if (keys) {
        taps.normalise(i);
      }
    }
    return taps;
  }

  private static float cubicWeight(float sharpness, int k, int offset) {
    int steps = k <= 0 ? offset : TABLE_SIZE - offset;
    float x = steps / (float) TABLE_SIZE;
    if (k == 0 || k == 1) {
      return ((sharpness + 2) * x - (sharpness + 3)) * x * x + 1;
    }
    x += 1;
    return ((sharpness * x - 5 * sharpness) * x + 8 * sharpness) * x - 4 * sharpness;
  }

  private static Taps area(Axis axis) {
    float step = axis.step();
    int span = Math.min((int) Math.ceil(step) + 2, axis.inputs());
    Taps taps = empty(axis.outputs(), span);
    for (int i = 0; i < axis.outputs(); i++) {
      float from = i * step;
      float to = (i + 1) * step;
      int first = Math.clamp((long) Math.floor(from), 0, axis.inputs() - 1);
      int end = (int) Math.ceil(to);
      taps.starts[i] = first;
      for (int input = first; input < end; input++) {
        float covered = covered(input, from, to, step);
        int inside = Math.min(input, axis.inputs() - 1);
        taps.weights[i * span + inside - first] += covered / step;
        taps.counts[i] = inside - first + 1;
      }
    }
    return taps;
  }

  // How much of an input lies between two places; an output within one input covers a whole step.
  private static float covered(int input, float from, float to, float step) {
    if (input < from) {
      return input + 1 > to ? step : input + 1 - from;
    }
    return input + 1 > to ? to - input : 1;
  }

  private void normalise(int output) {
    float total = 0;
    for (int k = 0; k < counts[output]; k++) {
      total += weights[output * span + k];
    }
    if (Math.abs(total) >= LEAST_TOTAL) {
      float inverse = 1 / total;
      for (int k = 0; k < counts[output]; k++) {
        weights[output * span + k] *= inverse;
      }
    }
  }
}
