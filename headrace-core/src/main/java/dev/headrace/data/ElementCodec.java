package dev.headrace.data;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
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
  private static final int DEEPEST = 500;
  private static final int PIECE_BYTES = 1 << 16;

  private final Map<String, Class<?>> records = new ConcurrentHashMap<>();

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
        writeAll(Arrays.asList(RecordClass.of(value.getClass()).components(value)), out);
      }
      case Map<?, ?> value -> writeMap(value, out);
      case List<?> value -> {
        out.writeByte(LIST);
        writeAll(value, out);
      }
      default -> writeArray(element, out);
    }
  }

  private void writeMap(Map<?, ?> map, DataOutputStream out) throws IOException {
    for (Object key : map.keySet()) {
      if (!(key instanceof String)) {
        throw cannotWrite(key);
      }
    }
    Map<?, ?> ordered = map instanceof SequencedMap<?, ?> ? map : new TreeMap<>(map);
    out.writeByte(MAP);
    out.writeInt(ordered.size());
    for (Map.Entry<?, ?> entry : ordered.entrySet()) {
      if (entry.getValue() == null) {
        throw cannotWrite(null);
      }
      writeText((String) entry.getKey(), out);
      encode(entry.getValue(), out);
    }
  }

  private void writeAll(Collection<?> items, DataOutputStream out) throws IOException {
    out.writeInt(items.size());
    for (Object item : items) {
      if (item == null) {
        throw cannotWrite(null);
      }
      encode(item, out);
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
      if (in.hasRemaining()) {
        throw damaged(in.remaining() + " bytes are left over");
      }
      return element;
    } catch (BufferUnderflowException e) {
      throw damaged("it ends too early");
    }
  }

  private static IllegalArgumentException damaged(String why) {
    return new IllegalArgumentException("decode: expected an element, but " + why);
  }

  private Object read(ByteBuffer in, int depth) {
    if (depth > DEEPEST) {
      throw damaged("it is nested more than " + DEEPEST + " deep");
    }
    int tag = in.get();
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
      case LIST -> Collections.unmodifiableList(readAll(in, depth));
      case MAP -> readMap(in, depth);
      case RECORD -> readRecord(in, depth);
      case LONGS -> {
        long[] values = new long[length(in, 8)];
        for (int i = 0; i < values.length; i++) {
          values[i] = in.getLong();
        }
        yield values;
      }
      case INTS -> {
        int[] values = new int[length(in, 4)];
        for (int i = 0; i < values.length; i++) {
          values[i] = in.getInt();
        }
        yield values;
      }
      case FLOATS -> {
        float[] values = new float[length(in, 4)];
        for (int i = 0; i < values.length; i++) {
          values[i] = in.getFloat();
        }
        yield values;
      }
      case DOUBLES -> {
        double[] values = new double[length(in, 8)];
        for (int i = 0; i < values.length; i++) {
          values[i] = in.getDouble();
        }
        yield values;
      }
      default -> throw damaged("it has a part of unknown kind " + tag);
    };
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

  private List<Object> readAll(ByteBuffer in, int depth) {
    int count = length(in, 1);
    List<Object> items = new ArrayList<>(Math.min(count, 64)); // the count may be a lie
    for (int i = 0; i < count; i++) {
      items.add(read(in, depth + 1));
    }
    return items;
  }

  private Map<String, Object> readMap(ByteBuffer in, int depth) {
    int count = length(in, 1);
    Map<String, Object> map = new LinkedHashMap<>();
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
    List<Object> parts = readAll(in, depth);
    RecordClass known = RecordClass.of(type);
    if (parts.size() != known.size()) {
      throw damaged("record %s has %d parts".formatted(name, parts.size()));
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
        throw damaged("a tensor has " + elements + " strings");
      }
      byte[][] values = new byte[(int) elements][];
      for (int i = 0; i < values.length; i++) {
        values[i] = readBytes(in, length(in, 1));
      }
      return Tensor.wrapStrings(shape, values);
    }
    long bytes = elements * dtype.byteSize();
    if (bytes > in.remaining()) {
      throw damaged("a tensor has " + bytes + " bytes");
    }
    MemorySegment memory =
        MemorySegment.ofArray(new long[(int) ((bytes + 7) / 8)]).asSlice(0, bytes);
    MemorySegment.copy(MemorySegment.ofArray(readBytes(in, (int) bytes)), 0, memory, 0, bytes);
    return Tensor.wrap(dtype, shape, memory);
  }
}
