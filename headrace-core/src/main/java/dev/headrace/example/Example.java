package dev.headrace.example;

import dev.headrace.data.Tensor;
import dev.headrace.spi.Fn;
import java.util.List;
import java.util.Set;

/**
 * {@code tf.train.Example}, TensorFlow's record of named features.
 *
 * <pre>{@code
 * records.map(Example.parser(Feature.bytes("image"), Feature.int64("label")), AUTOTUNE)
 *
 * Tensor record = Example.builder().bytes("image", jpeg).int64("label", 3).build();
 * }</pre>
 *
 * <p>What protobuf accepts is accepted, with the same values: lists packed or not, fields in any
 * order, unknown fields, merged messages; of a key that comes twice the last counts. A feature that
 * was not asked for is passed over unread. Errors name the feature and the byte.
 */
public final class Example {
  private Example() {}

  /**
   * A function that parses one serialised example, or a vector of them at once. A vector is faster:
   * batch first, then parse.
   */
  public static Fn<Tensor, Features> parser(Feature... features) {
    return new FeaturesParser(new ExampleParser(List.of(features), Set.of()));
  }

  /**
   * A function that parses serialised examples into records, whose components name the features;
   * {@code petal_length} stands for {@code petalLength}.
   *
   * <p>Components are {@code long}, {@code float}, {@code String} or {@code byte[]} for one value,
   * {@code long[]}, {@code float[]} or {@code String[]} for any number of them; or {@link Tensor},
   * {@link dev.headrace.data.Sparse}, {@link dev.headrace.data.Ragged} and {@link NestedRagged} as
   * {@code features} declares them, which also gives defaults. Records of those last types can be
   * parsed from a vector of examples at once.
   *
   * @param features what the types of components do not say, by the component's name
   */
  public static <R extends Record> Fn<Tensor, R> parser(Class<R> type, Feature... features) {
    return new RecordParser<>(type, List.of(features));
  }

  /** Writes an example, its features in the order in which they are added. */
  public static ExampleBuilder builder() {
    return new ExampleBuilder();
  }

  /**
   * The serialised example of a record: its components by their names, as {@link #parser(Class,
   * Feature...)} reads them back; int, double and boolean become long and float.
   */
  public static Tensor of(Record record) {
    return builder().all(record).build();
  }
}
