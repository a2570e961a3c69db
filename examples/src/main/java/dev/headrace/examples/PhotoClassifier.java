package dev.headrace.examples;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A small network that learns which class a photograph shows: a real training step for examples, in
 * plain Java, of a millisecond or two for a batch of 16.
 *
 * <p>A photograph is pooled to a grid of cells and standardised. Every cell passes the same few
 * units (linear, then only what is above 0); each unit is averaged over the cells of a region; a
 * softmax over these averages gives the classes. It learns by gradient descent with momentum. The
 * same seed and batches give the same network.
 *
 * <pre>{@code
 * PhotoClassifier model = new PhotoClassifier(10, 42);
 * Training.fit(
 *     TrainingStep.<Labelled>withLoss(batch -> model.step(batch.image(), batch.label())), train);
 * System.out.println(model.accuracy());
 * }</pre>
 *
 * <p><b>Threading:</b> one thread at a time.
 */
public final class PhotoClassifier {
  private static final int CHANNELS = 3;
  private static final int REGIONS = 5; // on a side
  private static final int GRID = 3 * REGIONS;
  private static final int CELLS = GRID * GRID;
  private static final int CELLS_OF_REGION = CELLS / (REGIONS * REGIONS);
  private static final int UNITS = 16;
  private static final int MEANS = REGIONS * REGIONS * UNITS;
  private static final int RECENT_BATCHES = 20;
  private static final float RATE = 0.04f;
  private static final float MOMENTUM = 0.9f;

  private final int classes;
  private final Layer units;
  private final Layer scores;

  // One photograph at a time.
  private final float[] pixels = new float[CELLS * CHANNELS];
  private final float[] active = new float[CELLS * UNITS];
  private final float[] means = new float[MEANS];
  private final float[] meanSlopes = new float[MEANS];
  private final float[] chances;

  private final int[] recentRight = new int[RECENT_BATCHES];
  private final int[] recentSeen = new int[RECENT_BATCHES];
  private long steps;

  /** A network that knows nothing yet. */
  public PhotoClassifier(int classes, long seed) {
    if (classes < 2) {
      throw new IllegalArgumentException(
          "PhotoClassifier: expected at least 2 classes, but got " + classes);
    }
    SplittableRandom random = new SplittableRandom(seed);
    this.classes = classes;
    this.units = new Layer(CHANNELS, UNITS, 1, random);
    this.scores = new Layer(MEANS, classes, 0.1, random);
    this.chances = new float[classes];
  }

  /**
   * Learns from a batch.
   *
   * @param images float32 or uint8 [n, height, width, 3], on any scale
   * @param labels int64 [n], from 0
   * @return the loss before learning from it: the mean of −ln of the chance given to the true class
   */
  public double step(Tensor images, Tensor labels) {
    int count = checkedCount(images, labels);
    double loss = 0;
    int right = 0;
    int recent = (int) (steps++ % RECENT_BATCHES);
    for (int i = 0; i < count; i++) {
      int label = checkedLabel(labels.longAt(i));
      pool(images, i);
      infer();
      loss -= Math.log(Math.max(chances[label], 1e-9f));
      right += mostLikely() == label ? 1 : 0;
      learn(label);
    }
    units.descend(count);
    scores.descend(count);
    recentRight[recent] = right;
    recentSeen[recent] = count;
    return loss / count;
  }

  /** The class of each image, as {@link #step} takes them. */
  public int[] classify(Tensor images) {
    int[] found = new int[checkedCount(images)];
    for (int i = 0; i < found.length; i++) {
      pool(images, i);
      infer();
      found[i] = mostLikely();
    }
    return found;
  }

  /**
   * How many of the photographs of the last 20 batches it knew before it learned from them; 0
   * before the first.
   */
  public double accuracy() {
    int seen = Arrays.stream(recentSeen).sum();
    return seen == 0 ? 0 : (double) Arrays.stream(recentRight).sum() / seen;
  }

  // ---- one photograph ---------------------------------------------------------------------------

  /** Fills the grid with the mean colours of its cells, from every second row and column. */
  private void pool(Tensor images, int number) {
    Shape shape = images.shape();
    int height = (int) shape.dim(1);
    int width = (int) shape.dim(2);
    MemorySegment memory = images.segment();
    boolean isBytes = images.dtype() == DType.UINT8;
    for (int cell = 0; cell < CELLS; cell++) {
      int top = cell / GRID * height / GRID;
      int bottom = (cell / GRID + 1) * height / GRID;
      int left = cell % GRID * width / GRID;
      int right = (cell % GRID + 1) * width / GRID;
      float red = 0;
      float green = 0;
      float blue = 0;
      int seen = 0;
      for (int y = top; y < bottom; y += 2) {
        long row = ((long) number * height + y) * width;
        for (int x = left; x < right; x += 2, seen++) {
          long at = (row + x) * CHANNELS;
          if (isBytes) {
            red += memory.get(JAVA_BYTE, at) & 0xFF;
            green += memory.get(JAVA_BYTE, at + 1) & 0xFF;
            blue += memory.get(JAVA_BYTE, at + 2) & 0xFF;
          } else {
            red += memory.getAtIndex(JAVA_FLOAT_UNALIGNED, at);
            green += memory.getAtIndex(JAVA_FLOAT_UNALIGNED, at + 1);
            blue += memory.getAtIndex(JAVA_FLOAT_UNALIGNED, at + 2);
          }
        }
      }
      pixels[CHANNELS * cell] = red / seen;
      pixels[CHANNELS * cell + 1] = green / seen;
      pixels[CHANNELS * cell + 2] = blue / seen;
    }
    standardise(pixels);
  }

  private static void standardise(float[] values) {
    double sum = 0;
    double squares = 0;
    for (float value : values) {
      sum += value;
      squares += (double) value * value;
    }
    double mean = sum / values.length;
    double variance = Math.max(0, squares / values.length - mean * mean);
    double scale = variance == 0 ? 0 : 1 / Math.sqrt(variance);
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) ((values[i] - mean) * scale);
    }
  }

  private void infer() {
    Arrays.fill(means, 0);
    for (int cell = 0; cell < CELLS; cell++) {
      int region = UNITS * region(cell);
      units.apply(pixels, CHANNELS * cell, active, UNITS * cell);
      for (int unit = 0; unit < UNITS; unit++) {
        float value = Math.max(0, active[UNITS * cell + unit]);
        active[UNITS * cell + unit] = value;
        means[region + unit] += value / CELLS_OF_REGION;
      }
    }
    scores.apply(means, 0, chances, 0);
    float most = chances[mostLikely()];
    float sum = 0;
    for (int i = 0; i < classes; i++) {
      chances[i] = (float) Math.exp(chances[i] - most);
      sum += chances[i];
    }
    for (int i = 0; i < classes; i++) {
      chances[i] /= sum;
    }
  }

  private static int region(int cell) {
    return cell / GRID * REGIONS / GRID * REGIONS + cell % GRID * REGIONS / GRID;
  }

  private int mostLikely() {
    int best = 0;
    for (int i = 1; i < classes; i++) {
      best = chances[i] > chances[best] ? i : best;
    }
    return best;
  }

  /** Adds this photograph's part to the slopes; turns chances and activations into theirs. */
  private void learn(int label) {
    chances[label] -= 1;
    Arrays.fill(meanSlopes, 0);
    scores.collect(means, 0, chances, 0, meanSlopes);
    for (int cell = 0; cell < CELLS; cell++) {
      int region = UNITS * region(cell);
      for (int unit = 0; unit < UNITS; unit++) {
        int at = UNITS * cell + unit;
        active[at] = active[at] > 0 ? meanSlopes[region + unit] / CELLS_OF_REGION : 0;
      }
      units.collect(pixels, CHANNELS * cell, active, UNITS * cell, null);
    }
  }

  // ---- what is given ----------------------------------------------------------------------------

  private static int checkedCount(Tensor images, Tensor labels) {
    int count = checkedCount(images);
    if (labels.shape().rank() != 1 || labels.elements() != count) {
      throw new IllegalArgumentException(
          "PhotoClassifier: expected labels of shape [%d], as many as images, but got %s"
              .formatted(count, labels.shape()));
    }
    return count;
  }

  private static int checkedCount(Tensor images) {
    Shape shape = images.shape();
    boolean fits =
        shape.rank() == 4
            && shape.dim(0) > 0
            && shape.dim(1) >= GRID
            && shape.dim(2) >= GRID
            && shape.dim(3) == CHANNELS;
    if (!fits || (images.dtype() != DType.FLOAT32 && images.dtype() != DType.UINT8)) {
      throw new IllegalArgumentException(
          "PhotoClassifier: expected float32 or uint8 images [n, height, width, 3] of at least %d x %d, but got %s %s"
              .formatted(GRID, GRID, images.dtype(), shape));
    }
    return (int) shape.dim(0);
  }

  private int checkedLabel(long label) {
    if (label < 0 || label >= classes) {
      throw new IllegalArgumentException(
          "PhotoClassifier: expected labels from 0 to %d, but got %d"
              .formatted(classes - 1, label));
    }
    return (int) label;
  }

  /** Outputs that are weighted sums of the inputs, and a constant. */
  private static final class Layer {
    private final int inputs;
    private final int outputs;
    private final float[] weights; // of an output, one after the other; its constant comes last
    private final float[] slopes;
    private final float[] speeds;

    Layer(int inputs, int outputs, double spread, SplittableRandom random) {
      this.inputs = inputs;
      this.outputs = outputs;
      this.weights = new float[outputs * (inputs + 1)];
      this.slopes = new float[weights.length];
      this.speeds = new float[weights.length];
      for (int i = 0; i < weights.length; i++) {
        weights[i] = (float) (spread * random.nextGaussian() / Math.sqrt(inputs));
      }
    }

    void apply(float[] in, int from, float[] out, int to) {
      for (int output = 0; output < outputs; output++) {
        int row = output * (inputs + 1);
        float sum = weights[row + inputs];
        for (int input = 0; input < inputs; input++) {
          sum += weights[row + input] * in[from + input];
        }
        out[to + output] = sum;
      }
    }

    /** Adds to the weights' slopes, and, where asked, to those of the inputs. */
    void collect(float[] in, int from, float[] outSlopes, int to, float @Nullable [] inSlopes) {
      for (int output = 0; output < outputs; output++) {
        float slope = outSlopes[to + output];
        if (slope == 0) {
          continue;
        }
        int row = output * (inputs + 1);
        for (int input = 0; input < inputs; input++) {
          slopes[row + input] += slope * in[from + input];
          if (inSlopes != null) {
            inSlopes[input] += slope * weights[row + input];
          }
        }
        slopes[row + inputs] += slope;
      }
    }

    /** One step downhill, by the mean of the slopes that were collected. */
    void descend(int count) {
      for (int i = 0; i < weights.length; i++) {
        speeds[i] = MOMENTUM * speeds[i] - RATE * slopes[i] / count;
        weights[i] += speeds[i];
        slopes[i] = 0;
      }
    }
  }
}
