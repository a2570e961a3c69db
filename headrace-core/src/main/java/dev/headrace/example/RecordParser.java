package dev.headrace.example;

import dev.headrace.data.DType;
import dev.headrace.data.Ragged;
import dev.headrace.data.RecordBuilder;
import dev.headrace.data.Sparse;
import dev.headrace.data.Tensor;
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.spi.PureFn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses serialised examples into records of the user. */
final class RecordParser<R extends Record> implements PureFn<Tensor, R>, FunctionIdentity.Named {
  private static final long serialVersionUID = 1;
  private static final Set<Class<?>> PARSED =
      Set.of(Tensor.class, Sparse.class, Ragged.class, NestedRagged.class);

  private final transient RecordBuilder<R> records;
  private final transient ExampleParser parser;
  private final boolean takesBatches;

  RecordParser(Class<R> type, List<Feature> declared) {
    records = RecordBuilder.of(type);
    Map<String, Feature> byName = new HashMap<>();
    declared.forEach(feature -> byName.put(feature.name(), feature));
    List<Feature> features = new ArrayList<>();
    Set<String> loose = new HashSet<>();
    boolean onlyParsed = true;
    for (int i = 0; i < records.size(); i++) {
      Feature given = byName.remove(records.name(i));
      onlyParsed &= PARSED.contains(records.type(i));
      features.add(feature(records.name(i), records.type(i), given));
      if (given == null) {
        loose.add(records.name(i));
      }
    }
    if (!byName.isEmpty()) {
      throw new IllegalArgumentException(
          "Example.parser: expected features that are components of %s, but got %s"
              .formatted(type.getSimpleName(), byName.keySet()));
    }
    takesBatches = onlyParsed;
    parser = new ExampleParser(features, loose);
  }

  private Feature feature(String name, Class<?> type, @Nullable Feature given) {
    if (PARSED.contains(type)) {
      if (given == null) {
        throw bad(name, "declared, as it is a " + type.getSimpleName(), "it is not");
      }
      return given;
    }
    Feature own =
        type == long.class
            ? Feature.int64(name)
            : type == float.class
                ? Feature.float32(name)
                : type == String.class || type == byte[].class
                    ? Feature.bytes(name)
                    : type == long[].class
                        ? Feature.int64(name).ragged()
                        : type == float[].class
                            ? Feature.float32(name).ragged()
                            : type == String[].class ? Feature.bytes(name).ragged() : null;
    if (own == null) {
      throw bad(
          name,
          "long, float, String, byte[], long[], float[], String[], Tensor, Sparse or Ragged",
          "it is " + type.getSimpleName());
    }
    if (given == null) {
      return own;
    }
    boolean fits =
        given.dtype() == own.dtype()
            && (type.isArray() && type != byte[].class
                ? given.form() != Feature.Form.SPARSE && given.form() != Feature.Form.VAR_LEN
                : given.form() == Feature.Form.FIXED && given.shape().elements() == 1);
    if (!fits) {
      throw bad(name, type.getSimpleName() + " as it is", "it is declared as " + given);
    }
    return given;
  }

  private IllegalArgumentException bad(String name, String expected, String got) {
    return new IllegalArgumentException(
        "Example.parser: expected component %s of %s to be %s, but %s; declare it as in parser(%2$s.class, Feature.int64(\"%1$s\"))"
            .formatted(name, records.type().getSimpleName(), expected, got));
  }

  @Override
  public String functionName() {
    return "example(%s)%s".formatted(records.type().getName(), parser.features());
  }

  @Override
  public Object identity() {
    return List.of(records.type(), parser.features());
  }

  @Override
  public R apply(Tensor serialised) {
    if (!ExampleParser.isSingle("example", serialised) && !takesBatches) {
      throw new IllegalArgumentException(
          "example: expected one example for a %s, but got a batch of %d; declare its components as Tensors to parse batches"
              .formatted(records.type().getSimpleName(), serialised.elements()));
    }
    Object[] values = parser.parse(serialised);
    for (int i = 0; i < values.length; i++) {
      values[i] = component(i, values[i]);
    }
    return records.build(values);
  }

  private Object component(int index, Object value) {
    Class<?> type = records.type(index);
    if (type == value.getClass()) {
      return value;
    }
    if (!(value instanceof Tensor tensor) || PARSED.contains(type)) {
      throw new IllegalArgumentException(
          "example: expected component %s of %s to be a %s, but it is a %s; say so in its declaration"
              .formatted(
                  records.name(index),
                  records.type().getSimpleName(),
                  value.getClass().getSimpleName(),
                  type.getSimpleName()));
    }
    if (tensor.dtype() == DType.STRING) {
      return type == String.class
          ? tensor.stringValue()
          : type == byte[].class ? tensor.bytesValue() : tensor.toStrings();
    }
    if (tensor.dtype() == DType.INT64) {
      return type == long.class ? (Object) tensor.longValue() : tensor.toLongArray();
    }
    return type == float.class ? (Object) tensor.floatValue() : tensor.toFloatArray();
  }
}
