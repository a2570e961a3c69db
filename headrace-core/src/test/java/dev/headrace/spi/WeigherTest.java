package dev.headrace.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.sun.management.ThreadMXBean;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Weights are compared with what the JVM says it allocated to make the object. */
class WeigherTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final String LATIN = "x".repeat(500);

  /** What is allocated on the way and dropped: the array of arguments. */
  private static final long ARGUMENTS = 32;

  record Point(double x, double y) {}

  record Sample(float[] values, String label, Point at) {}

  record Nest(Sample first, Sample second, List<Point> path) {}

  static class Plain {
    final byte[] bytes = new byte[1000];
    final long number = 7;
    final boolean flag = true;
  }

  static final class Derived extends Plain {
    final int[] more = new int[50];
  }

  static final class Ring {
    Ring next = this;
    final byte[] bytes;

    Ring(int length) {
      this.bytes = new byte[length];
    }
  }

  static Stream<Arguments> makers() {
    List<Arguments> all = new ArrayList<>();
    add(all, "byte[]", () -> new byte[1001]);
    add(all, "boolean[]", () -> new boolean[1001]);
    add(all, "short[]", () -> new short[333]);
    add(all, "char[]", () -> new char[333]);
    add(all, "int[]", () -> new int[1001]);
    add(all, "float[]", () -> new float[10_000]);
    add(all, "long[]", () -> new long[77]);
    add(all, "double[]", () -> new double[77]);
    add(all, "float[][]", () -> new float[10][100]);
    add(all, "Object[]", () -> new Object[] {new int[3], new byte[5], null});
    add(all, "Long", () -> Long.valueOf(System.nanoTime()));
    add(all, "Integer", () -> Integer.valueOf((int) System.nanoTime() | 1 << 20));
    add(all, "Double", () -> Double.valueOf(System.nanoTime()));
    add(all, "Latin-1 text", () -> "x".repeat(1001));
    add(all, "other text", () -> "\u6f22".repeat(1001));
    add(all, "text with one other character", () -> LATIN.concat("\u20ac"));
    add(all, "record of numbers", () -> new Point(1, 2));
    add(all, "record of records", () -> new Sample(new float[99], "a".repeat(9), new Point(1, 2)));
    add(
        all,
        "nested records",
        () ->
            new Nest(
                new Sample(new float[99], "a".repeat(9), new Point(1, 2)),
                new Sample(new float[7], "b".repeat(99), new Point(1, 2)),
                List.of(new Point(3, 4), new Point(5, 6), new Point(7, 8))));
    add(all, "object", Plain::new);
    add(all, "object with a superclass", Derived::new);
    add(all, "object that refers to itself", () -> new Ring(100));
    add(all, "UUID", () -> new UUID(1, 2));
    add(all, "LocalDate", () -> LocalDate.of(2020, 1, 2));
    add(all, "BigInteger", () -> BigInteger.TWO.shiftLeft(1000));
    add(all, "List.of", () -> List.of(new byte[3], new byte[4], new byte[5]));
    add(all, "List.of two", () -> List.of(new byte[3], new byte[4]));
    add(all, "Arrays.asList", () -> Arrays.asList(new byte[3], new byte[4], new byte[5]));
    add(all, "LinkedList", () -> filled(new LinkedList<>(), 50));
    add(all, "Map.of", ARGUMENTS, () -> Map.of(1L << 40, new byte[10], 2L << 40, new byte[20]));
    add(all, "Map.of one", () -> Map.of(1L << 40, new byte[10]));
    add(all, "Set.of", ARGUMENTS, () -> Set.of(1L << 40, 2L << 40, 3L << 40));
    add(all, "TreeMap", () -> filled(new TreeMap<>(), 50));
    add(all, "scalar tensor", () -> Tensor.scalar(7));
    add(all, "tensor", 2 * ARGUMENTS, () -> Tensor.wrap(Shape.of(10, 100), new float[1000]));
    return all.stream();
  }

  private static void add(List<Arguments> all, String name, Supplier<Object> maker) {
    add(all, name, 0, maker);
  }

  private static void add(
      List<Arguments> all, String name, long garbageBytes, Supplier<Object> maker) {
    all.add(Arguments.of(name, garbageBytes, maker));
  }

  private static LinkedList<Object> filled(LinkedList<Object> list, int count) {
    for (int i = 0; i < count; i++) {
      list.add(new byte[i]);
    }
    return list;
  }

  private static <M extends Map<Object, Object>> M filled(M map, int count) {
    for (int i = 0; i < count; i++) {
      map.put((1L << 40) + i, new byte[100]);
    }
    return map;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("makers")
  void anElementWeighsWhatItTookToAllocateIt(
      String name, long garbageBytes, Supplier<Object> maker) {
    assertThat(Weigher.bytesOf(maker.get()) + garbageBytes)
        .isCloseTo(allocated(maker), within(16L));
  }

  /** The least that was allocated, so that classes loaded and code compiled do not count. */
  private static long allocated(Supplier<Object> maker) {
    long least = Long.MAX_VALUE;
    Object[] kept = new Object[20];
    for (int i = 0; i < kept.length; i++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      kept[i] = maker.get();
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(kept).doesNotContainNull();
    return least;
  }

  @Test
  void whatGrowsByCopyingWeighsWhatStaysOfIt() {
    // Tables that were left behind while it grew are garbage: they are allocated and not held.
    for (Map<Object, Object> map :
        List.of(filled(new HashMap<>(), 1000), filled(new LinkedHashMap<>(), 1000))) {
      int entry = map instanceof LinkedHashMap ? 40 : 32;
      assertThat(Weigher.bytesOf(map))
          .isCloseTo(48 + 2048 * 4 + 16 + 1000L * (entry + 24 + 120), within(64L));
    }
    List<Object> list = new ArrayList<>();
    Set<Object> set = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      list.add(new byte[100]);
      set.add((1L << 40) + i);
    }
    assertThat(Weigher.bytesOf(list)).isCloseTo(24 + 16 + 4 * 1234 + 120_000L, within(64L));
    assertThat(Weigher.bytesOf(set))
        .isCloseTo(16 + 48 + 16 + 4 * 2048 + 1000L * (32 + 24), within(64L));
  }

  @Test
  void collectionsAreWeighedInFull() {
    List<byte[]> mixed = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      mixed.add(new byte[i < 1900 ? 8 : 80_000]); // the heavy ones come last
    }
    assertThat(Weigher.bytesOf(mixed)).isGreaterThan(100 * 80_000);
  }

  @Test
  void oneObjectInAListCountsOnce() {
    assertThat(Weigher.bytesOf(Collections.nCopies(1000, new byte[10_000]))).isLessThan(20_000);
  }

  @Test
  void aLongChainIsWeighedWithoutOverflow() {
    Ring last = new Ring(100);
    Ring first = last;
    for (int i = 0; i < 20_000; i++) {
      Ring before = new Ring(100);
      before.next = first;
      first = before;
    }
    assertThat(Weigher.bytesOf(first)).isCloseTo(20_001L * (24 + 120), within(1000L));
  }

  @Test
  void chunksOfLongsWeighEightBytesEach() {
    Chunk chunk = new Chunk();
    for (int i = 0; i < 100; i++) {
      chunk.addLong(i, null, i);
    }
    assertThat(Weigher.bytesOf(chunk)).isEqualTo(800);
  }

  @Test
  void everyElementOfAChunkIsWeighed() {
    Chunk chunk = new Chunk();
    for (int i = 0; i < 100; i++) {
      chunk.add(new byte[i == 77 ? 1_000_000 : 8], null, i);
    }
    assertThat(Weigher.bytesOf(chunk)).isBetween(1_000_000L, 1_003_000L);
  }

  @Test
  void theUserMayTellTheWeight() {
    record Handle(String name) {}
    Handle handle = new Handle("a".repeat(1000));
    Weigher.declare(Handle.class, h -> 5_000_000);
    try {
      assertThat(Weigher.bytesOf(List.of(handle))).isGreaterThan(5_000_000);
    } finally {
      Weigher.forget(Handle.class);
    }
    assertThat(Weigher.bytesOf(handle)).isLessThan(2000);
  }

  @Test
  void pathsEnumsAndTypesAreWeighed() {
    assertThat(Weigher.bytesOf(Path.of("/data/train/a.jpg"))).isBetween(80L, 250L);
    assertThat(Weigher.bytesOf(Thread.State.NEW)).isZero();
    assertThat(Weigher.bytesOf(String.class)).isZero();
  }

  @Test
  void collectionsThatHoldThemselvesAreWeighedOnce() {
    List<Object> list = new ArrayList<>(List.of(1L, new byte[1000], 2L));
    list.add(0, list);
    list.add(list);
    Map<String, Object> map = new HashMap<>(Map.of("bytes", new byte[1000]));
    map.put("self", map);
    map.put("list", list);
    Object[] array = {1L, null, new byte[1000]};
    array[1] = array;
    assertThat(Weigher.bytesOf(list)).isBetween(1000L, 1300L);
    assertThat(Weigher.bytesOf(map)).isBetween(2000L, 2800L);
    assertThat(Weigher.bytesOf(array)).isBetween(1000L, 1200L);
  }

  @Test
  void listsInListsDoNotMultiplyWhatIsInTheInnermost() {
    List<Object> many = new ArrayList<>();
    for (int i = 0; i < 70_000; i++) {
      many.add(new byte[8]);
    }
    Object nested = many;
    for (int i = 0; i < 100; i++) {
      nested = new ArrayList<>(Arrays.asList(nested, 1L, 2L));
    }
    assertThat(Weigher.bytesOf(nested)).isBetween(70_000L * 28, 70_000L * 40);
  }

  @Test
  void aFewHugeCollectionsAllCount() {
    record Holder(List<Object> items) {}
    List<Object> items = new ArrayList<>();
    for (int i = 0; i < 70_000; i++) {
      items.add(new byte[i % 100]);
    }
    List<Object> lists = new ArrayList<>();
    List<Object> records = new ArrayList<>();
    Map<String, Object> map = new HashMap<>();
    for (int i = 0; i < 10; i++) {
      lists.add(new ArrayList<>(items));
      records.add(new Holder(new ArrayList<>(items)));
      map.put("list " + i, new ArrayList<>(items));
    }
    long one = Weigher.bytesOf(items);
    for (Object all : List.of(lists, records, map, lists.toArray(), List.copyOf(lists))) {
      assertThat(Weigher.bytesOf(all)).isCloseTo(10 * one, withinPercentage(10));
    }
  }

  @Test
  @Timeout(20)
  void aListWithoutEndIsNotReadToItsEnd() {
    List<Object> endless = Collections.nCopies(Integer.MAX_VALUE, "x");
    for (int i = 0; i < 20; i++) {
      assertThat(Weigher.bytesOf(endless)).isPositive();
    }
  }

  @Test
  void collectionsThatTheUserHasExtendedWeighWhatTheyHold() {
    Map<String, Object> map = new HashMap<>() {};
    map.put("bytes", new byte[1_000_000]);
    List<Object> list = new ArrayList<>() {};
    list.add(new byte[1_000_000]);
    assertThat(Weigher.bytesOf(map)).isBetween(1_000_000L, 1_001_000L);
    assertThat(Weigher.bytesOf(list)).isBetween(1_000_000L, 1_001_000L);
  }

  @Test
  void buffersWeighTheArrayThatTheyView() {
    assertThat(Weigher.bytesOf(ByteBuffer.allocate(10_000))).isBetween(10_000L, 10_100L);
    assertThat(Weigher.bytesOf(FloatBuffer.allocate(10_000))).isBetween(40_000L, 40_100L);
    assertThat(Weigher.bytesOf(ByteBuffer.allocate(10_000).slice(0, 10)))
        .isBetween(10_000L, 10_100L);
    assertThat(Weigher.bytesOf(ByteBuffer.allocateDirect(10_000))).isLessThan(100);
  }

  @Test
  void aWeightThatTheUserTellsWronglyIsTakenForAPossibleOne() {
    record Told(long bytes) implements Weighed {
      @Override
      public long heapBytes() {
        if (bytes == 0) {
          throw new IllegalStateException("closed");
        }
        return bytes;
      }
    }
    assertThat(Weigher.bytesOf(new Told(-5))).isZero();
    assertThat(Weigher.bytesOf(new Told(0))).isEqualTo(Weigher.UNREADABLE_BYTES);
    assertThat(Weigher.bytesOf(List.of(new Told(Long.MAX_VALUE), new Told(Long.MAX_VALUE))))
        .isPositive();
  }
}
