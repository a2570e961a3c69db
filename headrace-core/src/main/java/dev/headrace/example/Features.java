package dev.headrace.example;

import dev.headrace.data.DType;
import dev.headrace.data.Ragged;
import dev.headrace.data.Raw;
import dev.headrace.data.Shape;
import dev.headrace.data.Sparse;
import dev.headrace.data.Tensor;
import java.util.Map;

/**
 * The parsed features of one example, or of a batch of examples, by name.
 *
 * <p>A structure: it can be batched, cached, saved and loaded.
 *
 * @param values tensors, or {@link Sparse}, {@link Ragged} and {@link NestedRagged}, in the order
 *     in which the features were asked for; must not change any more
 */
public record Features(Map<String, Object> values) {

  /** The feature of this name, of fixed length or a sequence. */
  public Tensor tensor(String name) {
    return find(name, Tensor.class, "tensor");
  }

  /** The byte string, or byte strings, of this name, not copied. */
  public Tensor bytes(String name) {
    Tensor tensor = tensor(name);
    if (tensor.dtype() != DType.STRING) {
      throw new IllegalArgumentException(
          "bytes: expected '%s' to hold byte strings, but it is %s; use tensor(…)"
              .formatted(name, tensor.describe()));
    }
    return tensor;
  }

  /** The feature of this name, asked for with {@link Feature#varLen} or {@link Feature#sparse}. */
  public Sparse sparse(String name) {
    return find(name, Sparse.class, "sparse");
  }

  /** The feature of this name, asked for with {@link Feature#ragged}, of a batch. */
  public Ragged ragged(String name) {
    return find(name, Ragged.class, "ragged");
  }

  /** The feature of this name, asked for with {@link Feature#ragged} and partitions. */
  public NestedRagged nestedRagged(String name) {
    return find(name, NestedRagged.class, "nestedRagged");
  }

  /** The bytes of a feature as little-endian numbers, see {@link Raw#decode(Tensor, DType)}. */
  public Tensor decodeRaw(String name, DType dtype) {
    return Raw.decode(bytes(name), dtype);
  }

  /** The bytes of a feature as little-endian numbers of this shape. */
  public Tensor decodeRaw(String name, DType dtype, Shape shape) {
    return Raw.decode(bytes(name), dtype, shape);
  }

  private <T> T find(String name, Class<T> type, String method) {
    Object value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "%s: expected one of the features %s, but got '%s'"
              .formatted(method, values.keySet(), name));
    }
    if (!type.isInstance(value)) {
      throw new IllegalArgumentException(
          "%s: expected '%s' to be a %s, but it is a %s"
              .formatted(method, name, type.getSimpleName(), value.getClass().getSimpleName()));
    }
    return type.cast(value);
  }
}
