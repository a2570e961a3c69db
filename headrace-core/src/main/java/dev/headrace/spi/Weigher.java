package dev.headrace.spi;

import dev.headrace.data.HeapLayout;
import dev.headrace.data.Log;
import dev.headrace.data.References;
import dev.headrace.data.Tensor;
import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.math.BigInteger;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tells how many bytes an element keeps alive on the heap: headers, alignment and all that it
 * refers to.
 *
 * <p>Records and objects are weighed by their fields, arrays by their entries, texts by their
 * characters, collections of the JDK by what they take as they are built. An object that several
 * elements share counts in each of them. What cannot be read, because a module keeps it closed, is
 * estimated, and a warning says so once by name; {@link #declare} or {@link Weighed} tell the
 * weight.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 */
public final class Weigher {
  /*
   * Each class has a shape, which knows what its objects take. Most elements are leaves (numbers,
   * arrays, texts, tensors), whose shape answers at once. For the others a walk adds up what they
   * refer to. The walk is bounded: after MOST_NODES things, the rest of a long collection is taken to
   * weigh what its first items do, and a collection that was not looked into is taken to hold things
   * of average weight; below DEEPEST the walk goes on from a list, not from the stack.
   */

  private static final System.Logger LOG = Log.named("headrace.memory");

  /** What a reference to something that cannot be read is taken to keep alive. */
  static final long UNREADABLE_BYTES = 4096;

  /** The same for what the JDK keeps closed, whose objects are mostly small. */
  private static final long JDK_PART_BYTES = 48;

  private static final long THROWABLE_BYTES = 1024;
  private static final long BOXED_BYTES =
      HeapLayout.object(HeapLayout.HEADER % 8 + 8); // a gap before the number
  private static final int MOST_NODES = 1 << 16;

  /** More than any heap has, and little enough that sums of it do not overflow. */
  private static final long MOST_BYTES = 1L << 50;

  private static final int MOST_ITEMS = 1 << 20;

  /** So many items of a collection are looked at in any case. */
  private static final int MANY = 1 << 12;

  private static final int DEEPEST = 128;
  private static final int FEW = 16;
  private static final int SAMPLES = 4;

  private static final ClassValue<Shape> SHAPES =
      new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
          return shapeOf(type);
        }
      };

  private static final Map<Class<?>, ToLongFunction<Object>> DECLARED = new ConcurrentHashMap<>();
  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  private Weigher() {}

  /** The bytes of the elements of a chunk. */
  public static long bytesOf(Chunk chunk) {
    int size = chunk.size();
    if (chunk.inLongs()) {
      return 8L * size;
    }
    @Nullable Object[] items = chunk.items();
    Walk walk = new Walk();
    long bytes = 0;
    for (int i = 0; i < size; i++) {
      Object item = items[i];
      bytes += item == null ? 0 : walk.bytesOf(item);
    }
    return bytes;
  }

  /** About the bytes of the elements of a chunk, from a few of them: to show, not to charge. */
  static long aboutBytesOf(Chunk chunk) {
    int size = chunk.size();
    if (chunk.inLongs() || size <= SAMPLES) {
      return bytesOf(chunk);
    }
    long bytes = 0;
    for (int i = 0; i < SAMPLES; i++) {
      bytes += bytesOf(chunk.item((int) ((long) i * size / SAMPLES)));
    }
    return bytes * size / SAMPLES;
  }

  /** The bytes of an element. */
  public static long bytesOf(Object element) {
    long known = ofCommon(element);
    return known >= 0 ? known : new Walk().bytesOf(element);
  }

  /**
   * Tells what objects of a class weigh, in every pipeline of this process: where their module
   * keeps them closed, or where elements share them and they should not count.
   */
  public static <T> void declare(Class<T> type, ToLongFunction<? super T> heapBytes) {
    DECLARED.put(type, object -> heapBytes.applyAsLong(type.cast(object)));
    SHAPES.remove(type);
  }

  /** Takes back what was {@link #declare declared}. */
  public static void forget(Class<?> type) {
    DECLARED.remove(type);
    SHAPES.remove(type);
  }

  /** What the commonest elements weigh, without a look at their class; −1 for others. */
  private static long ofCommon(Object element) {
    if (element instanceof Tensor tensor) {
      return tensor.heapBytes();
    }
    if (element instanceof byte[] bytes) {
      return HeapLayout.array(bytes.length, 1);
    }
    if (element instanceof String text) {
      return ofText(text);
    }
    if (element instanceof float[] floats) {
      return HeapLayout.array(floats.length, 4);
    }
    return element instanceof Long || element instanceof Double ? BOXED_BYTES : -1;
  }

  // ---- shapes -----------------------------------------------------------------------------------

  /** What objects of one class take. */
  private interface Shape {
    long bytes(Object object, Walk walk);
  }

  /** Objects that refer to nothing that must be walked. */
  private record Leaf(ToLongFunction<Object> weight) implements Shape {
    @Override
    public long bytes(Object object, Walk walk) {
      return weight.applyAsLong(object);
    }
  }

  private static Shape leaf(ToLongFunction<Object> bytes) {
    return new Leaf(bytes);
  }

  /** The weight that code of the user tells, which may throw: no leaf. */
  private static Shape told(ToLongFunction<Object> bytes) {
    return (object, walk) -> Math.clamp(bytes.applyAsLong(object), 0, MOST_BYTES);
  }

  private static Shape fixed(long bytes) {
    return leaf(object -> bytes);
  }

  private static Shape shapeOf(Class<?> type) {
    ToLongFunction<Object> declared = DECLARED.get(type);
    if (declared != null) {
      return told(declared);
    }
    if (type.isArray()) {
      return ofArray(type.getComponentType());
    }
    if (Weighed.class.isAssignableFrom(type)) {
      return told(object -> ((Weighed) object).heapBytes());
    }
    if (isNobodys(type)) {
      return fixed(0);
    }
    if (Plan.class.isAssignableFrom(type)) { // a window holds its elements
      return (object, walk) -> HeapLayout.object(8) + walk.visit(((Plan<?>) object).op());
    }
    if (Throwable.class.isAssignableFrom(type)) {
      return fixed(THROWABLE_BYTES);
    }
    return type.getModule() == Object.class.getModule() ? ofJdk(type) : ofObject(type);
  }

  /** What belongs to the program, not to an element that refers to it. */
  private static boolean isNobodys(Class<?> type) {
    return type.isEnum()
        || (type.getSuperclass() != null && type.getSuperclass().isEnum())
        || type == Class.class
        || type == Site.class
        || ClassLoader.class.isAssignableFrom(type)
        || Thread.class.isAssignableFrom(type)
        || Module.class.isAssignableFrom(type)
        || Reference.class.isAssignableFrom(type)
        || System.Logger.class.isAssignableFrom(type);
  }

  private static Shape ofArray(Class<?> entry) {
    if (!entry.isPrimitive()) {
      return (object, walk) -> {
        Object[] items = (Object[]) object;
        if (walk.hasSeen(object)) {
          return 0;
        }
        return HeapLayout.references(items.length) + walk.sum(Arrays.asList(items), items.length);
      };
    }
    if (entry == int.class) {
      return leaf(object -> HeapLayout.array(((int[]) object).length, 4));
    }
    if (entry == long.class) {
      return leaf(object -> HeapLayout.array(((long[]) object).length, 8));
    }
    if (entry == double.class) {
      return leaf(object -> HeapLayout.array(((double[]) object).length, 8));
    }
    if (entry == boolean.class) {
      return leaf(object -> HeapLayout.array(((boolean[]) object).length, 1));
    }
    if (entry == short.class) {
      return leaf(object -> HeapLayout.array(((short[]) object).length, 2));
    }
    return leaf(object -> HeapLayout.array(((char[]) object).length, 2));
  }

  private static Shape ofObject(Class<?> type) {
    References references = References.of(type);
    long own = references.objectBytes();
    if (references.types().isEmpty()) {
      return fixed(own);
    }
    if (!references.areReadable()) {
      if (Map.class.isAssignableFrom(type)) { // one of the JDK's that the user has extended
        return (object, walk) -> ofMap((Map<?, ?>) object, own, walk);
      }
      if (Collection.class.isAssignableFrom(type)) {
        return (object, walk) -> ofCollection((Collection<?>) object, own, walk);
      }
      return unreadable(type, references);
    }
    boolean isRecord = type.isRecord();
    return (object, walk) -> {
      if (!isRecord && walk.hasSeen(object)) {
        return 0;
      }
      long bytes = own;
      for (Object part : references.of(object)) {
        bytes += walk.visit(part);
      }
      return bytes;
    };
  }

  /** The estimate for a class that a module keeps closed. */
  private static Shape unreadable(Class<?> type, References references) {
    long bytes = references.objectBytes();
    boolean isGuess = false;
    for (Class<?> part : references.types()) {
      Long known = fixedBytes(part);
      bytes += known == null ? UNREADABLE_BYTES : known;
      isGuess |= known == null;
    }
    if (!isGuess) {
      return fixed(bytes);
    }
    Closed closed = new Closed(references.objectBytes(), new ClosedClass(type, bytes));
    if (!closed.type.isWritable() && SAID.add(type.getName())) {
      LOG.log(
          System.Logger.Level.WARNING,
          "memory: expected to read %s to know what it weighs, but module %s keeps it closed; it is estimated by what is allocated when one is made, or at %,d bytes. Add 'opens %s to dev.headrace.core;' to its module-info.java, or tell its weight: Weigher.declare(%s.class, x -> …)"
              .formatted(
                  type.getTypeName(),
                  type.getModule().getName(),
                  bytes,
                  type.getPackageName(),
                  type.getSimpleName()));
    }
    return closed;
  }

  /** An object of a class that a module keeps closed. */
  private record Closed(long ownBytes, ClosedClass type) implements Shape {
    @Override
    public long bytes(Object object, Walk walk) {
      if (walk.hasSeen(object)) {
        return 0;
      }
      List<Object> parts = type.partsOf(object);
      return parts == null ? type.estimate() : ownBytes + walk.sum(parts, parts.size());
    }
  }

  /** Whether what an element weighs is not known, and {@link #made} tells it better. */
  public static boolean isGuess(Object element) {
    return SHAPES.get(element.getClass()) instanceof Closed closed && !closed.type.isWritable();
  }

  /** What the calling thread has allocated so far; −1 where that is not known. */
  public static long allocatedBytes() {
    return ClosedClass.allocatedBytes();
  }

  /**
   * Takes note of an element that was made of another, for which {@link #allocatedBytes} was read
   * before: those after it are taken to weigh as much as it may.
   */
  public static void made(Object element, Object given, long allocatedBefore) {
    long allocated = allocatedBytes() - allocatedBefore;
    if (allocatedBefore >= 0
        && allocated >= 0
        && SHAPES.get(element.getClass()) instanceof Closed closed) {
      closed.type.saw(allocated + bytesOf(given));
    }
  }

  /** What every object of a declared type takes, or null where that differs. */
  private static @Nullable Long fixedBytes(Class<?> declared) {
    if (isNobodys(declared)) {
      return 0L;
    }
    if (Number.class.isAssignableFrom(declared) || declared == Character.class) {
      return HeapLayout.object(8);
    }
    return declared == Boolean.class ? 0L : null;
  }

  // ---- the JDK's classes, whose fields are closed -----------------------------------------------

  private static Shape ofJdk(Class<?> type) {
    long own = References.of(type).objectBytes();
    if (References.of(type).types().isEmpty()) {
      return fixed(own); // numbers, dates
    }
    if (type == BigInteger.class) {
      return leaf(object -> own + HeapLayout.array(((BigInteger) object).bitLength() / 32 + 1L, 4));
    }
    if (Map.class.isAssignableFrom(type)) {
      return (object, walk) -> ofMap((Map<?, ?>) object, own, walk);
    }
    if (Collection.class.isAssignableFrom(type)) {
      return (object, walk) -> ofCollection((Collection<?>) object, own, walk);
    }
    if (Map.Entry.class.isAssignableFrom(type)) {
      return (object, walk) ->
          own
              + walk.visit(((Map.Entry<?, ?>) object).getKey())
              + walk.visit(((Map.Entry<?, ?>) object).getValue());
    }
    if (type == Optional.class) {
      return (object, walk) -> own + walk.visit(((Optional<?>) object).orElse(null));
    }
    if (CharSequence.class.isAssignableFrom(type)) {
      return leaf(object -> own + HeapLayout.array(2L * ((CharSequence) object).length(), 1));
    }
    if (Path.class.isAssignableFrom(type)) { // its bytes, and the text once it was asked for
      return leaf(object -> own + 2 * ofText(object.toString()));
    }
    if (Buffer.class.isAssignableFrom(type)) {
      return leaf(object -> own + ofBuffer((Buffer) object));
    }
    if (type == java.util.BitSet.class) {
      return leaf(object -> own + HeapLayout.array(((java.util.BitSet) object).size() / 64, 8));
    }
    long bytes = own;
    for (Class<?> part : References.of(type).types()) {
      Long known = fixedBytes(part);
      bytes += known == null ? JDK_PART_BYTES : known;
    }
    return fixed(bytes);
  }

  /** The array that a buffer views: all of it, where that can be known. */
  private static long ofBuffer(Buffer buffer) {
    if (buffer.isDirect()) {
      return 0;
    }
    int entryBytes =
        switch (buffer) {
          case ByteBuffer _ -> 1;
          case CharBuffer _, ShortBuffer _ -> 2;
          case IntBuffer _, FloatBuffer _ -> 4;
          default -> 8;
        };
    int length = buffer.hasArray() ? Array.getLength(buffer.array()) : buffer.capacity();
    return HeapLayout.array(length, entryBytes);
  }

  private static long ofMap(Map<?, ?> map, long own, Walk walk) {
    if (walk.hasSeen(map)) {
      return 0;
    }
    int size = map.size();
    Class<?> type = map.getClass();
    long entries;
    if (type == HashMap.class || type == LinkedHashMap.class) {
      long entry = HeapLayout.object((type == HashMap.class ? 3L : 5L) * HeapLayout.REFERENCE + 4);
      entries = size * entry + HeapLayout.hashTable(size);
    } else if (type == TreeMap.class) {
      entries = size * HeapLayout.object(5L * HeapLayout.REFERENCE + 1);
    } else if (isImmutable(type)) {
      entries = size == 1 ? 0 : HeapLayout.references(4L * size);
    } else {
      entries =
          size * HeapLayout.object(5L * HeapLayout.REFERENCE + 4) + HeapLayout.hashTable(size);
    }
    return own + entries + walk.sum(map);
  }

  private static long ofCollection(Collection<?> items, long own, Walk walk) {
    if (walk.hasSeen(items)) {
      return 0;
    }
    int size = items.size();
    Class<?> type = items.getClass();
    long room;
    if (type == ArrayList.class) {
      room = HeapLayout.references(grownList(size));
    } else if (type == LinkedList.class) {
      room = size * HeapLayout.object(3L * HeapLayout.REFERENCE);
    } else if (type == HashSet.class || type == LinkedHashSet.class) {
      long entry = HeapLayout.object((type == HashSet.class ? 3L : 5L) * HeapLayout.REFERENCE + 4);
      room = HeapLayout.object(32) + size * entry + HeapLayout.hashTable(size);
    } else if (type == TreeSet.class) {
      room = HeapLayout.object(32) + size * HeapLayout.object(5L * HeapLayout.REFERENCE + 1);
    } else if (type == ArrayDeque.class) {
      room = HeapLayout.references(Math.max(17L, size + (size >> 1)));
    } else if (isImmutable(type)) {
      boolean isSet = items instanceof Set;
      boolean hasArray = !type.getSimpleName().endsWith("12");
      room = hasArray ? HeapLayout.references(isSet ? 2L * size : size) : 0;
    } else {
      room = HeapLayout.references(size);
    }
    return own + room + walk.sum(items, size);
  }

  private static boolean isImmutable(Class<?> type) {
    return type.getName().startsWith("java.util.ImmutableCollections");
  }

  /** The length of an {@code ArrayList}'s array once it has grown to so many. */
  private static long grownList(int size) {
    long length = size == 0 ? 0 : 10;
    while (length < size) {
      length += length >> 1;
    }
    return length;
  }

  // ---- texts ------------------------------------------------------------------------------------

  private static final long TEXT_BYTES = HeapLayout.object(HeapLayout.REFERENCE + 6);

  /**
   * What walks the characters of a text that has two bytes for each. Where it does not differ from
   * what walks others, all texts are taken to have two.
   */
  private static final Class<?> OF_TWO_BYTES = "\u20ac".chars().spliterator().getClass();

  /** A text has a byte a character, or two where one of them is not Latin-1. */
  private static long ofText(String text) {
    boolean hasTwoBytes = text.chars().spliterator().getClass() == OF_TWO_BYTES;
    return TEXT_BYTES + HeapLayout.array(text.length(), hasTwoBytes ? 2 : 1);
  }

  // ---- walking ----------------------------------------------------------------------------------

  /**
   * Adds up what elements refer to, one after the other.
   *
   * <p><b>Threading:</b> one thread's.
   */
  static final class Walk implements BiConsumer<@Nullable Object, @Nullable Object> {
    private static final @Nullable String[] NO_NAMES = {};
    private static final long[] NO_BYTES = {};

    /** Of the last element: the next is often of the same class. */
    private @Nullable Class<?> lastType;

    private @Nullable Shape lastShape;

    private int nodes;
    private int depth;

    /** What those of them weigh that are no collections or objects with parts. */
    private long leafBytes;

    /** Objects that were met, which may refer to each other in a circle. */
    private @Nullable Object first;

    private @Nullable Set<Object> met;

    /** What lies too deep for the stack. */
    private @Nullable ArrayDeque<Object> later;

    /** The sum over the entries of the map that is being walked. */
    private long entryBytes;

    /** The keys of the last element's maps, in the order they were met, and what they weigh. */
    private @Nullable String[] names = NO_NAMES;

    private long[] nameBytes = NO_BYTES;
    private int namesMet;

    /** What an element weighs; elements before it do not matter. */
    long bytesOf(Object element) {
      long known = ofCommon(element);
      if (known >= 0) {
        return known;
      }
      Class<?> type = element.getClass();
      Shape shape = lastShape;
      if (type != lastType || shape == null) {
        shape = SHAPES.get(type);
        lastShape = shape;
        lastType = type;
      }
      return shape instanceof Leaf leaf ? leaf.bytes(element, this) : all(element, shape);
    }

    private long all(Object element, Shape shape) {
      nodes = 1;
      leafBytes = 0;
      namesMet = 0;
      try {
        long bytes = shape.bytes(element, this);
        while (later != null && !later.isEmpty() && nodes < MOST_NODES) {
          bytes += visit(later.removeFirst());
        }
        return Math.clamp(bytes, 0, MOST_BYTES);
      } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
        depth = 0;
        entryBytes = 0;
        return UNREADABLE_BYTES; // something of the user that cannot be walked
      } finally {
        first = null;
        met = null;
        later = null;
      }
    }

    long visit(@Nullable Object object) {
      if (object == null) {
        return 0;
      }
      nodes++;
      long known = ofCommon(object);
      if (known < 0) {
        Shape shape = SHAPES.get(object.getClass());
        if (!(shape instanceof Leaf leaf)) {
          return nodes > MOST_NODES ? estimate(object, shape) : parts(object, shape);
        }
        known = leaf.bytes(object, this);
      }
      leafBytes += known;
      return known;
    }

    private long parts(Object object, Shape shape) {
      if (depth == DEEPEST) {
        later = later == null ? new ArrayDeque<>() : later;
        later.addLast(object);
        return 0;
      }
      depth++;
      long bytes = shape.bytes(object, this);
      depth--;
      return bytes;
    }

    /** What an object weighs after so many others that it is not walked in full. */
    private long estimate(Object object, Shape shape) {
      long items =
          switch (object) {
            case Map<?, ?> map -> 2L * map.size();
            case Collection<?> collection -> collection.size();
            case Object[] array -> array.length;
            default -> -1;
          };
      long average = Math.min(MOST_BYTES, leafBytes) / nodes;
      if (items < 0) {
        return nodes > 2 * MOST_NODES ? average : parts(object, shape); // it refers to few others
      }
      return hasSeen(object) ? 0 : items * (average + HeapLayout.REFERENCE);
    }

    /** The sum over all items; of very many, what the first ones weigh stands for the rest. */
    @SuppressWarnings("ReferenceEquality") // the same object, whatever equals says
    long sum(Iterable<?> items, int count) {
      long bytes = 0;
      int seen = 0;
      Object before = null;
      for (Object item : items) {
        if (isEnough(seen)) {
          return scaled(bytes, seen, count);
        }
        bytes += item == before ? 0 : visit(item); // often the same one again and again
        before = item;
        seen++;
      }
      return bytes;
    }

    /** The sum over all keys and values. */
    long sum(Map<?, ?> map) {
      int size = map.size();
      long outer = entryBytes;
      entryBytes = 0;
      if (size < MANY) {
        map.forEach(this); // which makes no entries and no iterator for most maps
      } else {
        int seen = 0;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          if (isEnough(seen)) {
            entryBytes = scaled(entryBytes, seen, size);
            break;
          }
          accept(entry.getKey(), entry.getValue());
          seen++;
        }
      }
      long bytes = entryBytes;
      entryBytes = outer;
      return bytes;
    }

    @Override
    public void accept(@Nullable Object key, @Nullable Object value) {
      long bytes = (key instanceof String text ? ofName(text) : visit(key)) + visit(value);
      entryBytes += bytes;
    }

    /** What a text weighs that is a key, as maps that follow each other often have the same. */
    @SuppressWarnings("ReferenceEquality") // the same object, whatever equals says
    private long ofName(String text) {
      nodes++;
      int at = ++namesMet & (FEW - 1);
      if (names.length == 0) {
        names = new String[FEW];
        nameBytes = new long[FEW];
      }
      if (names[at] != text) {
        names[at] = text;
        nameBytes[at] = ofText(text);
      }
      leafBytes += nameBytes[at];
      return nameBytes[at];
    }

    private boolean isEnough(int seen) {
      return seen > MOST_ITEMS || (nodes > MOST_NODES && seen >= MANY);
    }

    private static long scaled(long bytes, int seen, int count) {
      return (long) Math.min(MOST_BYTES, (double) bytes / seen * Math.max(seen, count));
    }

    /** Whether an object was met before, and counted. */
    boolean hasSeen(Object object) {
      if (first == null) {
        first = object;
        return false;
      }
      if (met == null) {
        met = Collections.newSetFromMap(new IdentityHashMap<>(FEW));
        met.add(first);
      }
      return !met.add(object);
    }
  }
}
