package dev.headrace.data;

import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How tensors of unequal shapes are filled up to one shape, leaf by leaf.
 *
 * <p>Each dimension is filled up to the longest of the batch, or to a fixed length where a shape
 * says so; with 0, {@code false} or empty strings, or a value. A setting without a leaf's name is
 * for every leaf that has none of its own.
 *
 * <pre>{@code
 * Padding.zeros().shape("tokens", Shape.of(128)).value("tokens", -1)
 * }</pre>
 *
 * @param shapes by the name of the leaf, or "" for all; an unknown dimension is the longest
 * @param values by the name of the leaf, or "" for all: numbers, booleans or texts
 */
public record Padding(Map<String, Shape> shapes, Map<String, Object> values) {
  private static final String ALL = "";
  private static final Padding ZEROS = new Padding(Map.of(), Map.of());

  public Padding {
    values.forEach(Padding::checkValue);
    shapes = sorted(shapes);
    values = sorted(values);
  }

  /** Fills up to the longest of the batch, with zeros. */
  public static Padding zeros() {
    return ZEROS;
  }

  /** Fills every leaf up to this shape, whose unknown dimensions are the longest of the batch. */
  public Padding shape(Shape padded) {
    return shape(ALL, padded);
  }

  /** Fills one leaf up to this shape, whose unknown dimensions are the longest of the batch. */
  public Padding shape(String leaf, Shape padded) {
    return new Padding(with(shapes, leaf, Objects.requireNonNull(padded)), values);
  }

  /** Fills every leaf with a number, boolean or text, which must fit its type. */
  public Padding value(Object value) {
    return value(ALL, value);
  }

  /** Fills one leaf with a number, boolean or text, which must fit its type. */
  public Padding value(String leaf, Object value) {
    return new Padding(shapes, with(values, leaf, Objects.requireNonNull(value)));
  }

  /** The shape set for a leaf, or null where all its dimensions are the longest. */
  public @Nullable Shape shapeOf(String leaf) {
    Shape own = shapes.get(leaf);
    return own == null ? shapes.get(ALL) : own;
  }

  /** The value set for a leaf, as a scalar of its type; zero where none is set. */
  public Tensor valueOf(String leaf, DType dtype) {
    Object own = values.get(leaf);
    Object value = own == null ? values.get(ALL) : own;
    if (value == null) {
      return Tensor.zeros(dtype, Shape.scalar());
    }
    Tensor fitting = fitting(value, dtype);
    if (fitting == null) {
      throw new IllegalArgumentException(
          "padding: expected a value of type %s%s, but got %s %s"
              .formatted(
                  dtype.tfName(),
                  leaf.isEmpty() ? "" : " for '" + leaf + "'",
                  value.getClass().getSimpleName(),
                  value));
    }
    return fitting;
  }

  private static @Nullable Tensor fitting(Object value, DType dtype) {
    if (value instanceof String text) {
      return dtype == DType.STRING ? Tensor.scalar(text) : null;
    }
    if (value instanceof Boolean flag) {
      return dtype == DType.BOOL ? Tensor.scalar(flag) : null;
    }
    Number number = (Number) value;
    if (dtype.isFloating()) {
      return isWhole(number)
          ? Tensor.scalar(number.longValue()).convert(dtype)
          : Tensor.scalar(number.doubleValue()).convert(dtype);
    }
    if (!dtype.isInteger() || !isWhole(number)) {
      return null;
    }
    long whole = number.longValue();
    boolean fits = dtype == DType.UINT64 ? whole >= 0 : Elements.toInteger(whole, dtype) == whole;
    return fits ? Tensor.scalar(whole).convert(dtype) : null;
  }

  private static boolean isWhole(Number number) {
    return number instanceof Long
        || number instanceof Integer
        || number instanceof Short
        || number instanceof Byte;
  }

  private static void checkValue(String leaf, Object value) {
    boolean known =
        value instanceof String
            || value instanceof Boolean
            || value instanceof Float
            || value instanceof Double
            || (value instanceof Number number && isWhole(number));
    if (!known) {
      throw new IllegalArgumentException(
          "padding: expected a number, a boolean or a text%s, but got %s"
              .formatted(leaf.isEmpty() ? "" : " for '" + leaf + "'", value.getClass().getName()));
    }
  }

  private static <V> Map<String, V> with(Map<String, V> before, String leaf, V value) {
    Map<String, V> after = new TreeMap<>(before);
    after.put(leaf, value);
    return after;
  }

  /** Sorted, so that the text of equal paddings is equal. */
  private static <V> SortedMap<String, V> sorted(Map<String, V> map) {
    return Collections.unmodifiableSortedMap(new TreeMap<>(map));
  }

  /** As {@code tokens: [128] with -1}; only what was set. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    shapes.forEach((leaf, shape) -> part(text, leaf).append("to ").append(shape));
    values.forEach((leaf, value) -> part(text, leaf).append("with ").append(value));
    return text.toString();
  }

  private static StringBuilder part(StringBuilder text, String leaf) {
    text.append(text.isEmpty() ? "" : ", ");
    return leaf.isEmpty() ? text : text.append(leaf).append(' ');
  }
}
