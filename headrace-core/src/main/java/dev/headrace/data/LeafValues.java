package dev.headrace.data;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Values that can be seen as tensors: numbers, booleans, texts and arrays of them, and records,
 * maps and lists of such values.
 *
 * <p>A record that declares an {@code int} cannot hold a tensor in its place. So what is made of
 * such records is a map from the names of their components.
 */
public final class LeafValues {
  private static final String EXPECTED =
      "a Tensor, a number, boolean or text, an array of them, or a record, Map<String, …> or List";

  private LeafValues() {}

  /** A scalar or array as a tensor; null if it is something else. */
  public static @Nullable Tensor tensorOf(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Tensor tensor -> tensor;
      case Long number -> Tensor.scalar(number);
      case Integer number -> Tensor.scalar(number);
      case Short number -> Tensor.wrap(Shape.scalar(), new short[] {number});
      case Byte number ->
          Tensor.wrap(DType.INT8, Shape.scalar(), MemorySegment.ofArray(new byte[] {number}));
      case Float number -> Tensor.scalar(number);
      case Double number -> Tensor.scalar(number);
      case Boolean flag -> Tensor.scalar(flag);
      case Character letter -> Tensor.scalar(String.valueOf(letter));
      case String text -> Tensor.scalar(text);
      case byte[] bytes -> Tensor.scalar(bytes);
      case long[] numbers -> Tensor.of(numbers);
      case int[] numbers -> Tensor.of(numbers);
      case short[] numbers -> Tensor.wrap(Shape.of(numbers.length), numbers.clone());
      case float[] numbers -> Tensor.of(numbers);
      case double[] numbers -> Tensor.of(numbers);
      case boolean[] flags -> Tensor.of(flags);
      case String[] texts -> Tensor.ofStrings(texts);
      default -> null;
    };
  }

  /**
   * An element with a tensor in the place of each value: itself, if it is a structure of tensors,
   * and a map for a record that is none.
   *
   * @param word the operator, for messages
   * @param otherwise what to do about elements that have other parts
   * @throws IllegalArgumentException naming the part that is none of these
   */
  public static Object asTensors(Object element, String word, String otherwise) {
    return Structure.find(element).isPresent()
        ? element
        : new Seen(word, otherwise).asTensors(element, "");
  }

  /** Sees the parts of an element. */
  private record Seen(String word, String otherwise) {
    Object asTensors(@Nullable Object value, String name) {
      Tensor tensor = tensorOf(value);
      if (tensor != null) {
        return tensor;
      }
      return switch (value) {
        case Record record -> ofRecord(record, name);
        case Map<?, ?> map when !map.isEmpty() -> ofMap(map, name);
        case List<?> list when !list.isEmpty() -> ofList(list, name);
        case null, default -> throw noLeaf(value, name);
      };
    }

    private Map<String, Object> ofRecord(Record record, String name) {
      RecordClass type = RecordClass.of(record.getClass());
      type.checkReadable();
      if (type.size() == 0) {
        throw noLeaf(record, name);
      }
      @Nullable Object[] components = type.components(record);
      SequencedMap<String, Object> map = LinkedHashMap.newLinkedHashMap(components.length);
      for (int i = 0; i < components.length; i++) {
        String of = name.isEmpty() ? type.simpleName() : name;
        map.put(type.name(i), asTensors(components[i], of + "." + type.name(i)));
      }
      return map;
    }

    private Map<String, Object> ofMap(Map<?, ?> map, String name) {
      for (Object key : map.keySet()) {
        if (!(key instanceof String)) {
          throw noLeaf(map, name);
        }
      }
      SequencedMap<String, Object> seen = LinkedHashMap.newLinkedHashMap(map.size());
      (map instanceof SequencedMap<?, ?> ? map : new TreeMap<>(map))
          .forEach(
              (key, value) -> seen.put((String) key, asTensors(value, name + "['" + key + "']")));
      return seen;
    }

    private List<Object> ofList(List<?> list, String name) {
      List<Object> seen = new ArrayList<>(list.size());
      for (int i = 0; i < list.size(); i++) {
        seen.add(asTensors(list.get(i), name + "[" + i + "]"));
      }
      return seen;
    }

    private IllegalArgumentException noLeaf(@Nullable Object value, String name) {
      String got =
          value == null
              ? "null"
              : value instanceof Map<?, ?> map && !map.isEmpty()
                  ? "a map whose keys are not all texts"
                  : value.getClass().getTypeName();
      return new IllegalArgumentException(
          "%s: expected %s of them, but %s; %s"
              .formatted(
                  word, EXPECTED, name.isEmpty() ? "got " + got : name + " is " + got, otherwise));
    }
  }
}
