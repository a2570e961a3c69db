package dev.headrace.spi;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Csv;
import dev.headrace.data.DType;
import dev.headrace.data.Padding;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.Currency;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ContentIdentityTest {

  private enum Mode {
    FAST,
    SLOW {
      @Override
      public String toString() {
        return "slow, with code of its own";
      }
    }
  }

  private record Pt(int x, @Nullable Object more) {}

  private record OtherPt(int x, @Nullable Object more) {}

  private record Scale(long k) implements Fn<Long, Long> {
    @Override
    public Long apply(Long x) {
      return k * x;
    }
  }

  private static class Model {
    private final double[][] weights;

    Model(double... weights) {
      this.weights = new double[][] {weights};
    }

    Fn<Long, Double> function() {
      return x -> weights[0][0] * x;
    }

    double apply(long x) {
      return weights[0][0] * x;
    }
  }

  private static final class LargerModel extends Model {
    @SuppressWarnings("unused") // part of its content
    private final String name;

    LargerModel(String name, double... weights) {
      super(weights);
      this.name = name;
    }
  }

  private static final class DefaultingMap extends HashMap<String, Integer> {
    private static final long serialVersionUID = 1;
    private final int otherwise;

    DefaultingMap(int otherwise, Map<String, Integer> entries) {
      super(entries);
      this.otherwise = otherwise;
    }

    @Override
    public Integer get(Object key) {
      return getOrDefault(key, otherwise);
    }
  }

  private static final class Ring {
    @SuppressWarnings("unused") // part of its content
    private final int value;

    private @Nullable Ring next;

    Ring(int value) {
      this.value = value;
    }

    static Ring of(int... values) {
      Ring first = new Ring(values[0]);
      Ring last = first;
      for (int i = 1; i < values.length; i++) {
        last.next = new Ring(values[i]);
        last = last.next;
      }
      last.next = first;
      return first;
    }
  }

  private static String hashOf(@Nullable Object value) {
    ContentIdentity identity = ContentIdentity.of(value);
    assertThat(identity.missing()).as(identity.hash()).isNull();
    return identity.hash();
  }

  private static Fn<Object, Object> plus(@Nullable Object captured) {
    return x -> x + "" + captured;
  }

  private static Fn<Object, Object> pluss(@Nullable Object captured) {
    return x -> captured + "" + x;
  }

  private static <K, V> Map<K, V> linked(Map<K, V> map, List<K> order) {
    Map<K, V> linked = new LinkedHashMap<>();
    order.forEach(key -> linked.put(key, map.get(key)));
    return linked;
  }

  /** No two of them are alike. */
  @SuppressWarnings({"JavaUtilDate", "UnnecessaryStringBuilder"}) // users capture them
  private static List<Supplier<@Nullable Object>> values() {
    List<Supplier<@Nullable Object>> all = new ArrayList<>();
    all.addAll(
        List.of(
            () -> null,
            () -> true,
            () -> (byte) 1,
            () -> (short) 1,
            () -> (char) 1,
            () -> 1,
            () -> 1L,
            () -> 1f,
            () -> 1d,
            () -> "1",
            () -> 0d,
            () -> -0d,
            () -> Double.NaN,
            () -> Double.longBitsToDouble(0x7ff8000000000001L),
            () -> Float.NaN,
            () -> "",
            () -> "\ud800",
            () -> "?",
            () -> "\ufffd",
            () -> Mode.FAST,
            () -> Mode.SLOW,
            () -> Mode.class,
            () -> int.class,
            () -> Integer.class,
            () -> int[].class,
            () -> DType.INT32));
    all.addAll(
        List.of(
            () -> new byte[] {1},
            () -> new boolean[] {true},
            () -> new short[] {1},
            () -> new char[] {1},
            () -> new int[] {1},
            () -> new int[] {1, 0},
            () -> new int[0],
            () -> new long[] {1},
            () -> new float[] {1},
            () -> new double[] {1},
            () -> new double[] {-0d},
            () -> new double[][] {{1}, {}},
            () -> new double[][] {{}, {1}},
            () -> new String[] {"a", "b"},
            () -> new Object[] {"a", "b"},
            () -> new String[] {"ab"},
            () -> new String[0]));
    all.addAll(
        List.of(
            () -> List.of("a", "b"),
            () -> List.of("b", "a"),
            () -> List.of("a, b"),
            () -> List.of("a", List.of("b")),
            () -> List.of(List.of("a"), "b"),
            () -> List.of(List.of("a", "b")),
            () -> List.of(1, 2),
            () -> List.of(1L, 2L),
            List::of,
            () -> Set.of("a", "b"),
            Set::of,
            () -> new LinkedHashSet<>(List.of("a", "b")),
            () -> new LinkedHashSet<>(List.of("b", "a")),
            () -> new TreeSet<>(List.of("a", "b")),
            () -> new TreeSet<>(Comparator.reverseOrder()),
            () -> new TreeSet<>(String.CASE_INSENSITIVE_ORDER),
            () -> Map.of("a", "b"),
            () -> Map.of("b", "a"),
            () -> Map.of("a", "b", "c", "d"),
            () -> Map.of("a", "d", "c", "b"),
            Map::of,
            () -> linked(Map.of("a", 1, "b", 2), List.of("a", "b")),
            () -> linked(Map.of("a", 1, "b", 2), List.of("b", "a")),
            () -> Collections.unmodifiableMap(linked(Map.of("a", 3, "b", 4), List.of("a", "b"))),
            () -> Collections.unmodifiableMap(linked(Map.of("a", 3, "b", 4), List.of("b", "a"))),
            () -> new TreeMap<>(Map.of("a", 1, "b", 2)),
            () -> new EnumMap<>(Map.of(Mode.FAST, 1)),
            () -> EnumSet.of(Mode.FAST),
            () -> Collections.unmodifiableSet(new LinkedHashSet<>(List.of("a", "c"))),
            () -> Collections.unmodifiableSet(new LinkedHashSet<>(List.of("c", "a"))),
            () -> Collections.unmodifiableSet(Set.of("c", "a")),
            () -> Collections.unmodifiableSet(EnumSet.of(Mode.SLOW)),
            () -> Collections.singletonList(List.of("a", "b", "c")),
            () -> new TreeMap<>(Map.of("a", 1, "b", 2)).values(),
            () -> new ArrayDeque<>(List.of("a", "b")),
            () -> new PriorityQueue<>(List.of("a", "b")),
            () -> new DefaultingMap(1, Map.of("a", 1)),
            () -> new DefaultingMap(2, Map.of("a", 1)),
            () -> new DefaultingMap(1, Map.of("a", 2)),
            () -> Map.entry("a", "b")));
    all.addAll(
        List.of(
            Optional::empty,
            () -> Optional.of("a"),
            () -> OptionalInt.of(1),
            () -> OptionalLong.of(1),
            () -> Path.of("a/b"),
            () -> new File("a/b"),
            () -> URI.create("a/b"),
            () -> BigInteger.ONE,
            () -> new BigDecimal("1"),
            () -> new BigDecimal("1.0"),
            () -> UUID.fromString("00000000-0000-0001-0000-000000000001"),
            () -> Pattern.compile("a"),
            () -> Pattern.compile("a", Pattern.CASE_INSENSITIVE),
            () -> Locale.GERMANY,
            () -> Locale.GERMAN,
            () -> StandardCharsets.UTF_8,
            () -> StandardCharsets.ISO_8859_1,
            () -> Currency.getInstance("EUR"),
            () -> ZoneId.of("Europe/Berlin"),
            () -> Duration.ofSeconds(1),
            () -> Duration.ofSeconds(1, 1),
            () -> Instant.EPOCH,
            () -> LocalDate.EPOCH,
            () -> ZonedDateTime.ofInstant(Instant.EPOCH, ZoneId.of("UTC")),
            () -> ZonedDateTime.ofInstant(Instant.EPOCH, ZoneId.of("GMT")),
            () -> new Date(1),
            () -> BitSet.valueOf(new long[] {1}),
            () -> new StringBuilder("a"),
            () -> new AtomicInteger(1),
            () -> new AtomicInteger(2),
            () -> new AtomicLong(1)));
    all.addAll(
        List.of(
            () -> Tensor.scalar(1L),
            () -> Tensor.scalar(1),
            () -> Tensor.scalar(1f),
            () -> Tensor.of(Shape.of(1), new long[] {1}),
            () -> Tensor.of(Shape.of(1, 2), new long[] {1, 2}),
            () -> Tensor.of(Shape.of(2, 1), new long[] {1, 2}),
            () -> Tensor.ofStrings("a", "b"),
            () -> Tensor.ofStrings("ab", ""),
            () -> Tensor.full(Shape.of(3), 2f).square(),
            () -> Seed.of(1),
            () -> Seed.of(2),
            () -> Shape.of(1),
            () -> Shape.of(1, 1),
            () -> Padding.zeros(),
            () -> Padding.zeros().value(1),
            () -> Padding.zeros().value("1"),
            () -> Csv.int32("a"),
            () -> Csv.int32("a").or(1),
            () -> Csv.string("a").or("1"),
            () -> Csv.string("a=1")));
    all.addAll(
        List.of(
            () -> new Pt(1, null),
            () -> new Pt(2, null),
            () -> new OtherPt(1, null),
            () -> new Pt(1, "null"),
            () -> new Pt(1, new int[] {1}),
            () -> new Pt(1, new Pt(1, null)),
            () -> new Scale(1),
            () -> new Scale(10),
            () -> new Model(1),
            () -> new Model(2),
            () -> new Model(1, 2),
            () -> new LargerModel("a", 1),
            () -> new LargerModel("b", 1),
            () -> Ring.of(1, 2),
            () -> Ring.of(2, 1),
            () -> Ring.of(1, 2, 3),
            () -> Ring.of(1)));
    all.addAll(
        List.of(
            () -> (Fn<Long, Long>) x -> x + 1,
            () -> (Fn<Long, Long>) x -> x * x,
            () -> (PureFn<Long, Long>) x -> x * x,
            () -> (Fn<Object, Object>) String::valueOf,
            () -> (Fn<Object, Object>) Object::toString,
            () -> (Fn<Object, Object>) new Pt(1, null)::equals,
            () -> (Fn<Object, Object>) new Pt(2, null)::equals,
            () -> (Fn<Long, Double>) new Model(1)::apply,
            () -> (Fn<Long, Double>) new Model(3)::apply,
            () -> new Model(1).function(),
            () -> new Model(2).function(),
            () -> plus(null),
            () -> plus("null"),
            () -> plus(new String[] {"a"}),
            () -> plus(new String[] {"b"}),
            () -> plus(new double[][] {{1}}),
            () -> plus(new double[][] {{2}}),
            () -> plus(plus(1)),
            () -> plus(pluss(1)),
            () -> pluss(plus(1)),
            () -> pluss(1),
            () ->
                new Fn<Long, Long>() {
                  @Override
                  public Long apply(Long x) {
                    return x;
                  }
                },
            () -> plus(range(3)),
            () -> plus(range(4)),
            () -> plus(range(3).map(x -> x + 1)),
            () -> plus(range(3).map(x -> x + 2)),
            () -> plus(range(3).map(new Scale(2))),
            () -> plus(range(3).map(new Scale(3))),
            () -> Example.parser(Feature.int64("a").orElse(1)),
            () -> Example.parser(Feature.int64("a").orElse(2)),
            () -> Collator.stack(),
            () -> Collator.toList()));
    return all;
  }

  @Test
  void noTwoValuesThatDifferAreTakenForOne() {
    Map<String, Integer> seen = new HashMap<>();
    List<Supplier<@Nullable Object>> values = values();
    for (int i = 0; i < values.size(); i++) {
      String hash = hashOf(values.get(i).get());
      Integer other = seen.put(hash, i);
      assertThat(other).as("number %d is taken for number %s", i, other).isNull();
      assertThat(hashOf(values.get(i).get())).as("number %d, made again", i).isEqualTo(hash);
    }
  }

  @Test
  void noTwoPlansThatDifferAreTakenForOne() {
    List<Supplier<@Nullable Object>> values = values();
    Map<String, Integer> seen = new HashMap<>();
    for (int i = 1; i < values.size(); i++) { // not null
      Object value = values.get(i).get();
      for (Dataset<?> plan :
          List.of(
              Dataset.fromList(List.of(value)),
              range(3).map(plus(value)),
              range(3).scan(value, (state, x) -> new Scanned<>(state, x)))) {
        assertThat(seen.put(plan.fingerprint(), i)).as("number %d", i).isNull();
      }
    }
  }

  @Test
  void whereOrderSaysNothingItDoesNotCount() {
    assertThat(hashOf(new HashSet<>(List.of(1, 2, 3))))
        .isEqualTo(hashOf(Set.of(3, 2, 1)))
        .isEqualTo(hashOf(new HashSet<>(Set.of(2, 3, 1))));
    Map<Mode, Integer> large = new HashMap<>(1000);
    large.put(Mode.SLOW, 2);
    large.put(Mode.FAST, 1);
    assertThat(hashOf(large))
        .isEqualTo(hashOf(Map.of(Mode.FAST, 1, Mode.SLOW, 2)))
        .isEqualTo(hashOf(new ConcurrentHashMap<>(large)));
    assertThat(hashOf(new ArrayList<>(List.of(1, 2)))).isEqualTo(hashOf(List.of(1, 2)));
    assertThat(hashOf(Collections.unmodifiableMap(large)))
        .as("shown by another one")
        .isEqualTo(hashOf(large))
        .isEqualTo(hashOf(Collections.synchronizedMap(large)))
        .isNotEqualTo(hashOf(Collections.unmodifiableMap(new EnumMap<>(large))));
    assertThat(hashOf(large.keySet()))
        .isEqualTo(hashOf(Set.of(Mode.SLOW, Mode.FAST)))
        .isEqualTo(hashOf(Collections.unmodifiableMap(large).keySet()));
    assertThat(hashOf(large.values())).isEqualTo(hashOf(new ConcurrentHashMap<>(large).values()));
    Properties properties = new Properties();
    properties.setProperty("a", "1");
    assertThat(hashOf(new Properties(properties))).isNotEqualTo(hashOf(new Properties()));
  }

  /** Values of random shape, of which one leaf may be changed. */
  private static final class Growing {
    private final SplittableRandom random;
    private int leaf;
    private final int changed;

    Growing(long seed, int changed) {
      this.random = new SplittableRandom(seed);
      this.changed = changed;
    }

    private int number() {
      int number = random.nextInt(3);
      return leaf++ == changed ? number + 100 : number;
    }

    Object value(int depth) {
      return switch (random.nextInt(depth == 0 ? 8 : 18)) {
        case 0 -> number();
        case 1 -> (long) number();
        case 2 -> (double) number();
        case 3 -> "text " + number();
        case 4 -> new int[] {1, number()};
        case 5 -> Tensor.of(number(), 2L);
        case 6 -> new Scale(number());
        case 7 -> Duration.ofSeconds(number());
        case 8, 9 -> List.of(value(depth - 1), value(depth - 1));
        case 10 -> new Object[] {value(depth - 1), value(depth - 1)};
        case 11 -> new Pt(number(), value(depth - 1));
        case 12 -> Map.of("a", value(depth - 1), "b", value(depth - 1));
        case 13 -> new HashSet<>(Set.of(List.of("x", value(depth - 1)), "y"));
        case 14 -> Optional.of(value(depth - 1));
        case 15 -> plus(value(depth - 1));
        case 16 -> new LargerModel("m" + number(), number());
        default -> range(number()).map(plus(value(depth - 1))).take(number());
      };
    }
  }

  @Test
  void whateverLeafDiffersTheIdentityDoes() {
    int pairs = 0;
    for (long seed = 0; seed < 800; seed++) {
      Growing first = new Growing(seed, -1);
      String hash = hashOf(first.value(4));
      assertThat(hashOf(new Growing(seed, -1).value(4))).isEqualTo(hash);
      for (int changed = 0; changed < Math.min(first.leaf, 30); changed++) {
        assertThat(hashOf(new Growing(seed, changed).value(4)))
            .as("seed %d, leaf %d", seed, changed)
            .isNotEqualTo(hash);
        pairs++;
      }
    }
    assertThat(pairs).isGreaterThan(1000);
  }

  private static String missing(@Nullable Object value) {
    return String.valueOf(ContentIdentity.of(value).missing());
  }

  @Test
  void whatHasNoContentIsNamedWithTheWayToIt() {
    String none = " has no content that is the same in every process";
    assertThat(missing(new Random())).isEqualTo("Random: java.util.Random" + none);
    assertThat(missing(new Object())).isEqualTo("Object: java.lang.Object" + none);
    assertThat(missing(new Pt(1, new Random()))).isEqualTo("Pt.more: java.util.Random" + none);
    assertThat(missing(List.of(1, new Pt(1, Map.of("a", new ReentrantLock())))))
        .endsWith("[1].more[value]: java.util.concurrent.locks.ReentrantLock" + none);
    assertThat(FunctionIdentity.of(plus(new Pt(1, Thread.currentThread()))).content().missing())
        .startsWith("ContentIdentityTest.lambda$plus$")
        .endsWith(" captures Pt.more: java.lang.Thread" + none);
    Function<Object, Object> plain = x -> x;
    assertThat(FunctionIdentity.of(plus(plain)).content().missing())
        .contains("because java.util.function.Function is not serializable")
        .contains("declare it as a dev.headrace.spi.Fn");
    Object proxy =
        Proxy.newProxyInstance(
            ContentIdentityTest.class.getClassLoader(),
            new Class<?>[] {Runnable.class},
            (self, method, arguments) -> null);
    assertThat(missing(proxy)).contains("Proxy");
    assertThat(missing(new Random() {})).contains("extends java.util.Random, whose content");
    assertThat(missing(Map.of("a", 1, "b", 2).keySet())).as("of many maps").endsWith(none);
    assertThat(missing(Collections.newSetFromMap(new WeakHashMap<>())))
        .endsWith("java.util.WeakHashMap" + none);
  }

  @Test
  void whatIsTooLargeOrTooDeepHasNone() {
    Object shared = "leaf";
    for (int i = 0; i < 40; i++) {
      shared = List.of(shared, shared);
    }
    assertThat(missing(shared)).contains("it has more than 1,000,000 values or 256 MB");
    Object deep = "leaf";
    for (int i = 0; i < 10_000; i++) {
      deep = Arrays.asList(deep);
    }
    assertThat(missing(deep)).contains("it is nested more than 256 levels deep");
    assertThat(missing(new Object[] {new byte[200 << 20], new byte[100 << 20]}))
        .contains("[1]: it has more than 1,000,000 values or 256 MB");
    assertThat(missing(new Object[2_000_000])).contains("more than 1,000,000");
    assertThat(missing(Collections.nCopies(Integer.MAX_VALUE, 1))).contains("more than 1,000,000");
    List<Object> itself = new ArrayList<>();
    itself.add(itself);
    assertThat(missing(itself)).isEqualTo("null");
    List<Dataset<Long>> holder = new ArrayList<>();
    holder.add(range(3).flatMap(x -> holder.getFirst()));
    assertThat(missing(holder)).isEqualTo("null");
  }

  @Test
  void whatCanBeReadStillCounts() {
    assertThat(ContentIdentity.of(new Pt(1, new Random())).hash())
        .isEqualTo(ContentIdentity.of(new Pt(1, new Random())).hash())
        .isNotEqualTo(ContentIdentity.of(new Pt(2, new Random())).hash());
  }

  @Test
  void whatMayChangeIsReadAgainEachTime() {
    int[] numbers = {1};
    Dataset<int[]> dataset = Dataset.of(numbers);
    String before = dataset.fingerprint();
    numbers[0] = 2;
    assertThat(dataset.fingerprint()).isNotEqualTo(before);
    AtomicInteger calls = new AtomicInteger();
    Dataset<Integer> counting = range(3).map(x -> calls.incrementAndGet());
    String unused = counting.fingerprint();
    calls.set(3);
    assertThat(counting.fingerprint()).isNotEqualTo(unused);
  }

  @Test
  void aNameAndVersionStandForFunctionsAndData() {
    assertThat(random(1).fingerprint()).isEqualTo(random(1).fingerprint());
    assertThat(random(1).fingerprint()).isNotEqualTo(random(2).fingerprint());
    assertThat(range(3).map(new Scale(1)).named("scale", 1).fingerprint())
        .as("whatever it captured")
        .isEqualTo(range(3).map(new Scale(2)).named("scale", 1).fingerprint())
        .as("another name")
        .isNotEqualTo(range(3).map(new Scale(1)).named("scales", 1).fingerprint())
        .as("a name alone")
        .isNotEqualTo(range(3).map(new Scale(1)).named("scale").fingerprint())
        .as("other parameters count")
        .isNotEqualTo(range(4).map(new Scale(1)).named("scale", 1).fingerprint());
    assertThat(range(3).map(new Scale(1)).named("other").fingerprint())
        .isEqualTo(range(3).map(new Scale(1)).fingerprint());
    assertThat(PlanIdentity.of(random(1).op(), true, Map.of()).missing()).isNull();
    assertThat(PlanIdentity.of(random(1).op(), true, Map.of()).functions())
        .containsExactly("random version 1");
  }

  private static Dataset<Long> random(int version) {
    Random generator = new Random();
    return range(3).map(x -> generator.nextLong()).named("random", version);
  }

  @Test
  void pathsInDifferentFileSystemsDiffer(@TempDir Path folder) throws IOException {
    Set<String> seen = new HashSet<>();
    for (String name : List.of("one.zip", "other.zip")) {
      try (FileSystem zip =
          FileSystems.newFileSystem(folder.resolve(name), Map.of("create", true))) {
        assertThat(seen.add(hashOf(zip.getPath("/a/b")))).isTrue();
        assertThat(seen.add(hashOf(zip.getPath("a/b")))).isTrue();
      }
    }
    assertThat(seen.add(hashOf(Path.of("/a/b")))).isTrue();
  }

  @Test
  void aMixtureIsKnownByTheWeightsItBeginsWith() {
    Weights weights = Weights.of(1, 2);
    String before = hashOf(weights);
    weights.set(2, 1);
    assertThat(hashOf(weights)).isNotEqualTo(before).isEqualTo(hashOf(Weights.of(2, 1)));
  }

  /** What differs from process to process if it is read in the wrong way. */
  public static void main(String[] arguments) {
    int number = 0;
    for (Supplier<@Nullable Object> value : values()) {
      System.out.println(number++ + " " + hashOf(value.get()));
    }
    Map<Object, Object> map = new HashMap<>();
    Set<Object> set = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      map.put(new Pt(i, Mode.values()[i % 2]), Set.of("a", i, "c"));
      set.add(List.of(i, Mode.FAST));
    }
    System.out.println(hashOf(Collections.unmodifiableMap(map)));
    System.out.println(hashOf(Collections.unmodifiableSet(Set.of("a", "b", "c", "d", "e"))));
    System.out.println(hashOf(new HashMap<>(map) {}));
    Set<Object> byIdentity = Collections.newSetFromMap(new IdentityHashMap<>());
    Collections.addAll(byIdentity, new Pt(1, null), new Pt(2, null), new Pt(3, null), Mode.FAST);
    System.out.println(hashOf(byIdentity));
    System.out.println(hashOf(new HashSet<>(byIdentity)));
    System.out.println(hashOf(byEnum().keySet()));
    System.out.println(hashOf(byEnum().values()));
    System.out.println(hashOf(byEnum().entrySet()));
    System.out.println(hashOf(plus(map)));
    System.out.println(hashOf(plus(set)));
    System.out.println(range(3).map(plus(map)).fingerprint());
  }

  private static Map<TimeUnit, Integer> byEnum() {
    Map<TimeUnit, Integer> map = new HashMap<>();
    for (TimeUnit unit : TimeUnit.values()) {
      map.put(unit, unit.ordinal());
    }
    return map;
  }

  @Test
  void theIdentityIsTheSameInEveryProcess() throws Exception {
    String first = printedByAnotherProcess("-XX:hashCode=5");
    assertThat(first.lines()).hasSize(values().size() + 11);
    assertThat(printedByAnotherProcess("-XX:hashCode=0")).isEqualTo(first);
    assertThat(first).contains(" " + hashOf(values().getLast().get()));
  }

  private static String printedByAnotherProcess(String flag)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-XX:+UnlockExperimentalVMOptions",
                flag,
                "-cp",
                System.getProperty("java.class.path"),
                ContentIdentityTest.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }
}
