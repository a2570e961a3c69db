package dev.headrace.text;

import dev.headrace.data.DType;
import dev.headrace.data.RecordBuilder;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.text.JsonReader.Numeral;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Turns the values of JSON into those of Java, exactly or not at all. */
final class JsonValues {
  private JsonValues() {}

  /** A value as a component of this type. */
  static @Nullable Object as(Class<?> type, @Nullable Object value, String path) {
    if (value == null || value == JsonReader.NULL) {
      if (type.isPrimitive() || type == Tensor.class) {
        throw bad(path, "a value", value == null ? "none" : "null");
      }
      return null;
    }
    if (type == Tensor.class) {
      return tensor(null, value, path);
    }
    if (type == String.class && value instanceof String) {
      return value;
    }
    if ((type == boolean.class || type == Boolean.class) && value instanceof Boolean) {
      return value;
    }
    if (value instanceof Numeral numeral) {
      Object number = number(type, numeral, path);
      if (number != null) {
        return number;
      }
    }
    if (type.isRecord() && value instanceof Map<?, ?> map) {
      return record(type.asSubclass(Record.class), map, path);
    }
    if (type.isArray() && value instanceof List<?> items) {
      Object array = Array.newInstance(type.getComponentType(), items.size());
      for (int i = 0; i < items.size(); i++) {
        Array.set(array, i, as(type.getComponentType(), items.get(i), path + "[" + i + "]"));
      }
      return array;
    }
    throw bad(path, type.getSimpleName(), kind(value));
  }

  private static @Nullable Object number(Class<?> type, Numeral numeral, String path) {
    try {
      if (type == long.class || type == Long.class) {
        return Long.parseLong(numeral.text());
      }
      if (type == int.class || type == Integer.class) {
        return Integer.parseInt(numeral.text());
      }
      if (type == double.class || type == Double.class) {
        double number = Double.parseDouble(numeral.text());
        return finite(number, Double.isInfinite(number), type, numeral, path);
      }
      if (type == float.class || type == Float.class) {
        float number = Float.parseFloat(numeral.text());
        return finite(number, Float.isInfinite(number), type, numeral, path);
      }
      return null;
    } catch (NumberFormatException e) {
      throw bad(path, type.getSimpleName(), numeral.text());
    }
  }

  /** JSON has no infinity: a number of that size does not fit. */
  private static Object finite(
      Object number, boolean isInfinite, Class<?> type, Numeral numeral, String path) {
    if (isInfinite) {
      throw bad(path, "a number that fits into " + type.getSimpleName(), numeral.text());
    }
    return number;
  }

  static <R extends Record> R record(Class<R> type, Map<?, ?> object, String path) {
    RecordBuilder<R> records = RecordBuilder.of(type);
    @SuppressWarnings("NullAway") // components of a reference type may be null
    Object[] components = new Object[records.size()];
    for (int i = 0; i < components.length; i++) {
      String name = records.name(i);
      components[i] = as(records.type(i), Names.find(object, name), inside(path, name));
    }
    return records.build(components);
  }

  /** Refuses components that no JSON fits. */
  static void check(Class<? extends Record> type, int depth) {
    RecordBuilder<?> records = RecordBuilder.of(type);
    Names.checkDiffer(
        IntStream.range(0, records.size()).mapToObj(records::name).toList(), type.getSimpleName());
    for (int i = 0; i < records.size(); i++) {
      Class<?> component = records.type(i);
      while (component.isArray()) {
        component = component.getComponentType();
      }
      boolean fits =
          component == Tensor.class
              || component == String.class
              || List.of(long.class, int.class, double.class, float.class, boolean.class)
                  .contains(component)
              || List.of(Long.class, Integer.class, Double.class, Float.class, Boolean.class)
                  .contains(component)
              || component.isRecord();
      if (!fits) {
        throw new IllegalArgumentException(
            "Json.parser: expected component %s of %s to be a number, boolean, String, Tensor, record or array of these, but it is %s"
                .formatted(records.name(i), type.getSimpleName(), records.type(i).getSimpleName()));
      }
      if (component.isRecord() && depth < 8) {
        check(component.asSubclass(Record.class), depth + 1);
      }
    }
  }

  /**
   * A number, text, boolean or array of them as a tensor; arrays of arrays must be rectangular.
   *
   * @param wanted the type, or null to take it from the values: int64, double, bool or string
   */
  static Tensor tensor(@Nullable DType wanted, Object value, String path) {
    List<Long> dims = new ArrayList<>();
    Object first = value;
    while (first instanceof List<?> items) {
      dims.add((long) items.size());
      first = items.isEmpty() ? null : items.getFirst();
    }
    List<Object> leaves = new ArrayList<>();
    flatten(value, dims, 0, leaves, path);
    DType dtype = wanted != null ? wanted : infer(leaves, path);
    Shape shape = Shape.of(dims.stream().mapToLong(Long::longValue).toArray());
    return filled(dtype, shape, leaves, path);
  }

  private static void flatten(
      Object value, List<Long> dims, int depth, List<Object> leaves, String path) {
    if (value instanceof List<?> items && depth < dims.size()) {
      if (items.size() != dims.get(depth)) {
        throw bad(path, "rows of one length, " + dims.get(depth), "one of " + items.size());
      }
      for (Object item : items) {
        flatten(Objects.requireNonNull(item), dims, depth + 1, leaves, path);
      }
    } else if (depth == dims.size() && !(value instanceof Map) && !(value instanceof List)) {
      leaves.add(value);
    } else {
      throw bad(path, "a value or a rectangular array of values", kind(value));
    }
  }

  private static DType infer(List<Object> leaves, String path) {
    boolean whole = true;
    Object sample = leaves.isEmpty() ? new Numeral("0") : leaves.getFirst();
    for (Object leaf : leaves) {
      whole &= leaf instanceof Numeral numeral && numeral.isWhole();
    }
    return switch (sample) {
      case Numeral _ -> whole && !leaves.isEmpty() ? DType.INT64 : DType.FLOAT64;
      case Boolean _ -> DType.BOOL;
      case String _ -> DType.STRING;
      default -> throw bad(path, "a number, text or boolean", kind(sample));
    };
  }

  private static Tensor filled(DType dtype, Shape shape, List<Object> leaves, String path) {
    int count = leaves.size();
    switch (dtype) {
      case STRING -> {
        byte[][] strings = new byte[count][];
        for (int i = 0; i < count; i++) {
          String text = (String) Objects.requireNonNull(as(String.class, leaves.get(i), path));
          strings[i] = text.getBytes(StandardCharsets.UTF_8);
        }
        return Tensor.wrapStrings(shape, strings);
      }
      case INT64 -> {
        long[] values = new long[count];
        for (int i = 0; i < count; i++) {
          values[i] = (Long) Objects.requireNonNull(as(long.class, leaves.get(i), path));
        }
        return Tensor.wrap(shape, values);
      }
      case INT32 -> {
        int[] values = new int[count];
        for (int i = 0; i < count; i++) {
          values[i] = (Integer) Objects.requireNonNull(as(int.class, leaves.get(i), path));
        }
        return Tensor.wrap(shape, values);
      }
      case FLOAT32 -> {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
          values[i] = (Float) Objects.requireNonNull(as(float.class, leaves.get(i), path));
        }
        return Tensor.wrap(shape, values);
      }
      case FLOAT64 -> {
        double[] values = new double[count];
        for (int i = 0; i < count; i++) {
          values[i] = (Double) Objects.requireNonNull(as(double.class, leaves.get(i), path));
        }
        return Tensor.wrap(shape, values);
      }
      default -> {
        boolean[] values = new boolean[count];
        for (int i = 0; i < count; i++) {
          values[i] = (Boolean) Objects.requireNonNull(as(boolean.class, leaves.get(i), path));
        }
        return Tensor.of(shape, values);
      }
    }
  }

  private static String inside(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private static String kind(Object value) {
    return switch (value) {
      case Map<?, ?> _ -> "an object";
      case List<?> _ -> "an array";
      case String text -> text.length() > 40 ? "a text" : "\"" + text + "\"";
      default -> value.toString();
    };
  }

  private static IllegalArgumentException bad(String path, String expected, String got) {
    return new IllegalArgumentException(
        "json: expected %s in '%s', but got %s".formatted(expected, path, got));
  }
}
