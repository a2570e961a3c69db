package dev.headrace.data;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Elements as bytes: structures, and the plain values of Java (numbers, booleans, texts, byte
 * arrays, arrays of numbers, paths), and records, maps and lists of all of these. Equal elements
 * have equal bytes: maps without an order of their own are written by their keys.
 *
 * <p>What is read is treated as hostile: lengths and depth are bounded by what is there. No class
 * is loaded from a name: a record is read as one of the classes this codec was told of ({@link
 * #learn}), and refused otherwise.
 *
 * <p><b>Threading:</b> safe.
 */
public final class ElementCodec {
  private static final int LONG = 1;
  private static final int INT = 2;
  private static final int DOUBLE = 3;
  private static final int FLOAT = 4;
  private static final int BOOLEAN = 5;
  private static final int TEXT = 6;
  private static final int BYTES = 7;
  private static final int TENSOR = 8;
  private static final int LIST = 9;
  private static final int MAP = 10;
  private static final int RECORD = 11;
  private static final int PATH = 12;
  private static final int LONGS = 13;
  private static final int INTS = 14;
  private static final int FLOATS = 15;
  private static final int DOUBLES = 16;
  private static final int NULL = 17;
  private static final int BYTE = 18;
  private static final int SHORT = 19;
  private static final int CHAR = 20;
  private static final int ENUM = 21;
  private static final int BOOLEANS = 22;
  private static final int ARRAY_LIST = 23;
  private static final int ANY_MAP = 24;
  private static final int FIRST_EXACT = NULL; // from here on only where elements come back exactly
  private static final int DEEPEST = 500;
  private static final int PIECE_BYTES = 1 << 16;

  /** The maps that an exact codec gives back as they were, by how they are made again. */
  private enum MapKind {
    UNMODIFIABLE(Map.of(), Map.of(1, 1), Collections.unmodifiableMap(Map.of())) {
      @Override
      Map<Object, @Nullable Object> of(LinkedHashMap<Object, @Nullable Object> entries) {
        return Collections.unmodifiableMap(entries);
      }
    },
    UNMODIFIABLE_IN_SEQUENCE(Collections.unmodifiableSequencedMap(new LinkedHashMap<>())) {
      @Override
      Map<Object, @Nullable Object> of(LinkedHashMap<Object, @Nullable Object> entries) {
        return Collections.unmodifiableSequencedMap(entries);
      }
    },
    IN_SEQUENCE(new LinkedHashMap<>()) {
      @Override
      Map<Object, @Nullable Object> of(LinkedHashMap<Object, @Nullable Object> entries) {
        return entries;
      }
    },
    HASHED(new HashMap<>()) {
      @Override
      Map<Object, @Nullable Object> of(LinkedHashMap<Object, @Nullable Object> entries) {
        // The order depends on the size of the table, which is most often the one it grows to.
        HashMap<Object, @Nullable Object> map = new HashMap<>();
        entries.forEach(map::put);
        for (int size = 2; !isInOrder(map, entries) && size <= LARGEST_TABLE; size *= 2) {
          map = new HashMap<>(size);
          entries.forEach(map::put);
        }
        return map;
      }
    },
    SORTED(new TreeMap<>()) {
      @Override
      Map<Object, @Nullable Object> of(LinkedHashMap<Object, @Nullable Object> entries) {
        return new TreeMap<>(entries);
      }
    };

    private final Set<Class<?>> classes;

    MapKind(Map<?, ?>... examples) {
      Set<Class<?>> all = new HashSet<>();
      for (Map<?, ?> example : examples) {
        all.add(example.getClass());
      }
      classes = Set.copyOf(all);
    }

    private static final int LARGEST_TABLE = 1 << 12;

    private static boolean isInOrder(Map<?, ?> map, Map<?, ?> entries) {
      Iterator<?> expected = entries.keySet().iterator();
      for (Object key : map.keySet()) {
        if (!expected.hasNext() || key != expected.next()) {
          return false;
        }
      }
      return true;
    }

    abstract Map<Object, @Nullable Object> of(LinkedHashMap<Object, @Nullable Object> entries);

    static @Nullable MapKind find(Map<?, ?> map) {
      for (MapKind kind : values()) {
        if (kind.classes.contains(map.getClass())) {
          boolean isInOrderOfItsOwn =
              map instanceof TreeMap<?, ?> sorted && sorted.comparator() != null;
          return isInOrderOfItsOwn ? null : kind;
        }
      }
      return null;
    }
  }

  /** The lists that come back as lists that cannot be changed. */
  private static final Set<Class<?>> UNMODIFIABLE_LISTS =
      Set.of(
          List.of().getClass(),
          List.of(1).getClass(),
          Collections.emptyList().getClass(),
          Collections.singletonList(1).getClass(),
          Collections.nCopies(1, 1).getClass(),
          Collections.unmodifiableList(new ArrayList<>()).getClass());

  private final Map<String, Class<?>> records = new ConcurrentHashMap<>();

  /** The classes of records that were written, where they must come back as they were. */
  private final Set<Class<?>> written = ConcurrentHashMap.newKeySet();

  private final boolean isExact;

  public ElementCodec() {
    this(false);
  }

  private ElementCodec(boolean isExact) {
    this.isExact = isExact;
  }

  /**
   * A codec whose elements come back as objects of the classes they were, maps in the same order,
   * and that refuses all others. It writes a little more than a usual one does: null within
   * elements, enums, small numbers, maps by any key.
   */
  public static ElementCodec exact() {
    return new ElementCodec(true);
  }

  /** Tells of the record classes in {@code sample}, so that such elements can be read. */
  public ElementCodec learn(@Nullable Object sample) {
    switch (sample) {
      case null -> {}
      case Record record -> {
        learnClass(record.getClass());
        for (Object part : RecordClass.of(record.getClass()).components(record)) {
          learn(part);
        }
      }
      case Map<?, ?> map -> map.values().forEach(this::learn);
      case Collection<?> items -> items.forEach(this::learn);
      default -> {}
    }
    return this;
  }

  /**
   * Tells of a record class, of those among its components, and of the records that are
   * alternatives to one of these under a sealed interface.
   */
  public ElementCodec learnClass(Class<?> type) {
    if (type.isSealed()) {
      for (Class<?> permitted : type.getPermittedSubclasses()) {
        learnClass(permitted);
      }
    }
    if (type.isRecord() && records.putIfAbsent(type.getName(), type) == null) {
      for (var component : type.getRecordComponents()) {
        learnClass(component.getType());
      }
      for (Class<?> parent : type.getInterfaces()) {
        learnClass(parent);
      }
    }
    return this;
  }

  /** How many classes of records an exact codec has written, at any depth of elements. */
  public int writtenRecordClasses() {
    return written.size();
  }

  /** The names of the record classes this codec was told of or has written. */
  public Set<String> recordNames() {
    return Set.copyOf(records.keySet());
  }

  /** The element as bytes. */
  public byte[] encode(Object element) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      encode(element, new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new AssertionError("memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  /** Writes the element. */
  public void encode(Object element, DataOutputStream out) throws IOException {
    encode(element, out, 0);
  }

  private void encode(Object element, DataOutputStream out, int depth) throws IOException {
    if (depth > DEEPEST) {
      throw new IllegalArgumentException(
          "encode: expected elements nested at most %d deep, but got deeper ones"
              .formatted(DEEPEST));
    }
    if (isExact && encodeExactly(element, out, depth)) {
      return;
    }
    switch (element) {
      case Long value -> {
        out.writeByte(LONG);
        out.writeLong(value);
      }
      case Integer value -> {
        out.writeByte(INT);
        out.writeInt(value);
      }
      case Double value -> {
        out.writeByte(DOUBLE);
        out.writeDouble(value);
      }
      case Float value -> {
        out.writeByte(FLOAT);
        out.writeFloat(value);
      }
      case Boolean value -> {
        out.writeByte(BOOLEAN);
        out.writeBoolean(value);
      }
      case String value -> {
        out.writeByte(TEXT);
        writeText(value, out);
      }
      case byte[] value -> {
        out.writeByte(BYTES);
        out.writeInt(value.length);
        out.write(value);
      }
      case Path value -> {
        out.writeByte(PATH);
        writeText(value.toString(), out);
      }
      case Tensor value -> writeTensor(value, out);
      case Record value -> {
        learnClass(value.getClass());
        out.writeByte(RECORD);
        writeText(value.getClass().getName(), out);
        writeAll(Arrays.asList(RecordClass.of(value.getClass()).components(value)), out, depth);
      }
      case Map<?, ?> value -> writeMap(value, out, depth);
      case List<?> value -> {
        out.writeByte(LIST);
        writeAll(value, out, depth);
      }
      default -> writeArray(element, out);
    }
  }

  /** Writes what a usual codec does not, or not so that it is the same; false for all else. */
  private boolean encodeExactly(Object element, DataOutputStream out, int depth)
      throws IOException {
    switch (element) {
      case String value when !canBeText(value) ->
          throw new IllegalArgumentException(
              "encode: expected whole characters, but got a text with half a surrogate pair");
      case Byte value -> {
        out.writeByte(BYTE);
        out.writeByte(value);
      }
      case Short value -> {
        out.writeByte(SHORT);
        out.writeShort(value);
      }
      case Character value -> {
        out.writeByte(CHAR);
        out.writeChar(value);
      }
      case Enum<?> value -> {
        Class<?> type = value.getDeclaringClass();
        records.putIfAbsent(type.getName(), type);
        checkKnown(type);
        out.writeByte(ENUM);
        writeText(type.getName(), out);
        writeText(value.name(), out);
      }
      case boolean[] values -> {
        out.writeByte(BOOLEANS);
        out.writeInt(values.length);
        for (boolean value : values) {
          out.writeBoolean(value);
        }
      }
      case Record value -> {
        learnClass(value.getClass());
        checkKnown(value.getClass());
        written.add(value.getClass());
        return false;
      }
      case Path value when value.getFileSystem() != FileSystems.getDefault() ->
          throw cannotWrite(value);
      case Tensor value when value.lease() != null || value.place() != null ->
          throw new IllegalArgumentException(
              "encode: expected a tensor in memory of its own, but got " + value.describe());
      case Map<?, ?> value -> {
        MapKind kind = MapKind.find(value);
        if (kind == null) {
          throw cannotWrite(value);
        }
        out.writeByte(ANY_MAP);
        out.writeByte(kind.ordinal());
        out.writeInt(value.size());
        for (Map.Entry<?, ?> entry : value.entrySet()) {
          encodeNullable(entry.getKey(), out, depth + 1);
          encodeNullable(entry.getValue(), out, depth + 1);
        }
      }
      case List<?> value -> {
        if (value.getClass() != ArrayList.class && !UNMODIFIABLE_LISTS.contains(value.getClass())) {
          throw cannotWrite(value);
        }
        out.writeByte(value.getClass() == ArrayList.class ? ARRAY_LIST : LIST);
        writeAll(value, out, depth);
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private static boolean canBeText(String text) {
    for (int i = 0; i < text.length(); i++) {
      char at = text.charAt(i);
      if (Character.isSurrogate(at)) {
        boolean isPair =
            Character.isHighSurrogate(at)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!isPair) {
          return false;
        }
        i++;
      }
    }
    return true;
  }

  /** Two classes of one name, of two class loaders, cannot be told apart by it. */
  private void checkKnown(Class<?> type) {
    if (records.get(type.getName()) != type) {
      throw new IllegalArgumentException(
          "encode: expected one class of the name %s, but got two".formatted(type.getName()));
    }
  }

  private void encodeNullable(@Nullable Object element, DataOutputStream out, int depth)
      throws IOException {
    if (element != null) {
      encode(element, out, depth);
    } else if (isExact) {
      out.writeByte(NULL);
    } else {
      throw cannotWrite(null);
    }
  }

  private void writeMap(Map<?, ?> map, DataOutputStream out, int depth) throws IOException {
    for (Object key : map.keySet()) {
      if (!(key instanceof String)) {
        throw cannotWrite(key);
      }
    }
    Map<?, ?> ordered = map instanceof SequencedMap<?, ?> ? map : new TreeMap<>(map);
    out.writeByte(MAP);
    out.writeInt(ordered.size());
    for (Map.Entry<?, ?> entry : ordered.entrySet()) {
      writeText((String) entry.getKey(), out);
      encodeNullable(entry.getValue(), out, depth + 1);
    }
  }

  private void writeAll(Collection<?> items, DataOutputStream out, int depth) throws IOException {
    out.writeInt(items.size());
    for (Object item : items) {
      encodeNullable(item, out, depth + 1);
    }
  }

  private static void writeArray(Object element, DataOutputStream out) throws IOException {
    switch (element) {
      case long[] values -> {
        out.writeByte(LONGS);
        out.writeInt(values.length);
        writeNumbers(
            values.length,
            Long.BYTES,
            (to, from, count) -> to.asLongBuffer().put(values, from, count),
            out);
      }
      case int[] values -> {
        out.writeByte(INTS);
        out.writeInt(values.length);
        writeNumbers(
            values.length,
            Integer.BYTES,
            (to, from, count) -> to.asIntBuffer().put(values, from, count),
            out);
      }
      case float[] values -> {
        out.writeByte(FLOATS);
        out.writeInt(values.length);
        writeNumbers(
            values.length,
            Float.BYTES,
            (to, from, count) -> to.asFloatBuffer().put(values, from, count),
            out);
      }
      case double[] values -> {
        out.writeByte(DOUBLES);
        out.writeInt(values.length);
        writeNumbers(
            values.length,
            Double.BYTES,
            (to, from, count) -> to.asDoubleBuffer().put(values, from, count),
            out);
      }
      default -> throw cannotWrite(element);
    }
  }

  /** Puts some numbers of an array in a buffer. */
  private interface Numbers {
    void put(ByteBuffer to, int from, int count);
  }

  /** Writes an array piece by piece: number by number takes ten times as long. */
  private static void writeNumbers(int length, int bytesEach, Numbers numbers, DataOutputStream out)
      throws IOException {
    int most = Math.min(length, PIECE_BYTES / bytesEach);
    ByteBuffer piece = ByteBuffer.allocate(most * bytesEach);
    for (int from = 0; from < length; from += most) {
      int count = Math.min(most, length - from);
      numbers.put(piece, from, count);
      out.write(piece.array(), 0, count * bytesEach);
    }
  }

  private static IllegalArgumentException cannotWrite(@Nullable Object element) {
    return new IllegalArgumentException(
        "encode: expected a structure, a number, a text or bytes, or records, maps by text and"
            + " lists of them, but got "
            + (element == null ? "null" : element.getClass().getName()));
  }

  private static void writeText(String text, DataOutputStream out) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static void writeTensor(Tensor tensor, DataOutputStream out) throws IOException {
    out.writeByte(TENSOR);
    writeText(tensor.dtype().tfName(), out);
    Shape shape = tensor.shape();
    out.writeByte(shape.rank());
    for (int i = 0; i < shape.rank(); i++) {
      out.writeLong(shape.dim(i));
    }
    if (tensor.dtype() == DType.STRING) {
      for (long i = 0; i < tensor.elements(); i++) {
        byte[] bytes = tensor.bytesAt(i);
        out.writeInt(bytes.length);
        out.write(bytes);
      }
    } else {
      if (tensor.byteSize() > Integer.MAX_VALUE - 16) {
        throw new IllegalArgumentException(
            "encode: expected tensors of at most 2 GB, but got %s of %,d bytes"
                .formatted(shape, tensor.byteSize()));
      }
      byte[] bytes = new byte[(int) tensor.byteSize()];
      tensor.copyInto(MemorySegment.ofArray(bytes), 0);
      out.write(bytes);
    }
  }

  /** The element that was written as {@code bytes}, all of which must be used. */
  public Object decode(byte[] bytes) {
    return decode(ByteBuffer.wrap(bytes));
  }

  /** The element that was written as what is left of {@code in}, all of which must be used. */
  public Object decode(ByteBuffer in) {
    try {
      Object element = read(in, 0);
      if (element == null) {
        throw damaged("it is null");
      }
      if (in.hasRemaining()) {
        throw damaged(
            in.remaining() == 1 ? "1 byte is left over" : in.remaining() + " bytes are left over");
      }
      return element;
    } catch (BufferUnderflowException e) {
      throw damaged("it ends too early");
    }
  }

  private static IllegalArgumentException damaged(String why) {
    return new IllegalArgumentException("decode: expected an element, but " + why);
  }

  /** Only what nests is read here: a compiled method that calls itself needs a small frame. */
  private @Nullable Object read(ByteBuffer in, int depth) {
    if (depth > DEEPEST) {
      throw damaged("it is nested more than " + DEEPEST + " deep");
    }
    int tag = in.get();
    if (tag >= FIRST_EXACT && !isExact) {
      throw unknown(tag);
    }
    return switch (tag) {
      case LIST -> Collections.unmodifiableList(readAll(in, depth));
      case MAP -> readMap(in, depth);
      case RECORD -> readRecord(in, depth);
      case ARRAY_LIST -> readAll(in, depth);
      case ANY_MAP -> readAnyMap(in, depth);
      default -> readLeaf(tag, in);
    };
  }

  private static IllegalArgumentException unknown(int tag) {
    return damaged("it has a part of unknown kind " + tag);
  }

  private @Nullable Object readLeaf(int tag, ByteBuffer in) {
    return switch (tag) {
      case LONG -> in.getLong();
      case INT -> in.getInt();
      case DOUBLE -> in.getDouble();
      case FLOAT -> in.getFloat();
      case BOOLEAN -> in.get() != 0;
      case TEXT -> readText(in);
      case BYTES -> readBytes(in, length(in, 1));
      case PATH -> Path.of(readText(in));
      case TENSOR -> readTensor(in);
      case LONGS -> {
        long[] values = new long[length(in, 8)];
        in.asLongBuffer().get(values);
        in.position(in.position() + 8 * values.length);
        yield values;
      }
      case INTS -> {
        int[] values = new int[length(in, 4)];
        in.asIntBuffer().get(values);
        in.position(in.position() + 4 * values.length);
        yield values;
      }
      case FLOATS -> {
        float[] values = new float[length(in, 4)];
        in.asFloatBuffer().get(values);
        in.position(in.position() + 4 * values.length);
        yield values;
      }
      case DOUBLES -> {
        double[] values = new double[length(in, 8)];
        in.asDoubleBuffer().get(values);
        in.position(in.position() + 8 * values.length);
        yield values;
      }
      case NULL -> null;
      case BYTE -> in.get();
      case SHORT -> in.getShort();
      case CHAR -> in.getChar();
      case ENUM -> readEnum(in);
      case BOOLEANS -> {
        boolean[] values = new boolean[length(in, 1)];
        for (int i = 0; i < values.length; i++) {
          values[i] = in.get() != 0;
        }
        yield values;
      }
      default -> throw unknown(tag);
    };
  }

  private Object readAnyMap(ByteBuffer in, int depth) {
    int kind = in.get();
    if (kind < 0 || kind >= MapKind.values().length) {
      throw damaged("it has a map of unknown kind " + kind);
    }
    int count = length(in, 1);
    LinkedHashMap<Object, @Nullable Object> entries = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      entries.put(read(in, depth + 1), read(in, depth + 1));
    }
    try {
      return MapKind.values()[kind].of(entries);
    } catch (ClassCastException | NullPointerException e) {
      throw damaged("it has a map of keys that cannot be compared");
    }
  }

  private Object readEnum(ByteBuffer in) {
    String type = readText(in);
    String name = readText(in);
    Class<?> known = records.get(type);
    if (known != null && known.isEnum()) {
      for (Object constant : known.getEnumConstants()) {
        if (((Enum<?>) constant).name().equals(name)) {
          return constant;
        }
      }
    }
    throw damaged("it has an unknown constant %s of %s".formatted(name, type));
  }

  private static int length(ByteBuffer in, int bytesEach) {
    int length = in.getInt();
    if (length < 0 || length > in.remaining() / bytesEach) {
      throw damaged("a part of it has the length " + length);
    }
    return length;
  }

  private static byte[] readBytes(ByteBuffer in, int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  private static String readText(ByteBuffer in) {
    return new String(readBytes(in, length(in, 1)), StandardCharsets.UTF_8);
  }

  private List<@Nullable Object> readAll(ByteBuffer in, int depth) {
    int count = length(in, 1);
    List<@Nullable Object> items = new ArrayList<>(Math.min(count, 64)); // the count may be a lie
    for (int i = 0; i < count; i++) {
      items.add(read(in, depth + 1));
    }
    return items;
  }

  private Map<String, @Nullable Object> readMap(ByteBuffer in, int depth) {
    int count = length(in, 1);
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      map.put(readText(in), read(in, depth + 1));
    }
    return Collections.unmodifiableMap(map);
  }

  private Object readRecord(ByteBuffer in, int depth) {
    String name = readText(in);
    Class<?> type = records.get(name);
    if (type == null) {
      throw new IllegalArgumentException(
          "decode: expected one of the records %s, but got %s; name its class where the data is read"
              .formatted(records.keySet(), name));
    }
    List<@Nullable Object> parts = readAll(in, depth);
    RecordClass known = RecordClass.of(type);
    if (parts.size() != known.size()) {
      throw damaged(
          "record %s has %d %s".formatted(name, parts.size(), Plural.word(parts.size(), "part")));
    }
    try {
      return known.build(parts.toArray());
    } catch (ClassCastException | NullPointerException e) {
      throw damaged("record %s has a part of another type: %s".formatted(name, e.getMessage()));
    }
  }

  /** The product of dimensions, none of whose elements takes less than a byte. */
  private static long elementsOf(long[] dims, int most) {
    long elements = 1;
    for (long dim : dims) {
      if (dim == 0) {
        return 0;
      }
    }
    for (long dim : dims) {
      if (dim > most / elements) {
        throw damaged("a tensor has the shape " + Arrays.toString(dims));
      }
      elements *= dim;
    }
    return elements;
  }

  private static Tensor readTensor(ByteBuffer in) {
    DType dtype = DType.ofTfName(readText(in));
    int rank = in.get();
    if (rank < 0) {
      throw damaged("a tensor has the rank " + rank);
    }
    long[] dims = new long[rank];
    for (int i = 0; i < rank; i++) {
      dims[i] = in.getLong();
      if (dims[i] < 0) {
        throw damaged("a tensor has the dimension " + dims[i]);
      }
    }
    long elements = elementsOf(dims, in.remaining());
    Shape shape = Shape.of(dims);
    if (dtype == DType.STRING) {
      if (elements > in.remaining() / 4) {
        throw damaged("a tensor has " + elements + " " + Plural.word(elements, "string"));
      }
      byte[][] values = new byte[(int) elements][];
      for (int i = 0; i < values.length; i++) {
        values[i] = readBytes(in, length(in, 1));
      }
      return Tensor.wrapStrings(shape, values);
    }
    long bytes = elements * dtype.byteSize();
    if (bytes > in.remaining()) {
      throw damaged("a tensor has " + bytes + " " + Plural.word(bytes, "byte"));
    }
    MemorySegment memory =
        MemorySegment.ofArray(new long[(int) ((bytes + 7) / 8)]).asSlice(0, bytes);
    MemorySegment.copy(MemorySegment.ofArray(readBytes(in, (int) bytes)), 0, memory, 0, bytes);
    return Tensor.wrap(dtype, shape, memory);
  }
}
