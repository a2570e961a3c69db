package dev.headrace.data;

import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * How an element is taken apart into tensors, its leaves, and put together again.
 *
 * <p>Structures are: a {@link Tensor}; a record whose components are structures; a {@code
 * Map<String, …>} and a {@code List<…>} of structures. Maps come back unmodifiable with their keys
 * in the sample's order (sorted, if the sample's class has none), lists as {@link List#of}.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param <T> the type of the elements
 */
public abstract sealed class Structure<T> {
  private final int leafCount;

  private Structure(int leafCount) {
    this.leafCount = leafCount;
  }

  /** The structure of {@code sample}. Fails, naming the part, if it is none. */
  public static <T> Structure<T> of(T sample) {
    return find(sample).orElseThrow(() -> notAStructure(sample));
  }

  private static IllegalArgumentException notAStructure(Object sample) {
    if (sample instanceof Record record) {
      RecordClass.of(record.getClass()).checkReadable();
    }
    return new IllegalArgumentException(
        "Structure.of: expected a Tensor, or a record, Map<String, …> or List of structures, but"
            + " got "
            + sample.getClass().getTypeName()
            + "; for other types give batch() a Collator");
  }

  /** The structure of {@code sample}, or empty if it is none, as a Long, an array or a POJO. */
  @SuppressWarnings("unchecked") // by construction: lists and maps are used as their interfaces
  public static <T> Optional<Structure<T>> find(T sample) {
    return Optional.ofNullable((Structure<T>) derive(sample));
  }

  /**
   * Lets Headrace read a record of a closed package through the caller's own lookup.
   *
   * @param lookup a full-power lookup: {@code MethodHandles.lookup()} inside the record's module
   */
  public static void register(MethodHandles.Lookup lookup, Class<? extends Record> type) {
    RecordClass.register(lookup, type);
  }

  static @Nullable Structure<?> derive(@Nullable Object sample) {
    return switch (sample) {
      case null -> null;
      case Tensor _ -> Leaf.INSTANCE;
      case Record record -> deriveRecord(record);
      case Map<?, ?> map -> deriveMap(map);
      case List<?> list -> deriveList(list);
      default -> null;
    };
  }

  private static @Nullable Structure<?> deriveRecord(Record record) {
    RecordClass type = RecordClass.of(record.getClass());
    if (type.ofTensors() != null) {
      return type.ofTensors();
    }
    if (!type.mayBeStructure() || !type.isReadable()) {
      return null;
    }
    List<Structure<?>> parts = deriveAll(Arrays.asList(type.components(record)));
    return parts == null ? null : new OfRecord<>(type, parts);
  }

  private static @Nullable Structure<?> deriveMap(Map<?, ?> map) {
    for (Object key : map.keySet()) {
      if (!(key instanceof String)) {
        return null;
      }
    }
    Map<?, ?> ordered = map instanceof SequencedMap<?, ?> ? map : new TreeMap<>(map);
    List<Structure<?>> parts = deriveAll(ordered.values());
    return parts == null ? null : new OfMap(keys(ordered), parts);
  }

  private static List<String> keys(Map<?, ?> map) {
    return map.keySet().stream().map(String.class::cast).toList();
  }

  private static @Nullable Structure<?> deriveList(List<?> list) {
    List<Structure<?>> parts = deriveAll(list);
    return parts == null ? null : new OfList(parts);
  }

  /** The structures of all values, or null if there is no value, or one that is no structure. */
  private static @Nullable List<Structure<?>> deriveAll(Iterable<?> values) {
    List<Structure<?>> parts = new ArrayList<>();
    for (Object value : values) {
      Structure<?> part = derive(value);
      if (part == null) {
        return null;
      }
      parts.add(part);
    }
    return parts.isEmpty() ? null : List.copyOf(parts);
  }

  /** The number of tensors in an element. */
  public final int leafCount() {
    return leafCount;
  }

  /** The tensors of {@code value}, in a new array. */
  public Tensor[] leaves(T value) {
    Tensor[] leaves = new Tensor[leafCount];
    takeApart(value, leaves, 0);
    return leaves;
  }

  /** Tensor {@code index} of {@code value}. */
  public Tensor leaf(T value, int index) {
    return leaves(value)[checkLeaf(index)];
  }

  /** The element of these tensors. */
  public T build(Tensor[] leaves) {
    if (leaves.length != leafCount) {
      throw new IllegalArgumentException(
          "%s: expected %d %s, but got %d"
              .formatted(this, leafCount, Plural.word(leafCount, "leaf"), leaves.length));
    }
    return build(leaves, 0);
  }

  /**
   * The name of a leaf: {@code image}, {@code meta.label}, {@code [0]}; empty for a bare tensor.
   */
  public final String leafName(int index) {
    String name = nameOf(checkLeaf(index));
    return name.startsWith(".") ? name.substring(1) : name;
  }

  /** Whether {@code value} has this structure: the same classes, keys and lengths. */
  public abstract boolean matches(@Nullable Object value);

  /** Writes the leaves of {@code value} to {@code into} from {@code at} on. */
  abstract void takeApart(Object value, Tensor[] into, int at);

  abstract T build(Tensor[] leaves, int from);

  /** The path to a leaf, each part with the sign before it: {@code .meta.label}, {@code [0]}. */
  abstract String nameOf(int index);

  /** The structure with {@code leaf} in the place of each leaf, from number {@code first} on. */
  abstract String render(IntFunction<String> leaf, int first);

  private int checkLeaf(int index) {
    if (index < 0 || index >= leafCount) {
      throw new IndexOutOfBoundsException(
          "%s: expected a leaf below %d, but got %d".formatted(this, leafCount, index));
    }
    return index;
  }

  @Override
  public String toString() {
    return render(_ -> "Tensor", 0);
  }

  private static IllegalArgumentException mismatch(Structure<?> expected, @Nullable Object value) {
    String got = value == null ? "null" : String.valueOf(derive(value));
    return new IllegalArgumentException(
        "structure: expected "
            + expected
            + ", but got "
            + (got.equals("null") && value != null ? value.getClass().getTypeName() : got)
            + "; every element of a dataset must have the structure of the first");
  }

  /** A bare tensor. */
  static final class Leaf extends Structure<Tensor> {
    static final Leaf INSTANCE = new Leaf();

    private Leaf() {
      super(1);
    }

    @Override
    public boolean matches(@Nullable Object value) {
      return value instanceof Tensor;
    }

    @Override
    void takeApart(Object value, Tensor[] into, int at) {
      if (!(value instanceof Tensor tensor)) {
        throw mismatch(this, value);
      }
      into[at] = tensor;
    }

    @Override
    Tensor build(Tensor[] leaves, int from) {
      return leaves[from];
    }

    @Override
    String nameOf(int index) {
      return "";
    }

    @Override
    String render(IntFunction<String> leaf, int first) {
      return leaf.apply(first);
    }
  }

  /** Parts in order, each with a range of the leaves. */
  abstract static sealed class Compound<T> extends Structure<T> {
    final List<Structure<?>> parts;
    private final int[] starts;

    Compound(List<Structure<?>> parts) {
      super(parts.stream().mapToInt(Structure::leafCount).sum());
      this.parts = parts;
      this.starts = new int[parts.size()];
      for (int i = 1; i < starts.length; i++) {
        starts[i] = starts[i - 1] + parts.get(i - 1).leafCount();
      }
    }

    abstract String label(int part);

    final void takeApart(int part, @Nullable Object value, Tensor[] into, int at) {
      if (value == null) {
        throw new IllegalArgumentException(
            this + label(part) + ": expected a value, but got null; leave no component empty");
      }
      parts.get(part).takeApart(value, into, at + starts[part]);
    }

    final Object build(int part, Tensor[] leaves, int from) {
      Object built = parts.get(part).build(leaves, from + starts[part]);
      if (built == null) {
        throw new AssertionError("a structure built null");
      }
      return built;
    }

    @Override
    final String nameOf(int index) {
      int part = parts.size() - 1;
      while (starts[part] > index) {
        part--;
      }
      return label(part) + parts.get(part).nameOf(index - starts[part]);
    }

    final String renderPart(int part, IntFunction<String> leaf, int first) {
      return parts.get(part).render(leaf, first + starts[part]);
    }

    @Override
    public int hashCode() {
      return parts.hashCode();
    }
  }

  /** A record. */
  static final class OfRecord<R> extends Compound<R> {
    private final RecordClass type;

    OfRecord(RecordClass type, List<Structure<?>> parts) {
      super(parts);
      this.type = type;
    }

    @Override
    public Tensor[] leaves(R value) {
      if (type.isOfTensors() && type.isInstance(value)) {
        return type.tensors(value);
      }
      return super.leaves(value);
    }

    @Override
    public R build(Tensor[] leaves) {
      if (type.isOfTensors() && leaves.length == leafCount()) {
        return cast(type.ofTensors(leaves));
      }
      return super.build(leaves);
    }

    @Override
    public boolean matches(@Nullable Object value) {
      if (value == null || !type.isInstance(value)) {
        return false;
      }
      return type.isOfTensors() || allMatch(type.components(value));
    }

    private boolean allMatch(@Nullable Object[] components) {
      for (int i = 0; i < components.length; i++) {
        if (!parts.get(i).matches(components[i])) {
          return false;
        }
      }
      return true;
    }

    @Override
    void takeApart(Object value, Tensor[] into, int at) {
      if (!type.isInstance(value)) {
        throw mismatch(this, value);
      }
      @Nullable Object[] components = type.components(value);
      for (int i = 0; i < components.length; i++) {
        takeApart(i, components[i], into, at);
      }
    }

    @Override
    R build(Tensor[] leaves, int from) {
      Object[] components = new Object[parts.size()];
      for (int i = 0; i < components.length; i++) {
        components[i] = build(i, leaves, from);
      }
      return cast(type.build(components));
    }

    @SuppressWarnings("unchecked") // R is the record class that type stands for
    private R cast(Object record) {
      return (R) record;
    }

    @Override
    String label(int part) {
      return "." + type.name(part);
    }

    @Override
    String render(IntFunction<String> leaf, int first) {
      StringJoiner text = new StringJoiner(", ", type.simpleName() + "(", ")");
      for (int i = 0; i < parts.size(); i++) {
        text.add(type.name(i) + ": " + renderPart(i, leaf, first));
      }
      return text.toString();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof OfRecord<?> that
          && type.equals(that.type)
          && parts.equals(that.parts);
    }

    @Override
    public int hashCode() {
      return 31 * type.hashCode() + super.hashCode();
    }
  }

  /** A map with string keys. */
  static final class OfMap extends Compound<Map<String, Object>> {
    private final List<String> keys;

    OfMap(List<String> keys, List<Structure<?>> parts) {
      super(parts);
      this.keys = keys;
    }

    @Override
    public boolean matches(@Nullable Object value) {
      if (!(value instanceof Map<?, ?> map) || map.size() != keys.size()) {
        return false;
      }
      for (int i = 0; i < keys.size(); i++) {
        if (!parts.get(i).matches(map.get(keys.get(i)))) {
          return false;
        }
      }
      return true;
    }

    @Override
    void takeApart(Object value, Tensor[] into, int at) {
      if (!(value instanceof Map<?, ?> map) || map.size() != keys.size()) {
        throw mismatch(this, value);
      }
      for (int i = 0; i < keys.size(); i++) {
        takeApart(i, map.get(keys.get(i)), into, at);
      }
    }

    @Override
    Map<String, Object> build(Tensor[] leaves, int from) {
      SequencedMap<String, Object> map = LinkedHashMap.newLinkedHashMap(keys.size());
      for (int i = 0; i < keys.size(); i++) {
        map.put(keys.get(i), build(i, leaves, from));
      }
      return Collections.unmodifiableSequencedMap(map);
    }

    @Override
    String label(int part) {
      return "." + keys.get(part);
    }

    @Override
    String render(IntFunction<String> leaf, int first) {
      StringJoiner text = new StringJoiner(", ", "{", "}");
      for (int i = 0; i < parts.size(); i++) {
        text.add(keys.get(i) + ": " + renderPart(i, leaf, first));
      }
      return text.toString();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof OfMap that && keys.equals(that.keys) && parts.equals(that.parts);
    }

    @Override
    public int hashCode() {
      return 31 * keys.hashCode() + super.hashCode();
    }
  }

  /** A list of fixed length. */
  static final class OfList extends Compound<List<Object>> {
    OfList(List<Structure<?>> parts) {
      super(parts);
    }

    @Override
    public boolean matches(@Nullable Object value) {
      if (!(value instanceof List<?> list) || list.size() != parts.size()) {
        return false;
      }
      for (int i = 0; i < parts.size(); i++) {
        if (!parts.get(i).matches(list.get(i))) {
          return false;
        }
      }
      return true;
    }

    @Override
    void takeApart(Object value, Tensor[] into, int at) {
      if (!(value instanceof List<?> list) || list.size() != parts.size()) {
        throw mismatch(this, value);
      }
      for (int i = 0; i < parts.size(); i++) {
        takeApart(i, list.get(i), into, at);
      }
    }

    @Override
    List<Object> build(Tensor[] leaves, int from) {
      Object[] values = new Object[parts.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = build(i, leaves, from);
      }
      return List.of(values);
    }

    @Override
    String label(int part) {
      return "[" + part + "]";
    }

    @Override
    String render(IntFunction<String> leaf, int first) {
      StringJoiner text = new StringJoiner(", ", "(", ")");
      for (int i = 0; i < parts.size(); i++) {
        text.add(renderPart(i, leaf, first));
      }
      return text.toString();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof OfList that && parts.equals(that.parts);
    }

    @Override
    public int hashCode() {
      return super.hashCode();
    }
  }
}
