package dev.headrace.data;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.data.image.AdjustExpression;
import dev.headrace.data.image.Adjustment;
import dev.headrace.data.image.Colour;
import dev.headrace.data.image.ColourExpression;
import dev.headrace.data.image.ConvertImageExpression;
import dev.headrace.data.image.CropAndResizeExpression;
import dev.headrace.data.image.CropExpression;
import dev.headrace.data.image.CropRange;
import dev.headrace.data.image.Frames;
import dev.headrace.data.image.Layout;
import dev.headrace.data.image.LayoutExpression;
import dev.headrace.data.image.NormaliseExpression;
import dev.headrace.data.image.OrientExpression;
import dev.headrace.data.image.Orientation;
import dev.headrace.data.image.PadExpression;
import dev.headrace.data.image.RandomSteps;
import dev.headrace.data.image.Resize;
import dev.headrace.data.image.ResizeExpression;
import dev.headrace.data.image.ScaleAndTranslateExpression;
import dev.headrace.data.image.ScaleKernel;
import dev.headrace.data.image.StandardiseExpression;
import dev.headrace.data.image.Window;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A multi-dimensional array of numbers or byte strings, in row-major order.
 *
 * <p>Elements are addressed by their flat index. A tensor may be <em>deferred</em>: an {@link
 * Expression} that is computed once, when the tensor is read, or that the engine computes straight
 * into the place where it wants the result ({@link #copyInto}).
 *
 * <p>Two tensors are equal only if they are the same object; compare values with {@link
 * #contentEquals}.
 *
 * <p><b>Threading:</b> immutable; safe for any number of threads.
 *
 * <p><b>Ownership:</b> a tensor's memory belongs to the garbage collector, unless it has a {@link
 * #lease()}: then every touch checks that the batch was not given back, and throws if it was.
 */
public final class Tensor {
  /* One of memory, strings and deferred holds the elements. None does in a scalar made from a
   * value: its number is in `inlineBits`, as a long or as a double's bits, so that the tensors of
   * a counting dataset cost one small object. */

  private static final int SHOWN_ELEMENTS = 8;
  private static final int SHOWN_CHARS = 40;

  // What the parts of a tensor take on the heap: itself, its shape, a segment, an expression.
  private static final long OBJECT_BYTES = HeapLayout.object(7L * HeapLayout.REFERENCE + 8);
  private static final long SHAPE_BYTES =
      HeapLayout.object(HeapLayout.REFERENCE + 8) + HeapLayout.array(0, 8);
  private static final long SEGMENT_BYTES = HeapLayout.object(2L * HeapLayout.REFERENCE + 17);
  private static final long EXPRESSION_BYTES = 64;

  /* Set once and never back. A thread may see it late only if it sees no deferred tensor either. */
  private static volatile boolean anyDeferred;

  private final DType dtype;
  private final Shape shape;
  private final @Nullable MemorySegment memory;
  private final MemorySegment @Nullable [] strings;
  private final @Nullable Deferred deferred;
  private final @Nullable Lease lease;
  private final @Nullable Place place;
  private final long inlineBits;

  private Tensor(
      DType dtype,
      Shape shape,
      @Nullable MemorySegment memory,
      MemorySegment @Nullable [] strings,
      @Nullable Deferred deferred,
      @Nullable Lease lease,
      @Nullable Place place,
      long inlineBits) {
    this.dtype = dtype;
    this.shape = shape;
    this.memory = memory;
    this.strings = strings;
    this.deferred = deferred;
    this.lease = lease;
    this.place = place;
    this.inlineBits = inlineBits;
  }

  private static Tensor ofMemory(
      DType dtype, Shape shape, MemorySegment memory, @Nullable Lease lease) {
    return ofMemory(dtype, shape, memory, lease, null);
  }

  private static Tensor ofMemory(
      DType dtype,
      Shape shape,
      MemorySegment memory,
      @Nullable Lease lease,
      @Nullable Place place) {
    return new Tensor(dtype, shape, memory, null, null, lease, place, 0);
  }

  private static Tensor inline(DType dtype, long bits) {
    return new Tensor(dtype, Shape.scalar(), null, null, null, null, null, bits);
  }

  static Tensor leased(
      DType dtype,
      Shape shape,
      MemorySegment slab,
      long offset,
      Lease lease,
      @Nullable Place place) {
    long bytes = fixedBytes("Lease.tensor", dtype, shape);
    if (offset < 0 || offset > slab.byteSize() - bytes) {
      throw new IllegalArgumentException(
          "Lease.tensor: expected %s%s to fit into %d %s, but it takes %d from offset %d"
              .formatted(
                  dtype.tfName(),
                  shape,
                  slab.byteSize(),
                  Plural.word(slab.byteSize(), "byte"),
                  bytes,
                  offset));
    }
    return ofMemory(dtype, shape, slab.asSlice(offset, bytes), lease, place);
  }

  // ---- scalars

  /** A single int64. */
  public static Tensor scalar(long value) {
    return inline(DType.INT64, value);
  }

  /** A single int32. */
  public static Tensor scalar(int value) {
    return inline(DType.INT32, value);
  }

  /** A single float32. */
  public static Tensor scalar(float value) {
    return inline(DType.FLOAT32, Double.doubleToRawLongBits(value));
  }

  /** A single float64. */
  public static Tensor scalar(double value) {
    return inline(DType.FLOAT64, Double.doubleToRawLongBits(value));
  }

  /** A single boolean. */
  public static Tensor scalar(boolean value) {
    return inline(DType.BOOL, value ? 1 : 0);
  }

  /** A single string, as UTF-8 bytes. */
  public static Tensor scalar(String value) {
    return wrapStrings(Shape.scalar(), value.getBytes(UTF_8));
  }

  /** A single byte string, copied. For a tensor of bytes use {@link #ofBytes}. */
  public static Tensor scalar(byte[] value) {
    return wrapStrings(Shape.scalar(), value.clone());
  }

  // ---- one number

  /** A single int64, as {@link #scalar(long)}; an array gives a vector. */
  public static Tensor of(long value) {
    return scalar(value);
  }

  /** A single int32, as {@link #scalar(int)}. */
  public static Tensor of(int value) {
    return scalar(value);
  }

  /** A single float32, as {@link #scalar(float)}. */
  public static Tensor of(float value) {
    return scalar(value);
  }

  /** A single float64, as {@link #scalar(double)}. */
  public static Tensor of(double value) {
    return scalar(value);
  }

  /** A single boolean, as {@link #scalar(boolean)}. */
  public static Tensor of(boolean value) {
    return scalar(value);
  }

  // ---- arrays, copied

  /** A vector of int64. */
  public static Tensor of(long... values) {
    return of(Shape.of(values.length), values);
  }

  /** A vector of int32. */
  public static Tensor of(int... values) {
    return of(Shape.of(values.length), values);
  }

  /** A vector of float32. */
  public static Tensor of(float... values) {
    return of(Shape.of(values.length), values);
  }

  /** A vector of float64. */
  public static Tensor of(double... values) {
    return of(Shape.of(values.length), values);
  }

  /** A vector of booleans. */
  public static Tensor of(boolean... values) {
    return of(Shape.of(values.length), values);
  }

  /** A vector of uint8. */
  public static Tensor ofBytes(byte... values) {
    return of(Shape.of(values.length), values);
  }

  /** A vector of strings, as UTF-8 bytes. */
  public static Tensor ofStrings(String... values) {
    byte[][] strings = Arrays.stream(values).map(v -> v.getBytes(UTF_8)).toArray(byte[][]::new);
    return wrapStrings(Shape.of(values.length), strings);
  }

  /** A vector of byte strings, copied. */
  public static Tensor ofStrings(byte[]... values) {
    byte[][] strings = Arrays.stream(values).map(byte[]::clone).toArray(byte[][]::new);
    return wrapStrings(Shape.of(values.length), strings);
  }

  /** An int64 tensor of {@code values} in row-major order. */
  public static Tensor of(Shape shape, long[] values) {
    return wrap(shape, values.clone());
  }

  /** An int32 tensor of {@code values} in row-major order. */
  public static Tensor of(Shape shape, int[] values) {
    return wrap(shape, values.clone());
  }

  /** A float32 tensor of {@code values} in row-major order. */
  public static Tensor of(Shape shape, float[] values) {
    return wrap(shape, values.clone());
  }

  /** A float64 tensor of {@code values} in row-major order. */
  public static Tensor of(Shape shape, double[] values) {
    return wrap(shape, values.clone());
  }

  /** A uint8 tensor of {@code values} in row-major order. */
  public static Tensor of(Shape shape, byte[] values) {
    return wrap(shape, values.clone());
  }

  /** A boolean tensor of {@code values} in row-major order. */
  public static Tensor of(Shape shape, boolean[] values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) (values[i] ? 1 : 0);
    }
    return wrap(DType.BOOL, shape, MemorySegment.ofArray(bytes));
  }

  // ---- memory of others, not copied: the caller must not write to it any more

  /** An int64 tensor over {@code values}, which must not change any more. */
  public static Tensor wrap(Shape shape, long[] values) {
    return wrap(DType.INT64, shape, MemorySegment.ofArray(values));
  }

  /** An int32 tensor over {@code values}, which must not change any more. */
  public static Tensor wrap(Shape shape, int[] values) {
    return wrap(DType.INT32, shape, MemorySegment.ofArray(values));
  }

  /** An int16 tensor over {@code values}, which must not change any more. */
  public static Tensor wrap(Shape shape, short[] values) {
    return wrap(DType.INT16, shape, MemorySegment.ofArray(values));
  }

  /** A float32 tensor over {@code values}, which must not change any more. */
  public static Tensor wrap(Shape shape, float[] values) {
    return wrap(DType.FLOAT32, shape, MemorySegment.ofArray(values));
  }

  /** A float64 tensor over {@code values}, which must not change any more. */
  public static Tensor wrap(Shape shape, double[] values) {
    return wrap(DType.FLOAT64, shape, MemorySegment.ofArray(values));
  }

  /** A uint8 tensor over {@code values}, which must not change any more. */
  public static Tensor wrap(Shape shape, byte[] values) {
    return wrap(DType.UINT8, shape, MemorySegment.ofArray(values));
  }

  /** A tensor over {@code memory}, native byte order, which must not change or close any more. */
  public static Tensor wrap(DType dtype, Shape shape, MemorySegment memory) {
    long bytes = fixedBytes("Tensor.wrap", dtype, shape);
    if (memory.byteSize() != bytes) {
      throw new IllegalArgumentException(
          "Tensor.wrap: expected %d %s for %s%s, but got %d"
              .formatted(
                  bytes, Plural.word(bytes, "byte"), dtype.tfName(), shape, memory.byteSize()));
    }
    return ofMemory(dtype, shape, memory, null);
  }

  /** A tensor over memory of a place that the host cannot read; it must not be freed any more. */
  public static Tensor wrap(DType dtype, Shape shape, MemorySegment memory, @Nullable Place place) {
    return ofMemory(dtype, shape, wrap(dtype, shape, memory).memory(), null, place);
  }

  /** A tensor over these byte strings, none of which may change any more. */
  public static Tensor wrapStrings(Shape shape, byte[]... values) {
    if (shape.elements() != values.length) {
      throw new IllegalArgumentException(
          "Tensor.wrapStrings: expected %d %s for %s, but got %d"
              .formatted(
                  shape.elements(), Plural.word(shape.elements(), "string"), shape, values.length));
    }
    MemorySegment[] strings = new MemorySegment[values.length];
    for (int i = 0; i < values.length; i++) {
      strings[i] = MemorySegment.ofArray(values[i]);
    }
    return ofStrings(shape, strings);
  }

  /**
   * A tensor over byte strings that lie in these pieces of memory, which must not change or close
   * any more: pieces of a mapped file, say.
   */
  public static Tensor wrapStrings(Shape shape, MemorySegment... values) {
    if (shape.elements() != values.length) {
      throw new IllegalArgumentException(
          "Tensor.wrapStrings: expected %d %s for %s, but got %d"
              .formatted(
                  shape.elements(), Plural.word(shape.elements(), "string"), shape, values.length));
    }
    return ofStrings(shape, values);
  }

  /** A single byte string over memory that must not change or close any more. */
  public static Tensor wrapString(MemorySegment value) {
    return ofStrings(Shape.scalar(), new MemorySegment[] {value});
  }

  private static Tensor ofStrings(Shape shape, MemorySegment[] strings) {
    return new Tensor(DType.STRING, shape, null, strings, null, null, null, 0);
  }

  /** String tensors of one shape stacked along a new first dimension; the bytes are not copied. */
  public static Tensor stackStrings(List<Tensor> rows) {
    Shape row = rows.isEmpty() ? Shape.scalar() : rows.getFirst().shape;
    List<MemorySegment> all = new ArrayList<>();
    for (Tensor tensor : rows) {
      if (tensor.strings == null || !tensor.shape.equals(row)) {
        throw new IllegalArgumentException(
            "Tensor.stackStrings: expected rows of string"
                + row
                + ", but got "
                + tensor.describe());
      }
      Collections.addAll(all, tensor.strings);
    }
    return wrapStrings(row.prepend(rows.size()), all.toArray(MemorySegment[]::new));
  }

  /**
   * String tensors one behind the other along their first dimension, the others of one length; the
   * bytes are not copied.
   */
  public static Tensor concatStrings(List<Tensor> parts) {
    Shape row = parts.getFirst().shape.dropFirst();
    List<MemorySegment> all = new ArrayList<>();
    long rows = 0;
    for (Tensor tensor : parts) {
      if (tensor.strings == null || !tensor.shape.dropFirst().equals(row)) {
        throw new IllegalArgumentException(
            "Tensor.concatStrings: expected rows of string"
                + row
                + ", but got "
                + tensor.describe());
      }
      Collections.addAll(all, tensor.strings);
      rows += tensor.shape.dim(0);
    }
    return wrapStrings(row.prepend(rows), all.toArray(MemorySegment[]::new));
  }

  // ---- filled

  /** Zeros, {@code false} or empty strings. */
  public static Tensor zeros(DType dtype, Shape shape) {
    if (dtype == DType.STRING) {
      byte[][] empty = new byte[Math.toIntExact(shape.elements())][];
      Arrays.fill(empty, new byte[0]);
      return wrapStrings(shape, empty);
    }
    return ofMemory(dtype, shape, allocate("Tensor.zeros", dtype, shape), null);
  }

  /** An int64 tensor whose elements all are {@code value}. */
  public static Tensor full(Shape shape, long value) {
    return fullOfLong(DType.INT64, shape, value);
  }

  /** An int32 tensor whose elements all are {@code value}. */
  public static Tensor full(Shape shape, int value) {
    return fullOfLong(DType.INT32, shape, value);
  }

  private static Tensor fullOfLong(DType dtype, Shape shape, long value) {
    MemorySegment memory = allocate("Tensor.full", dtype, shape);
    for (long i = 0; i < shape.elements(); i++) {
      Elements.writeLong(dtype, memory, i, value);
    }
    return ofMemory(dtype, shape, memory, null);
  }

  /** A float32 tensor whose elements all are {@code value}. */
  public static Tensor full(Shape shape, float value) {
    return fullOfDouble(DType.FLOAT32, shape, value);
  }

  /** A float64 tensor whose elements all are {@code value}. */
  public static Tensor full(Shape shape, double value) {
    return fullOfDouble(DType.FLOAT64, shape, value);
  }

  private static Tensor fullOfDouble(DType dtype, Shape shape, double value) {
    MemorySegment memory = allocate("Tensor.full", dtype, shape);
    for (long i = 0; i < shape.elements(); i++) {
      Elements.writeDouble(dtype, memory, i, value);
    }
    return ofMemory(dtype, shape, memory, null);
  }

  /** Random float32 in [0, 1), the same for the same seed; see {@link Seed#of(long)}. */
  public static Tensor uniform(Shape shape, long seed) {
    return uniform(shape, Seed.of(seed));
  }

  /**
   * Random float32 in [0, 1), the same for the same seed, made from its stream as TensorFlow does.
   */
  public static Tensor uniform(Shape shape, Seed seed) {
    MemorySegment memory = allocate("Tensor.uniform", DType.FLOAT32, shape);
    Philox philox = new Philox(seed);
    for (long i = 0; i < shape.elements(); i++) {
      int mantissa = philox.nextInt() & 0x7FFFFF;
      memory.set(JAVA_FLOAT_UNALIGNED, i * 4, Float.intBitsToFloat(127 << 23 | mantissa) - 1.0f);
    }
    return ofMemory(DType.FLOAT32, shape, memory, null);
  }

  /** The tensor that {@code expression} yields, not computed yet. */
  public static Tensor deferred(Expression expression) {
    if (!anyDeferred) {
      anyDeferred = true;
    }
    fixedBytes("Tensor.deferred", expression.dtype(), expression.shape());
    return new Tensor(
        expression.dtype(),
        expression.shape(),
        null,
        null,
        new Deferred(expression),
        null,
        null,
        0);
  }

  /** Whether this process has ever deferred a tensor; if not, there is no need to look for one. */
  public static boolean anyDeferred() {
    return anyDeferred;
  }

  // ---- what it is

  /** The type of the elements. */
  public DType dtype() {
    return dtype;
  }

  /** The lengths of the dimensions, all known. */
  public Shape shape() {
    return shape;
  }

  /** The number of elements. */
  public long elements() {
    return shape.elements();
  }

  /** The bytes of the elements; for strings the sum of their lengths. */
  public long byteSize() {
    if (strings == null) {
      return shape.elements() * dtype.byteSize();
    }
    long bytes = 0;
    for (MemorySegment string : strings) {
      bytes += string.byteSize();
    }
    return bytes;
  }

  /**
   * The bytes on the heap that this tensor keeps alive, itself included. Elements that lie in batch
   * memory, in a mapped file or on another's account do not count; of a tensor that is not computed
   * yet, its sources do.
   */
  public long heapBytes() {
    long own = OBJECT_BYTES + (shape.rank() == 0 ? 0 : SHAPE_BYTES + 8L * shape.rank());
    Expression expression = expression();
    if (expression != null) {
      long bytes = own + EXPRESSION_BYTES;
      for (Tensor source : expression.sources()) {
        bytes += source.heapBytes();
      }
      return bytes;
    }
    if (deferred != null && deferred.isOnAnothersAccount) {
      return own;
    }
    if (strings != null) {
      long bytes = own + HeapLayout.references(strings.length);
      for (MemorySegment string : strings) {
        bytes += SEGMENT_BYTES + (string.isMapped() ? 0 : HeapLayout.array(string.byteSize(), 1));
      }
      return bytes;
    }
    if (memory == null && deferred == null) {
      return own; // a scalar that holds its value itself
    }
    boolean isElsewhere = lease != null || place != null || (memory != null && memory.isMapped());
    return own + SEGMENT_BYTES + (isElsewhere ? 0 : HeapLayout.array(byteSize(), 1));
  }

  /** Whether the elements have still to be computed. */
  public boolean isDeferred() {
    return expression() != null;
  }

  /** Computes the elements now, into memory of their own, if that has not been done. */
  public Tensor compute() {
    if (deferred != null) {
      MemorySegment _ = deferred.memory();
    }
    return this;
  }

  /**
   * Says that the memory of what was deferred, and is computed now, is on the account of another
   * holder, which keeps it anyway. Operators that hand this tensor on count it as no larger than
   * before it was computed.
   */
  public void computedOnAnothersAccount() {
    if (deferred != null) {
      deferred.isOnAnothersAccount = true;
    }
  }

  /** The computation that yields the elements, or null if there is none or it has run. */
  public @Nullable Expression expression() {
    return deferred == null ? null : deferred.expression;
  }

  /** The lease whose memory this tensor views, or null if it has memory of its own. */
  public @Nullable Lease lease() {
    return lease;
  }

  /** Where its memory is if the host cannot read it: a device; else null. */
  public @Nullable Place place() {
    return place;
  }

  /** The tensor in the host's memory: itself, or a copy that is the garbage collector's. */
  public Tensor toHost() {
    if (place == null) {
      return this;
    }
    MemorySegment copy = allocate("toHost", dtype, shape);
    copyInto(copy, 0);
    return ofMemory(dtype, shape, copy, null);
  }

  /**
   * The memory of the elements wherever it is, for code that computes there. It is not checked
   * after this call: hold it no longer than the batch.
   */
  public MemorySegment placedMemory() {
    return checkFixedSize("placedMemory").memory();
  }

  // ---- elements

  /** An integer element; uint64 as its bits. */
  public long longAt(long index) {
    checkIndex(index);
    if (!dtype.isInteger()) {
      throw cannotRead("longAt", "an integer type", "convert(INT64)");
    }
    return readLong(index);
  }

  /** An integer element, which must fit into an int. */
  public int intAt(long index) {
    checkIndex(index);
    if (!dtype.isInteger()) {
      throw cannotRead("intAt", "an integer type", "convert(INT32)");
    }
    return exactInt(readLong(index));
  }

  /** A float element of at most 32 bits, or an integer that a float holds exactly. */
  public float floatAt(long index) {
    checkIndex(index);
    if (dtype.isFloating() && dtype != DType.FLOAT64) {
      return (float) readDouble(index);
    }
    if (!dtype.isInteger()) {
      throw cannotRead("floatAt", "a type that a float holds exactly", "convert(FLOAT32)");
    }
    return (float) exactDouble(readLong(index), DType.FLOAT32);
  }

  /** A float element, or an integer that a double holds exactly. */
  public double doubleAt(long index) {
    checkIndex(index);
    if (dtype.isFloating()) {
      return readDouble(index);
    }
    if (!dtype.isInteger()) {
      throw cannotRead("doubleAt", "a number type", "convert(FLOAT64)");
    }
    return exactDouble(readLong(index), DType.FLOAT64);
  }

  /** A boolean element. */
  public boolean booleanAt(long index) {
    checkIndex(index);
    if (dtype != DType.BOOL) {
      throw cannotRead("booleanAt", "bool", "convert(BOOL)");
    }
    return readLong(index) != 0;
  }

  /** A copy of a byte string; {@link #segmentAt} does not copy. */
  public byte[] bytesAt(long index) {
    return string("bytesAt", index).toArray(JAVA_BYTE);
  }

  /** A byte string, read-only and not copied. */
  public MemorySegment segmentAt(long index) {
    return string("segmentAt", index).asReadOnly();
  }

  /** A byte string, decoded as UTF-8. */
  public String stringAt(long index) {
    return new String(string("stringAt", index).toArray(JAVA_BYTE), UTF_8);
  }

  /** The only element, as {@link #longAt}. */
  public long longValue() {
    return longAt(only());
  }

  /** The only element, as {@link #intAt}. */
  public int intValue() {
    return intAt(only());
  }

  /** The only element, as {@link #floatAt}. */
  public float floatValue() {
    return floatAt(only());
  }

  /** The only element, as {@link #doubleAt}. */
  public double doubleValue() {
    return doubleAt(only());
  }

  /** The only element, as {@link #booleanAt}. */
  public boolean booleanValue() {
    return booleanAt(only());
  }

  /** The only element, as {@link #bytesAt}. */
  public byte[] bytesValue() {
    return bytesAt(only());
  }

  /** The only element, as {@link #stringAt}. */
  public String stringValue() {
    return stringAt(only());
  }

  /** All elements, as {@link #longAt}. */
  public long[] toLongArray() {
    long[] values = new long[arrayLength()];
    if (dtype == DType.INT64 || dtype == DType.UINT64) {
      read(m -> MemorySegment.copy(m, JAVA_LONG_UNALIGNED, 0, values, 0, values.length));
    } else {
      for (int i = 0; i < values.length; i++) {
        values[i] = longAt(i);
      }
    }
    return values;
  }

  /** All elements, as {@link #intAt}. */
  public int[] toIntArray() {
    int[] values = new int[arrayLength()];
    if (dtype == DType.INT32) {
      read(m -> MemorySegment.copy(m, JAVA_INT_UNALIGNED, 0, values, 0, values.length));
    } else {
      for (int i = 0; i < values.length; i++) {
        values[i] = intAt(i);
      }
    }
    return values;
  }

  /** All elements, as {@link #floatAt}. */
  public float[] toFloatArray() {
    float[] values = new float[arrayLength()];
    if (dtype == DType.FLOAT32) {
      read(m -> MemorySegment.copy(m, JAVA_FLOAT_UNALIGNED, 0, values, 0, values.length));
    } else {
      for (int i = 0; i < values.length; i++) {
        values[i] = floatAt(i);
      }
    }
    return values;
  }

  /** All elements, as {@link #doubleAt}. */
  public double[] toDoubleArray() {
    double[] values = new double[arrayLength()];
    if (dtype == DType.FLOAT64) {
      read(m -> MemorySegment.copy(m, JAVA_DOUBLE_UNALIGNED, 0, values, 0, values.length));
    } else {
      for (int i = 0; i < values.length; i++) {
        values[i] = doubleAt(i);
      }
    }
    return values;
  }

  /** All elements, as {@link #booleanAt}. */
  public boolean[] toBooleanArray() {
    boolean[] values = new boolean[arrayLength()];
    for (int i = 0; i < values.length; i++) {
      values[i] = booleanAt(i);
    }
    return values;
  }

  /** The bytes of all elements, in native byte order; for uint8 and int8 the elements. */
  public byte[] toByteArray() {
    byte[] bytes = new byte[Math.toIntExact(checkFixedSize("toByteArray").byteSize())];
    read(m -> MemorySegment.copy(m, JAVA_BYTE, 0, bytes, 0, bytes.length));
    return bytes;
  }

  /** All elements, as {@link #stringAt}. */
  public String[] toStrings() {
    String[] values = new String[arrayLength()];
    for (int i = 0; i < values.length; i++) {
      values[i] = stringAt(i);
    }
    return values;
  }

  // ---- views

  /** Row {@code index} of the first dimension, which the view no longer has; not copied. */
  public Tensor slice(long index) {
    checkRows(index, index + 1);
    return view(shape.dropFirst(), index, index + 1);
  }

  /** Rows {@code from} (included) to {@code to} (excluded) of the first dimension; not copied. */
  public Tensor slice(long from, long to) {
    checkRows(from, to);
    return view(shape.dropFirst().prepend(to - from), from, to);
  }

  /**
   * Row {@code index} of the first dimension in memory of its own, so that it does not keep the
   * others.
   */
  public Tensor copyOfRow(long index) {
    checkRows(index, index + 1);
    Shape row = shape.dropFirst();
    if (strings != null) {
      return slice(index);
    }
    if (row.rank() == 0 && !dtype.isFloating()) {
      return inline(dtype, readLong(index));
    }
    MemorySegment copy = allocate("copyOfRow", dtype, row);
    read(m -> MemorySegment.copy(m, index * copy.byteSize(), copy, 0, copy.byteSize()));
    return ofMemory(dtype, row, copy, null);
  }

  private Tensor view(Shape viewed, long from, long to) {
    long row = shape.dropFirst().elements();
    if (strings != null) {
      return wrapStrings(viewed, Arrays.copyOfRange(strings, (int) (from * row), (int) (to * row)));
    }
    long rowBytes = row * dtype.byteSize();
    return ofMemory(
        dtype, viewed, memory().asSlice(from * rowBytes, (to - from) * rowBytes), lease, place);
  }

  /** The same elements in another shape; not copied, and a deferred tensor stays deferred. */
  public Tensor reshape(Shape shape) {
    if (shape.elements() != elements()) {
      throw new IllegalArgumentException(
          "reshape: expected a shape of %d %s, but got %s; it has %d"
              .formatted(elements(), Plural.word(elements(), "element"), shape, shape.elements()));
    }
    if (strings != null) {
      return wrapStrings(shape, strings);
    }
    return isDeferred()
        ? deferred(new ReshapeExpression(this, shape))
        : ofMemory(dtype, shape, memory(), lease, place);
  }

  /** Tensors of one type and shape stacked along a new first dimension, deferred. */
  public static Tensor stack(List<Tensor> rows) {
    return deferred(new StackExpression(rows));
  }

  /**
   * What {@code function} makes of each row of the first dimension, stacked, deferred: of the files
   * in a batch of byte strings, say.
   */
  public Tensor mapRows(UnaryOperator<Tensor> function) {
    checkRows(0, 0);
    List<Tensor> rows = new ArrayList<>();
    for (long row = 0; row < shape.dim(0); row++) {
      rows.add(function.apply(slice(row)));
    }
    return stack(rows);
  }

  /** The elements as another type, deferred; see {@link ConvertExpression} for the rounding. */
  public Tensor convert(DType to) {
    return to == dtype ? this : deferred(new ConvertExpression(this, to));
  }

  /** The elements multiplied by {@code factor}, deferred; integers become float32 first. */
  public Tensor scale(double factor) {
    return deferred(new ScaleExpression(this, factor));
  }

  // ---- numbers; types are TensorFlow's, see the expressions

  /** The square of each element, of the same type; deferred. */
  public Tensor square() {
    return deferred(new MathExpression(this, MathFunction.SQUARE));
  }

  /** The absolute value of each element; deferred. */
  public Tensor abs() {
    return deferred(new MathExpression(this, MathFunction.ABS));
  }

  /** Each element with the other sign; deferred. */
  public Tensor negate() {
    return deferred(new MathExpression(this, MathFunction.NEGATE));
  }

  /** The square root of each element, a float; deferred. */
  public Tensor sqrt() {
    return deferred(new MathExpression(this, MathFunction.SQRT));
  }

  /** e to the power of each element, a float; deferred. */
  public Tensor exp() {
    return deferred(new MathExpression(this, MathFunction.EXP));
  }

  /** The natural logarithm of each element, a float; deferred. */
  public Tensor log() {
    return deferred(new MathExpression(this, MathFunction.LOG));
  }

  /** Each element plus {@code value}, which must be an integer if they are; deferred. */
  public Tensor add(double value) {
    return deferred(new ArithmeticExpression(this, Arithmetic.ADD, value));
  }

  /** Each element less {@code value}, which must be an integer if they are; deferred. */
  public Tensor subtract(double value) {
    return deferred(new ArithmeticExpression(this, Arithmetic.SUBTRACT, value));
  }

  /**
   * Each element times {@code value}, which must be an integer if they are; deferred. {@link
   * #scale} makes floats of integers.
   */
  public Tensor multiply(double value) {
    return deferred(new ArithmeticExpression(this, Arithmetic.MULTIPLY, value));
  }

  /** Each element divided by {@code value}; integers become floats first; deferred. */
  public Tensor divide(double value) {
    return deferred(new ArithmeticExpression(this, Arithmetic.DIVIDE, value));
  }

  /** Each element, or the bound that it lies beyond; {@code tf.clip_by_value}, deferred. */
  public Tensor clip(double least, double most) {
    return deferred(new ClipExpression(this, least, most));
  }

  /** The sums of elements and those of {@code other}, of one shape or one a scalar; deferred. */
  public Tensor add(Tensor other) {
    return deferred(new CombineExpression(this, other, Arithmetic.ADD));
  }

  /** Elements less those of {@code other}, of one shape or one a scalar; deferred. */
  public Tensor subtract(Tensor other) {
    return deferred(new CombineExpression(this, other, Arithmetic.SUBTRACT));
  }

  /** Elements times those of {@code other}, of one shape or one a scalar; deferred. */
  public Tensor multiply(Tensor other) {
    return deferred(new CombineExpression(this, other, Arithmetic.MULTIPLY));
  }

  /** Elements divided by those of {@code other}, of one shape or one a scalar; deferred. */
  public Tensor divide(Tensor other) {
    return deferred(new CombineExpression(this, other, Arithmetic.DIVIDE));
  }

  /** The sum of all elements, a scalar of their type; see {@link ReduceExpression}; deferred. */
  public Tensor sum() {
    return deferred(ReduceExpression.ofAll(this, Reduction.SUM));
  }

  /** The sums along these axes, negative ones counted from the last; deferred. */
  public Tensor sum(int... axes) {
    return deferred(ReduceExpression.along(this, Reduction.SUM, axes));
  }

  /** The mean of all elements, a scalar of their type: truncated if they are integers; deferred. */
  public Tensor mean() {
    return deferred(ReduceExpression.ofAll(this, Reduction.MEAN));
  }

  /** The means along these axes, negative ones counted from the last; deferred. */
  public Tensor mean(int... axes) {
    return deferred(ReduceExpression.along(this, Reduction.MEAN, axes));
  }

  /** The least of all elements, a scalar; deferred. */
  public Tensor min() {
    return deferred(ReduceExpression.ofAll(this, Reduction.MIN));
  }

  /** The least along these axes, negative ones counted from the last; deferred. */
  public Tensor min(int... axes) {
    return deferred(ReduceExpression.along(this, Reduction.MIN, axes));
  }

  /** The largest of all elements, a scalar; deferred. */
  public Tensor max() {
    return deferred(ReduceExpression.ofAll(this, Reduction.MAX));
  }

  /** The largest along these axes, negative ones counted from the last; deferred. */
  public Tensor max(int... axes) {
    return deferred(ReduceExpression.along(this, Reduction.MAX, axes));
  }

  // ---- images [height, width, channels], and batches of them; see dev.headrace.data.image

  /** The image in another size, bilinearly, as float32; {@code tf.image.resize}, deferred. */
  public Tensor resize(int height, int width) {
    return resize(height, width, Resize.BILINEAR);
  }

  /** The image in another size, as float32 unless the method is NEAREST; deferred. */
  public Tensor resize(int height, int width, Resize options) {
    return deferred(ResizeExpression.within(this, height, width, options));
  }

  /** The whole image in a frame of that size, undistorted, with zeros where it is not. */
  public Tensor resizeWithPad(int height, int width, Resize options) {
    return Frames.resizeWithPad(this, height, width, options);
  }

  /** The image cropped or padded with zeros around its middle, to that size. */
  public Tensor resizeWithCropOrPad(int height, int width) {
    return Frames.cropOrPad(this, height, width);
  }

  /** The image scaled and moved: TensorFlow's ScaleAndTranslate, deferred. */
  public Tensor scaleAndTranslate(
      int height,
      int width,
      ScaleAndTranslateExpression.Factors scale,
      ScaleAndTranslateExpression.Factors translation,
      ScaleKernel kernel,
      boolean antialias) {
    return deferred(
        new ScaleAndTranslateExpression(
            this, height, width, scale, translation, kernel, antialias));
  }

  /** Boxes of the images, each resized bilinearly to that size; pixels outside are 0. */
  public Tensor cropAndResize(List<CropAndResizeExpression.Box> boxes, int height, int width) {
    return deferred(new CropAndResizeExpression(this, boxes, height, width, 0));
  }

  /** A window of the image, deferred; a decoder decodes no more than it needs for it. */
  public Tensor crop(Window window) {
    return deferred(new CropExpression(this, window));
  }

  /** A window of the image, as {@code tf.image.crop_to_bounding_box}; deferred. */
  public Tensor crop(int top, int left, int height, int width) {
    return crop(new Window(top, left, height, width));
  }

  /** The middle of the image, this fraction of each side; deferred. */
  public Tensor centralCrop(double fraction) {
    return crop(CropExpression.central(this, fraction));
  }

  /** The image within zeros, as {@code tf.image.pad_to_bounding_box}; deferred. */
  public Tensor pad(int top, int left, int height, int width) {
    return deferred(new PadExpression(this, top, left, height, width));
  }

  /** The image mirrored, columns in reverse; deferred. */
  public Tensor flipLeftRight() {
    return oriented(Orientation.FLIP_LEFT_RIGHT);
  }

  /** The image upside down, rows in reverse; deferred. */
  public Tensor flipUpDown() {
    return oriented(Orientation.FLIP_UP_DOWN);
  }

  /** The image with rows as columns; deferred. */
  public Tensor transpose() {
    return oriented(Orientation.TRANSPOSE);
  }

  /** The image turned by quarters against the clock, as often as given; deferred. */
  public Tensor rot90(int times) {
    return OrientExpression.turned(this, times);
  }

  /** The image with its channels first, from channels last; deferred. */
  public Tensor toNchw() {
    return deferred(new LayoutExpression(this, Layout.NCHW));
  }

  /** The image with its channels last, from channels first; deferred. */
  public Tensor toNhwc() {
    return deferred(new LayoutExpression(this, Layout.NHWC));
  }

  /** The image as float32, less a mean and divided by a deviation for each channel; deferred. */
  public Tensor normalise(float[] mean, float[] deviation) {
    return deferred(NormaliseExpression.of(this, mean, deviation));
  }

  /** Each image to mean 0 and deviation 1; {@code tf.image.per_image_standardization}, deferred. */
  public Tensor standardise() {
    return deferred(new StandardiseExpression(this));
  }

  /** The image as another type, scaled to its range and kept within it; deferred. */
  public Tensor convertImageDtype(DType to) {
    return to == dtype ? this : deferred(new ConvertImageExpression(this, to, true));
  }

  /** The image brightened by {@code delta} of the full range; deferred. */
  public Tensor adjustBrightness(double delta) {
    return adjusted(new Adjustment.Brightness((float) delta));
  }

  /** Values moved from their channel's mean by a factor; deferred. */
  public Tensor adjustContrast(double factor) {
    return adjusted(new Adjustment.Contrast((float) factor));
  }

  /** Colours more or less saturated by a factor; deferred. */
  public Tensor adjustSaturation(double factor) {
    return adjusted(new Adjustment.Saturation((float) factor));
  }

  /** Colours turned by {@code delta} of the circle; deferred. */
  public Tensor adjustHue(double delta) {
    return adjusted(new Adjustment.Hue((float) delta));
  }

  /** Values to the power {@code gamma}, times {@code gain}; deferred. */
  public Tensor adjustGamma(double gamma, double gain) {
    return adjusted(new Adjustment.Gamma((float) gamma, (float) gain));
  }

  /** The image in shades of grey, one channel; deferred. */
  public Tensor rgbToGrayscale() {
    return recoloured(Colour.RGB_TO_GRAYSCALE);
  }

  /** The image with its one channel three times; deferred. */
  public Tensor grayscaleToRgb() {
    return recoloured(Colour.GRAYSCALE_TO_RGB);
  }

  /** Hue, saturation and value of an image of floats; deferred. */
  public Tensor rgbToHsv() {
    return recoloured(Colour.RGB_TO_HSV);
  }

  /** Red, green and blue of hue, saturation and value; deferred. */
  public Tensor hsvToRgb() {
    return recoloured(Colour.HSV_TO_RGB);
  }

  /** A window of that size at a place drawn from {@code random}; deferred. */
  public Tensor randomCrop(RandomGenerator random, int height, int width) {
    return RandomSteps.crop(this, random, height, width);
  }

  /** A window of an area and a form that are drawn, resized bilinearly; deferred. */
  public Tensor randomResizedCrop(RandomGenerator random, int height, int width) {
    return randomResizedCrop(random, height, width, CropRange.COMMON, Resize.BILINEAR);
  }

  /** A window drawn from {@code range}, resized; deferred. */
  public Tensor randomResizedCrop(
      RandomGenerator random, int height, int width, CropRange range, Resize options) {
    return RandomSteps.resizedCrop(this, random, height, width, range, options);
  }

  /** The image, mirrored in one of two cases; deferred. */
  public Tensor randomFlipLeftRight(RandomGenerator random) {
    return RandomSteps.orient(this, random, Orientation.FLIP_LEFT_RIGHT);
  }

  /** The image, upside down in one of two cases; deferred. */
  public Tensor randomFlipUpDown(RandomGenerator random) {
    return RandomSteps.orient(this, random, Orientation.FLIP_UP_DOWN);
  }

  /** Brightness changed by at most {@code mostDelta} up or down; deferred. */
  public Tensor randomBrightness(RandomGenerator random, double mostDelta) {
    return RandomSteps.brightness(this, random, (float) mostDelta);
  }

  /** Contrast multiplied by {@code least} to {@code most}; deferred. */
  public Tensor randomContrast(RandomGenerator random, double least, double most) {
    return RandomSteps.contrast(this, random, (float) least, (float) most);
  }

  /** Saturation multiplied by {@code least} to {@code most}; deferred. */
  public Tensor randomSaturation(RandomGenerator random, double least, double most) {
    return RandomSteps.saturation(this, random, (float) least, (float) most);
  }

  /** The hue turned by at most {@code mostDelta} either way; deferred. */
  public Tensor randomHue(RandomGenerator random, double mostDelta) {
    return RandomSteps.hue(this, random, (float) mostDelta);
  }

  private Tensor oriented(Orientation orientation) {
    return deferred(new OrientExpression(this, orientation));
  }

  private Tensor adjusted(Adjustment adjustment) {
    return deferred(new AdjustExpression(this, adjustment));
  }

  private Tensor recoloured(Colour colour) {
    return deferred(new ColourExpression(this, colour));
  }

  // ---- memory

  /**
   * The memory of the elements, read-only, native byte order. On a leased tensor it becomes
   * inaccessible when the batch is given back: an access then throws.
   */
  public MemorySegment segment() {
    MemorySegment elements = checkFixedSize("segment").readable();
    return lease == null ? elements.asReadOnly() : lease.guarded(elements);
  }

  /**
   * Writes the elements to {@code destination} from byte {@code offset} on. A deferred tensor is
   * computed straight into it, and stays deferred.
   *
   * @throws IllegalArgumentException if the destination is read-only
   */
  public void copyInto(MemorySegment destination, long offset) {
    long bytes = checkFixedSize("copyInto").byteSize();
    if (destination.isReadOnly()) {
      throw new IllegalArgumentException(
          "copyInto: expected memory to write to, but the destination is read-only; allocate a"
              + " segment of your own, since those of tensors are only to be read");
    }
    if (offset < 0 || offset > destination.byteSize() - bytes) {
      throw new IndexOutOfBoundsException(
          "copyInto: expected room for %d %s at offset %d, but the destination has %d"
              .formatted(bytes, Plural.word(bytes, "byte"), offset, destination.byteSize()));
    }
    Expression expression = expression();
    if (expression != null) {
      expression.evaluateInto(destination.asSlice(offset, bytes));
    } else if (isInline()) {
      writeInline(destination.asSlice(offset, bytes));
    } else if (place != null) {
      place.copyToHost(memory(), destination.asSlice(offset, bytes));
      checkLease();
    } else {
      read(m -> MemorySegment.copy(m, 0, destination, offset, bytes));
    }
  }

  /** Whether type, shape and every bit of the elements are the same (so that NaN equals NaN). */
  public boolean contentEquals(Tensor other) {
    if (dtype != other.dtype || !shape.equals(other.shape)) {
      return false;
    }
    if (strings != null) {
      return sameStrings(strings, Objects.requireNonNull(other.strings));
    }
    boolean[] equal = new boolean[1];
    read(mine -> other.read(theirs -> equal[0] = mine.mismatch(theirs) == -1));
    return equal[0];
  }

  private static boolean sameStrings(MemorySegment[] mine, MemorySegment[] theirs) {
    for (int i = 0; i < mine.length; i++) {
      if (mine[i].byteSize() != theirs[i].byteSize() || mine[i].mismatch(theirs[i]) != -1) {
        return false;
      }
    }
    return true;
  }

  /**
   * Lets {@code reader} see the elements for the time of the call, read-only in spirit. What a
   * deferred tensor computes for it lies in memory of the thread and is not kept: this is how one
   * step of a computation reads the step before it.
   */
  public void borrow(Consumer<MemorySegment> reader) {
    Expression expression = checkFixedSize("borrow").expression();
    if (expression == null) {
      read(reader);
      return;
    }
    long bytes = byteSize();
    try (Scratch scratch = Scratch.take(bytes)) {
      MemorySegment memory = scratch.memory().asSlice(0, bytes);
      expression.evaluateInto(memory);
      reader.accept(memory);
    }
  }

  /** Lets {@code reader} see the memory, and throws if the batch was given back meanwhile. */
  void read(Consumer<MemorySegment> reader) {
    MemorySegment elements = readable();
    try {
      reader.accept(elements);
    } finally {
      checkLease();
    }
  }

  void forEachLease(Consumer<? super Lease> action) {
    Expression expression = expression();
    if (lease != null) {
      action.accept(lease);
    } else if (expression != null) {
      expression.sources().forEach(source -> source.forEachLease(action));
    }
  }

  /** The memory, which the host can read. */
  private MemorySegment readable() {
    if (place != null) {
      throw new IllegalStateException(
          "%s%s: expected a tensor in the host's memory, but it is on device %s; use toHost()"
              .formatted(dtype.tfName(), shape, place.name()));
    }
    return memory();
  }

  private MemorySegment memory() {
    if (memory != null) {
      checkLease();
      return memory;
    }
    if (deferred != null) {
      return deferred.memory();
    }
    MemorySegment made = allocate("Tensor", dtype, shape);
    writeInline(made);
    return made;
  }

  private boolean isInline() {
    return memory == null && deferred == null && strings == null;
  }

  private void writeInline(MemorySegment destination) {
    if (dtype.isFloating()) {
      Elements.writeDouble(dtype, destination, 0, Double.longBitsToDouble(inlineBits));
    } else {
      Elements.writeLong(dtype, destination, 0, inlineBits);
    }
  }

  private long readLong(long index) {
    if (isInline()) {
      return inlineBits;
    }
    long value = Elements.readLong(dtype, readable(), index);
    checkLease();
    return value;
  }

  private double readDouble(long index) {
    if (isInline()) {
      return Double.longBitsToDouble(inlineBits);
    }
    double value = Elements.readDouble(dtype, readable(), index);
    checkLease();
    return value;
  }

  private void checkLease() {
    if (lease != null) {
      lease.check();
    }
  }

  private static MemorySegment allocate(String place, DType dtype, Shape shape) {
    long bytes = fixedBytes(place, dtype, shape);
    return bytes <= Integer.MAX_VALUE - 8
        ? MemorySegment.ofArray(new byte[(int) bytes])
        : Arena.ofAuto().allocate(bytes, 64);
  }

  // ---- checks and messages

  private static long fixedBytes(String place, DType dtype, Shape shape) {
    if (!dtype.isFixedSize() || !shape.isFullyKnown()) {
      throw new IllegalArgumentException(
          place
              + ": expected numbers of a fully known shape, but got "
              + dtype.tfName()
              + shape
              + "; make strings by ofStrings or wrapStrings");
    }
    if (shape.elements() > Long.MAX_VALUE / dtype.byteSize()) {
      throw new IllegalArgumentException(
          place + ": expected at most 2^63-1 bytes, but got " + dtype.tfName() + shape);
    }
    return shape.elements() * dtype.byteSize();
  }

  private Tensor checkFixedSize(String method) {
    if (!dtype.isFixedSize()) {
      throw cannotRead(method, "numbers", "bytesAt or segmentAt");
    }
    return this;
  }

  private void checkIndex(long index) {
    if (index < 0 || index >= shape.elements()) {
      throw new IndexOutOfBoundsException(
          "%s%s: expected an index of 0 to %d, but got %d"
              .formatted(dtype.tfName(), shape, shape.elements() - 1, index));
    }
  }

  private void checkRows(long from, long to) {
    if (shape.rank() == 0) {
      throw new IllegalStateException("slice: expected a tensor with rows, but got " + describe());
    }
    if (from < 0 || to < from || to > shape.dim(0)) {
      throw new IndexOutOfBoundsException(
          "slice: expected rows within 0 to %d, but got %d to %d"
              .formatted(shape.dim(0), from, to));
    }
  }

  private long only() {
    if (shape.elements() != 1) {
      throw new IllegalStateException(
          "expected a tensor of one element, but got "
              + describe()
              + "; read elements by longAt(i) and its like");
    }
    return 0;
  }

  private int arrayLength() {
    if (shape.elements() > Integer.MAX_VALUE - 8) {
      throw new IllegalStateException(
          "expected a tensor that fits into an array, but got " + describe() + "; use segment()");
    }
    return (int) shape.elements();
  }

  private MemorySegment string(String method, long index) {
    if (strings == null) {
      throw cannotRead(method, "string", "toByteArray()");
    }
    checkIndex(index);
    return strings[(int) index];
  }

  private int exactInt(long value) {
    if (value != (int) value) {
      throw cannotHold("an int", value);
    }
    return (int) value;
  }

  private double exactDouble(long value, DType to) {
    double nearest = Elements.toFloating(dtype, value, to);
    // The largest integers round up to a power of two, which the way back would clamp down.
    boolean beyond = dtype == DType.UINT64 ? nearest == 0x1p64 : nearest == 0x1p63;
    if (beyond || Elements.toInteger(nearest, dtype) != value) {
      throw cannotHold("a " + to.tfName(), value);
    }
    return nearest;
  }

  private IllegalStateException cannotHold(String what, long value) {
    return new IllegalStateException(
        "%s: expected a value that %s holds exactly, but got %s; use longAt, or convert() to round"
            .formatted(describe(), what, show(value)));
  }

  private IllegalStateException cannotRead(String method, String expected, String instead) {
    return new IllegalStateException(
        method + ": expected " + expected + ", but got " + describe() + "; use " + instead);
  }

  private String show(long value) {
    return dtype == DType.UINT64 ? Long.toUnsignedString(value) : Long.toString(value);
  }

  /** Type and shape, or the computation of a deferred tensor; never the elements. */
  public String describe() {
    Expression expression = expression();
    return expression == null ? dtype.tfName() + shape : expression.describe();
  }

  /** As {@code int64[3] [0, 1, 2]}, shortened; nothing is computed for it. */
  @Override
  public String toString() {
    if (isDeferred()) {
      return dtype.tfName() + shape + " = " + describe();
    }
    if (lease != null && !lease.isLive()) {
      return describe() + " (given back)";
    }
    if (place != null) {
      return describe() + " on device " + place.name();
    }
    if (shape.rank() == 0) {
      return describe() + " " + showAt(0);
    }
    StringJoiner text = new StringJoiner(", ", describe() + " [", "]");
    for (int i = 0; i < Math.min(elements(), SHOWN_ELEMENTS); i++) {
      text.add(showAt(i));
    }
    if (elements() > SHOWN_ELEMENTS) {
      text.add("…");
    }
    return text.toString();
  }

  private String showAt(int index) {
    if (strings != null) {
      String string = stringAt(index);
      return '"'
          + (string.length() > SHOWN_CHARS ? string.substring(0, SHOWN_CHARS) + "…" : string)
          + '"';
    }
    return switch (dtype) {
      case BOOL -> Boolean.toString(booleanAt(index));
      case FLOAT16, BFLOAT16, FLOAT32 -> Float.toString(floatAt(index));
      case FLOAT64 -> Double.toString(doubleAt(index));
      default -> show(longAt(index));
    };
  }

  /** A computation until it has run, its result from then on. */
  private static final class Deferred {
    private volatile @Nullable Expression expression;
    private volatile @Nullable MemorySegment result;
    private volatile boolean isOnAnothersAccount;

    Deferred(Expression expression) {
      this.expression = expression;
    }

    MemorySegment memory() {
      MemorySegment known = result;
      return known != null ? known : evaluate();
    }

    private synchronized MemorySegment evaluate() {
      MemorySegment known = result;
      Expression computation = expression;
      if (known != null || computation == null) {
        return Objects.requireNonNull(known);
      }
      MemorySegment made = allocate("Tensor.deferred", computation.dtype(), computation.shape());
      computation.evaluateInto(made);
      result = made;
      expression = null; // lets go of the sources
      return made;
    }
  }
}
