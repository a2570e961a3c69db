package dev.headrace.example;

import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Fn;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code tf.train.SequenceExample}: features of the whole, the context, and lists of features, one
 * for each step.
 *
 * <pre>{@code
 * SequenceExample.parser(
 *     List.of(Feature.int64("label")),
 *     List.of(Feature.float32("frame").shape(128), Feature.int64("words").ragged()))
 * }</pre>
 */
public final class SequenceExample {
  private SequenceExample() {}

  /**
   * A function that parses one serialised example, or a vector of them at once; context and lists
   * are found by their names in one {@link Features}.
   *
   * <p>Of a list, a feature of fixed length must have as many values in every step, and becomes a
   * tensor [steps, …]; of a batch [n, most steps, …], padded with zeros, with the numbers of steps
   * beside it under its name and {@code .length}. With {@link Feature#varLen} it becomes a {@link
   * dev.headrace.data.Sparse}, with {@link Feature#ragged} a {@link dev.headrace.data.Ragged}, or
   * {@link NestedRagged} of a batch. A list that is missing has no steps if the feature is {@link
   * Feature#sequence()}, {@code varLen} or {@code ragged}, and is an error otherwise.
   */
  public static Fn<Tensor, Features> parser(List<Feature> context, List<Feature> lists) {
    return new SequenceParser(context, lists);
  }

  /** Writes a sequence example, features in the order in which they are added. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Writes a {@code tf.train.SequenceExample}.
   *
   * <p><b>Threading:</b> of one thread.
   */
  public static final class Builder {
    private final ExampleBuilder context = new ExampleBuilder();
    private final Map<String, FeatureBytes> lists = new LinkedHashMap<>();

    private Builder() {}

    /** The features of the whole. */
    public ExampleBuilder context() {
      return context;
    }

    /** Adds a step of an {@code int64_list} to a list. */
    public Builder int64Step(String key, long... values) {
      return step(key, FeatureBytes.int64s(values));
    }

    /** Adds a step of a {@code float_list} to a list. */
    public Builder floatStep(String key, float... values) {
      return step(key, FeatureBytes.floats(values));
    }

    /** Adds a step of a {@code bytes_list} to a list. */
    public Builder bytesStep(String key, byte[]... values) {
      return step(key, FeatureBytes.strings(values));
    }

    private Builder step(String key, FeatureBytes feature) {
      lists.computeIfAbsent(key, _ -> new FeatureBytes()).delimited(1, feature);
      return this;
    }

    /** The serialised example. */
    public byte[] toBytes() {
      FeatureBytes all = new FeatureBytes();
      all.delimited(1, context.features());
      FeatureBytes featureLists = new FeatureBytes();
      lists.forEach(featureLists::entry);
      all.delimited(2, featureLists);
      return all.toArray();
    }

    /** The serialised example as an element: a single byte string. */
    public Tensor build() {
      return Tensor.wrapStrings(Shape.scalar(), toBytes());
    }
  }
}
