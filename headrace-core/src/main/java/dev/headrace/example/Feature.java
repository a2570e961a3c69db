package dev.headrace.example;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * One feature to be parsed: its key, its type, and the form its values are given in.
 *
 * <pre>{@code
 * Feature.int64("label")                              // one number, required
 * Feature.float32("box").shape(4).orElse(0, 0, 1, 1)  // four numbers, or these
 * Feature.int64("tokens").sequence()                  // any number of them; padded in batches
 * Feature.int64("ids").varLen()                       // a Sparse
 * Feature.int64("ids").ragged()                       // rows of unequal length
 * Feature.float32("weight").sparse(Shape.of(1000), "index")
 * }</pre>
 *
 * <p><b>Threading:</b> immutable.
 */
public final class Feature {
  /** How the values of a feature are given. */
  enum Form {
    FIXED,
    SEQUENCE,
    VAR_LEN,
    RAGGED,
    SPARSE
  }

  private final String name;
  private final String key;
  private final DType dtype;
  private final Form form;
  private final Shape shape;
  private final @Nullable Tensor fallback;
  private final List<String> indexKeys;
  private final boolean sorted;
  private final List<Partition> partitions;

  private Feature(
      String name,
      String key,
      DType dtype,
      Form form,
      Shape shape,
      @Nullable Tensor fallback,
      List<String> indexKeys,
      boolean sorted,
      List<Partition> partitions) {
    this.name = name;
    this.key = key;
    this.dtype = dtype;
    this.form = form;
    this.shape = shape;
    this.fallback = fallback;
    this.indexKeys = indexKeys;
    this.sorted = sorted;
    this.partitions = partitions;
  }

  private static Feature scalar(String key, DType dtype) {
    Objects.requireNonNull(key, "Feature: expected the key of a feature, but got null");
    return new Feature(
        key, key, dtype, Form.FIXED, Shape.scalar(), null, List.of(), false, List.of());
  }

  /** One number of an {@code int64_list}. */
  public static Feature int64(String key) {
    return scalar(key, DType.INT64);
  }

  /** One number of a {@code float_list}. */
  public static Feature float32(String key) {
    return scalar(key, DType.FLOAT32);
  }

  /** One byte string of a {@code bytes_list}. */
  public static Feature bytes(String key) {
    return scalar(key, DType.STRING);
  }

  /** As many values as this shape has; before {@link #sequence()}, the shape of one step. */
  public Feature shape(long... dims) {
    return shape(Shape.of(dims));
  }

  /** As many values as this shape has; before {@link #sequence()}, the shape of one step. */
  public Feature shape(Shape newShape) {
    if (form != Form.FIXED
        || !newShape.isFullyKnown()
        || newShape.elements() == 0
        || newShape.elements() > Integer.MAX_VALUE - Values.SLACK) {
      throw new IllegalArgumentException(
          "Feature '%s': expected a shape of 1 to 2^31 elements for a feature of fixed length, but got %s%s"
              .formatted(key, newShape, form == Form.FIXED ? "" : " for one that is " + form));
    }
    if (fallback != null) {
      throw new IllegalArgumentException(
          "Feature '%s': expected the shape before the default, but got it after; say shape(…).orElse(…)"
              .formatted(key));
    }
    return new Feature(name, key, dtype, form, newShape, null, indexKeys, sorted, partitions);
  }

  /**
   * What is taken where an example has no such feature: one value, or one for each element of the
   * shape. A {@link #sequence()} is padded with it in batches.
   */
  public Feature orElse(long... values) {
    if (dtype == DType.FLOAT32) {
      float[] floats = new float[values.length];
      for (int i = 0; i < floats.length; i++) {
        floats[i] = values[i];
      }
      return orElse(Tensor.of(floats));
    }
    return orElse(Tensor.of(values));
  }

  /** As {@link #orElse(long...)}, for a float feature. */
  public Feature orElse(double... values) {
    float[] floats = new float[values.length];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = (float) values[i];
    }
    return orElse(Tensor.of(floats));
  }

  /** As {@link #orElse(long...)}, for byte strings: these texts as UTF-8. */
  public Feature orElse(String... values) {
    return orElse(Tensor.ofStrings(values));
  }

  /** As {@link #orElse(long...)}, with the elements of a tensor. */
  public Feature orElse(Tensor values) {
    boolean fits = form == Form.FIXED || form == Form.SEQUENCE;
    long most = form == Form.SEQUENCE ? 1 : shape.elements();
    if (!fits || values.dtype() != dtype || (values.elements() != 1 && values.elements() != most)) {
      throw new IllegalArgumentException(
          "Feature '%s': expected a default of type %s with one element%s, but got %s%s"
              .formatted(
                  key,
                  dtype.tfName(),
                  most == 1 ? "" : ", or " + most,
                  values.describe(),
                  fits ? "" : "; a feature that is " + form + " has none"));
    }
    return new Feature(name, key, dtype, form, shape, values, indexKeys, sorted, partitions);
  }

  /**
   * Any number of values, none where the feature is missing: a tensor with a leading dimension. In
   * a batch shorter ones are padded, with zeros or with {@link #orElse(long...)}. TensorFlow's
   * {@code FixedLenSequenceFeature(allow_missing=True)}.
   */
  public Feature sequence() {
    if (fallback != null) {
      throw new IllegalArgumentException(
          "Feature '%s': expected sequence() before the default, but got it after".formatted(key));
    }
    return as(Form.SEQUENCE, shape, List.of(), List.of());
  }

  /** Any number of values as a {@link dev.headrace.data.Sparse}: {@code VarLenFeature}. */
  public Feature varLen() {
    return as(Form.VAR_LEN, Shape.scalar(), List.of(), List.of());
  }

  /**
   * Any number of values: a vector of one example, a {@link dev.headrace.data.Ragged} of a batch.
   * With partitions, outermost first, a {@link NestedRagged}: {@code RaggedFeature}.
   */
  public Feature ragged(Partition... newPartitions) {
    return as(Form.RAGGED, Shape.scalar(), List.of(), List.of(newPartitions));
  }

  /**
   * A {@link dev.headrace.data.Sparse} of this size, whose values are in this feature and whose
   * places are in others, one for each dimension: {@code SparseFeature}.
   */
  public Feature sparse(Shape size, String... newIndexKeys) {
    if (!size.isFullyKnown() || size.rank() == 0 || size.rank() != newIndexKeys.length) {
      throw new IllegalArgumentException(
          "Feature '%s': expected an index feature for each dimension, but got size %s and %s"
              .formatted(key, size, List.of(newIndexKeys)));
    }
    return as(Form.SPARSE, size, List.of(newIndexKeys), List.of());
  }

  private Feature as(Form newForm, Shape newShape, List<String> indices, List<Partition> parts) {
    if (form != Form.FIXED || (newForm != Form.SEQUENCE && shape.rank() != 0)) {
      throw new IllegalArgumentException(
          "Feature '%s': expected one form, but got %s of %s%s"
              .formatted(key, newForm, form, shape));
    }
    return new Feature(name, key, dtype, newForm, newShape, fallback, indices, sorted, parts);
  }

  /** Says that the places of a {@link #sparse} feature ascend, so that they are not sorted. */
  public Feature sorted() {
    return new Feature(name, key, dtype, form, shape, fallback, indexKeys, true, partitions);
  }

  /** The name under which the parsed feature is found, if it is not its key. */
  public Feature as(String newName) {
    Objects.requireNonNull(newName, "Feature.as: expected a name, but got null");
    return new Feature(newName, key, dtype, form, shape, fallback, indexKeys, sorted, partitions);
  }

  /** The name under which the parsed feature is found. */
  public String name() {
    return name;
  }

  /** The key of its values in an example. */
  public String key() {
    return key;
  }

  /** The type of its values: int64, float32 or string. */
  public DType dtype() {
    return dtype;
  }

  Form form() {
    return form;
  }

  /** The shape of one example's values, of one step of a sequence, or the size of the whole. */
  Shape shape() {
    return shape;
  }

  @Nullable Tensor fallback() {
    return fallback;
  }

  List<String> indexKeys() {
    return indexKeys;
  }

  boolean isSorted() {
    return sorted;
  }

  List<Partition> partitions() {
    return partitions;
  }

  /** Everything that shapes the result, as {@code label:int64[] = 0}; part of a plan's identity. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(name);
    if (!name.equals(key)) {
      text.append(" of ").append(key);
    }
    text.append(':').append(dtype.tfName()).append(shape);
    if (form != Form.FIXED) {
      text.append(' ').append(form);
    }
    if (!indexKeys.isEmpty()) {
      text.append(" at ").append(indexKeys).append(sorted ? " sorted" : "");
    }
    if (!partitions.isEmpty()) {
      text.append(' ').append(partitions);
    }
    Tensor tensor = fallback;
    if (tensor != null) {
      StringJoiner values = new StringJoiner(", ", " = ", "");
      for (long i = 0; i < tensor.elements(); i++) {
        values.add(
            dtype == DType.STRING
                ? '"' + tensor.stringAt(i) + '"'
                : dtype == DType.INT64
                    ? Long.toString(tensor.longAt(i))
                    : Float.toString(tensor.floatAt(i)));
      }
      text.append(values);
    }
    return text.toString();
  }
}
