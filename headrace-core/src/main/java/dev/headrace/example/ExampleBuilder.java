package dev.headrace.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.RecordValues;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes a {@code tf.train.Example}: the same features in the same order give the same bytes.
 *
 * <p><b>Threading:</b> of one thread.
 */
public final class ExampleBuilder {
  private final FeatureBytes features = new FeatureBytes();
  private final Set<String> keys = new LinkedHashSet<>();

  ExampleBuilder() {}

  /** Adds an {@code int64_list}. */
  public ExampleBuilder int64(String key, long... values) {
    return add(key, FeatureBytes.int64s(values));
  }

  /** Adds a {@code float_list}. */
  public ExampleBuilder floats(String key, float... values) {
    return add(key, FeatureBytes.floats(values));
  }

  /** Adds a {@code bytes_list}. */
  public ExampleBuilder bytes(String key, byte[]... values) {
    return add(key, FeatureBytes.strings(values));
  }

  /** Adds a {@code bytes_list} of texts as UTF-8. */
  public ExampleBuilder strings(String key, String... values) {
    return bytes(
        key, Arrays.stream(values).map(value -> value.getBytes(UTF_8)).toArray(byte[][]::new));
  }

  /** Adds the elements of a tensor of integers, floats or byte strings; its shape is not kept. */
  public ExampleBuilder tensor(String key, Tensor tensor) {
    if (tensor.dtype().isInteger()) {
      return int64(key, tensor.toLongArray());
    }
    if (tensor.dtype().isFloating()) {
      return floats(key, tensor.toFloatArray());
    }
    if (tensor.dtype().isFixedSize()) {
      throw new IllegalArgumentException(
          "Example: expected integers, floats or byte strings for '%s', but got %s"
              .formatted(key, tensor.describe()));
    }
    byte[][] strings = new byte[Math.toIntExact(tensor.elements())][];
    Arrays.setAll(strings, tensor::bytesAt);
    return bytes(key, strings);
  }

  /** Adds the components of a record, under their names. */
  ExampleBuilder all(Record record) {
    RecordComponent[] components = record.getClass().getRecordComponents();
    List<@Nullable Object> values = RecordValues.of(record);
    if (values.size() != components.length) {
      throw new IllegalArgumentException(
          "Example.of: expected to read the components of %s, but its module keeps it closed"
              .formatted(record.getClass().getName()));
    }
    for (int i = 0; i < components.length; i++) {
      value(components[i].getName(), values.get(i));
    }
    return this;
  }

  private void value(String key, @Nullable Object value) {
    ExampleBuilder _ =
        switch (value) {
          case null -> this; // a feature that is missing
          case Long number -> int64(key, number);
          case Integer number -> int64(key, number);
          case Boolean flag -> int64(key, flag ? 1 : 0);
          case Float number -> floats(key, number);
          case Double number -> floats(key, number.floatValue());
          case String text -> strings(key, text);
          case byte[] bytes -> bytes(key, bytes);
          case long[] numbers -> int64(key, numbers);
          case int[] numbers -> int64(key, Arrays.stream(numbers).asLongStream().toArray());
          case float[] numbers -> floats(key, numbers);
          case String[] texts -> strings(key, texts);
          case byte[][] strings -> bytes(key, strings);
          case Tensor tensor -> tensor(key, tensor);
          default ->
              throw new IllegalArgumentException(
                  "Example.of: expected numbers, texts, bytes, arrays of them or tensors, but component %s is a %s"
                      .formatted(key, value.getClass().getName()));
        };
  }

  private ExampleBuilder add(String key, FeatureBytes feature) {
    if (!keys.add(key)) {
      throw new IllegalArgumentException(
          "Example: expected each key once, but got '" + key + "' twice");
    }
    features.entry(key, feature);
    return this;
  }

  /** The map of features, to be put into another message. */
  FeatureBytes features() {
    return features;
  }

  /** The serialised example. */
  public byte[] toBytes() {
    FeatureBytes example = new FeatureBytes();
    if (!keys.isEmpty()) {
      example.delimited(1, features);
    }
    return example.toArray();
  }

  /** The serialised example as an element: a single byte string. */
  public Tensor build() {
    return Tensor.wrapStrings(Shape.scalar(), toBytes());
  }
}
