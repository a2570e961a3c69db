package dev.headrace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.spi.Order;
import dev.headrace.spi.Packing;
import dev.headrace.spi.Reducer;
import dev.headrace.spi.ShardMode;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A consumer that is interrupted, whatever it does at that moment, goes on where it was. */
@Timeout(120)
@ExtendWith(NoLeftovers.class)
class InterruptedConsumerTest {

  @AfterEach
  void clear() {
    boolean _ = Thread.interrupted();
  }

  /** Elements that come one by one and never again. */
  private static Dataset<Long> once(long count) {
    return Dataset.generator(() -> LongStream.range(0, count).iterator());
  }

  private static void rest(long x) {
    if (x % 16 == 0) {
      LockSupport.parkNanos(50_000);
    }
  }

  private static long slow(long x) {
    rest(x);
    return x;
  }

  private static long sleepy(long x) throws InterruptedException {
    if (x % 64 == 0) {
      Thread.sleep(0, 50_000);
    }
    return x;
  }

  /** Each with a name, because parameters are named by their text. */
  private record Case(String name, Supplier<Dataset<?>> dataset) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> pipelines() {
    return Stream.of(
        new Case("inline map", () -> Dataset.range(800).map(x -> slow(x))),
        new Case("inline map that sleeps", () -> Dataset.range(800).map(x -> sleepy(x))),
        new Case("parallel map", () -> Dataset.range(800).map(x -> slow(x), 2)),
        new Case("prefetch", () -> Dataset.range(800).map(x -> slow(x)).prefetch(3)),
        new Case("batch", () -> Dataset.range(800).map(x -> slow(x), 2).batch(7, List::copyOf)),
        new Case(
            "shuffle",
            () -> Dataset.range(800).map(x -> slow(x), 2).shuffle(50, Seed.of(1)).repeat(2)),
        new Case(
            "interleave",
            () -> Dataset.range(30).interleave(x -> Dataset.range(50).map(y -> slow(y)), 4, 2)),
        new Case(
            "parallel interleave",
            () -> Dataset.range(30).interleave(x -> Dataset.range(50).map(y -> slow(y)), 4, 2, 2)),
        new Case(
            "debugging",
            () ->
                Dataset.range(500)
                    .map(x -> slow(x), 2)
                    .filter(x -> x % 3 != 0, 2)
                    .batch(4, List::copyOf)
                    .prefetch(2)
                    .options(Options.defaults().debug())),
        new Case("zip", () -> Dataset.range(400).map(x -> slow(x), 2).zip(Dataset.range(400))),
        new Case("scan", () -> Dataset.range(400).map(x -> slow(x), 2).scan(0L, Scans::sum)),
        new Case("generator", () -> once(800).map(x -> slow(x))),
        new Case("generator that sleeps", () -> once(800).map(x -> sleepy(x))),
        new Case("generator, prefetch", () -> once(800).map(x -> slow(x)).prefetch(3)),
        new Case(
            "generator, map, filter, batch",
            () -> once(800).map(x -> slow(x), 2).filter(x -> x % 3 != 0).batch(4, List::copyOf)),
        new Case(
            "generator, shuffle",
            () -> once(600).map(x -> slow(x), 2).shuffle(40, Seed.of(2)).take(550)),
        new Case("generator, zip", () -> once(400).map(x -> slow(x), 2).zip(Dataset.range(400))),
        new Case(
            "generator, debugging",
            () ->
                once(500)
                    .map(x -> slow(x), 2)
                    .filter(x -> x % 3 != 0)
                    .batch(4, List::copyOf)
                    .prefetch(2)
                    .options(Options.defaults().debug())),
        new Case(
            "generators, flatMap",
            () ->
                Dataset.range(30).flatMap(x -> once(20).map(y -> slow(y))).batch(3, List::copyOf)),
        new Case(
            "generators, interleave",
            () -> Dataset.range(30).interleave(x -> once(20).map(y -> slow(y)), 3, 2)));
  }

  /** What {@code scan} sums up. */
  private static final class Scans {
    static dev.headrace.spi.Scanned<Long, Long> sum(Long sum, Long x) {
      return new dev.headrace.spi.Scanned<>(sum + x, sum + x);
    }
  }

  /** Consumes under interrupts at random moments, and gives what it got. */
  private static List<String> restless(Dataset<?> dataset, long seed, AtomicInteger interrupts) {
    Thread consumer = Thread.currentThread();
    AtomicBoolean over = new AtomicBoolean();
    Thread interrupter =
        Thread.ofPlatform()
            .start(
                () -> {
                  Random random = new Random(seed);
                  while (!over.get()) {
                    LockSupport.parkNanos(random.nextInt(300_000));
                    consumer.interrupt();
                  }
                });
    List<String> got = new ArrayList<>();
    try (Pipeline<?> pipeline = dataset.open()) {
      Iterator<?> elements = null;
      for (boolean more = true; more; ) {
        try {
          elements = elements == null ? pipeline.iterator() : elements;
          more = elements.hasNext();
          if (more) {
            got.add(String.valueOf(elements.next()));
          }
        } catch (PipelineInterruptedException e) {
          interrupts.incrementAndGet();
          boolean _ = Thread.interrupted();
        }
      }
    } finally {
      over.set(true);
      while (interrupter.isAlive()) {
        Thread.onSpinWait(); // a join would be interrupted
      }
      boolean _ = Thread.interrupted();
    }
    return got;
  }

  private static List<String> quiet(Dataset<?> dataset) {
    List<String> all = new ArrayList<>();
    dataset.forEach(x -> all.add(String.valueOf(x)));
    return all;
  }

  @ParameterizedTest
  @MethodSource("pipelines")
  void interruptsAtRandomCostNoElement(Case one) {
    AtomicInteger interrupts = new AtomicInteger();
    List<String> expected = quiet(one.dataset.get());
    for (int seed = 0; seed < 1 || interrupts.get() == 0; seed++) {
      assertThat(restless(one.dataset.get(), seed, interrupts)).isEqualTo(expected);
    }
  }

  @Tag("long")
  @Timeout(600)
  @ParameterizedTest
  @MethodSource("pipelines")
  void thousandsOfInterruptsCostNoElement(Case one) {
    AtomicInteger interrupts = new AtomicInteger();
    List<String> expected = quiet(one.dataset.get());
    for (int seed = 0; interrupts.get() < 2000; seed++) {
      assertThat(restless(one.dataset.get(), seed, interrupts)).isEqualTo(expected);
    }
  }

  /** Elements that somebody else puts into a queue: the end is a negative one. */
  private static Iterator<Long> taking(BlockingQueue<Long> queue) {
    return new Iterator<>() {
      private long next;
      private boolean known;

      @Override
      public boolean hasNext() {
        if (!known) {
          try {
            next = queue.take();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
          }
          known = true;
        }
        return next >= 0;
      }

      @Override
      public Long next() {
        boolean _ = hasNext();
        known = false;
        return next;
      }
    };
  }

  private static final Reducer<Integer, List<Long>, Long, List<Long>> LISTING =
      new Reducer<>(
          key -> new ArrayList<>(),
          (all, x) -> {
            all.add(x);
            return all;
          },
          all -> all);

  /** Adds to each even number the odd one that another shard has. */
  private static Dataset<Long> withNext(Dataset<Long> even) {
    return even.flatMap(x -> Dataset.range(x, x + 2));
  }

  private static List<Long> longs(Tensor tensor) {
    return Arrays.stream(tensor.toLongArray()).boxed().toList();
  }

  static Stream<Case> waiting() {
    return Stream.of(
            "inline",
            "prefetch",
            "batch",
            "map",
            "shuffle",
            "zip",
            "window",
            "groupByWindow",
            "groupByReducer",
            "cache",
            "pack",
            "rebatch",
            "shard",
            "shardByRank",
            "skip",
            "unique",
            "chooseFrom",
            "prefetchToDevice",
            "debugging")
        .map(name -> new Case(name, null));
  }

  @ParameterizedTest
  @MethodSource("waiting")
  void aConsumerThatWaitsForAGeneratorIsStoppedAtOnceAndGoesOn(Case one) throws Exception {
    BlockingQueue<Long> queue = new ArrayBlockingQueue<>(1000);
    Dataset<Long> source = Dataset.generator(() -> taking(queue));
    Dataset<?> dataset =
        switch (one.name) {
          case "inline" -> source;
          case "prefetch" -> source.prefetch(2);
          case "batch" -> source.map(x -> x, 2).batch(3, List::copyOf);
          case "map" -> source.map(x -> x + 1, 2).map(x -> x - 1);
          case "zip" -> Dataset.range(100).zip(source.prefetch(2), (i, x) -> x);
          case "window" -> source.prefetch(2).window(3).flatMap(w -> w);
          case "groupByWindow" -> source.prefetch(2).groupByWindow(x -> 0, (key, w) -> w, 3);
          case "groupByReducer" -> source.prefetch(2).groupByReducer(x -> 0, LISTING);
          case "cache" -> source.prefetch(2).cache();
          case "pack" ->
              source
                  .prefetch(2)
                  .map(x -> new long[] {x})
                  .pack(3, Packing.CONCAT_SPLIT, 1, 0)
                  .map(row -> Arrays.toString(row.tokens()));
          case "rebatch" ->
              source.prefetch(2).map(Tensor::scalar).batch(1).rebatch(4).map(rows -> longs(rows));
          case "shard" -> withNext(source.prefetch(2).shard(2, 0));
          case "shardByRank" -> withNext(source.prefetch(2).shardByRank(0, 2, ShardMode.DROP));
          case "skip" -> Dataset.range(3).map(x -> x).concatenate(source).prefetch(2).skip(3);
          case "unique" -> source.prefetch(2).unique();
          case "chooseFrom" ->
              Dataset.chooseFrom(
                  List.of(source.prefetch(2)), Dataset.range(100).map(x -> 0L), false);
          case "prefetchToDevice" ->
              source.map(Tensor::scalar).prefetchToDevice(Device.host(), 2).map(t -> t.longValue());
          case "debugging" ->
              Dataset.range(100)
                  .zip(source.prefetch(2), (i, x) -> Tensor.scalar(x))
                  .batch(2)
                  .prefetchToDevice(Device.host(), 2)
                  .map(rows -> longs(rows))
                  .options(Options.defaults().debug());
          default -> source.prefetch(2).shuffle(3, Seed.of(4));
        };
    List<String> got = new ArrayList<>();
    int stops = 0;
    try (Pipeline<?> pipeline = dataset.open()) {
      Iterator<?> elements = pipeline.iterator();
      for (long x = 0; x < 12; x++) {
        queue.add(x);
        if (x % 2 == 1) {
          continue;
        }
        for (boolean stopped = false; !stopped; ) { // takes what is there, and then is stopped
          Thread me = Thread.currentThread();
          Thread interrupter =
              Thread.ofPlatform()
                  .start(
                      () -> {
                        while (me.getState() != Thread.State.WAITING
                            && me.getState() != Thread.State.TIMED_WAITING) {
                          Thread.onSpinWait();
                        }
                        me.interrupt();
                      });
          try {
            got.add(String.valueOf(elements.next()));
          } catch (PipelineInterruptedException e) {
            stopped = true;
            stops++;
          }
          boolean _ = Thread.interrupted();
          while (interrupter.isAlive()) {
            LockSupport.parkNanos(10_000); // so that it sees a wait, if there was none
          }
          boolean _ = Thread.interrupted();
        }
      }
      queue.add(-1L);
      elements.forEachRemaining(x -> got.add(String.valueOf(x)));
    }
    assertThat(stops).isEqualTo(6);
    List<String> flat = new ArrayList<>();
    for (String text : got) {
      for (String number : text.replaceAll("[\\[\\] ]", "").split(",")) {
        flat.add(number);
      }
    }
    List<String> all = LongStream.range(0, 12).mapToObj(String::valueOf).toList();
    if (one.name.equals("shuffle")) {
      assertThat(flat).containsExactlyInAnyOrderElementsOf(all);
    } else {
      assertThat(flat).isEqualTo(all);
    }
  }

  @Test
  void anInterruptWhileAFunctionReadsAFileCostsNoElement(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("data"), new byte[1 << 16]);
    AtomicInteger interrupts = new AtomicInteger();
    for (Dataset<Long> source : List.of(Dataset.range(500), once(500))) {
      Dataset<Long> reading = source.map(x -> x + readByte(file, x));
      for (int seed = 0; seed < 2; seed++) {
        assertThat(restless(reading, seed, interrupts)).isEqualTo(quiet(Dataset.range(500)));
      }
    }
    assertThat(interrupts).hasPositiveValue();
  }

  private static int readByte(Path file, long x) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      ByteBuffer bytes = ByteBuffer.allocate(1 << 14);
      int got = channel.read(bytes, x % 100);
      return got > 0 ? 0 : 1;
    }
  }

  @Test
  void whatAFunctionLeavesInterruptedFailsNoOtherElement() {
    for (Order order : List.of(Order.ORDERED, Order.UNORDERED)) {
      Dataset<Long> dataset =
          Dataset.range(2000)
              .map(
                  x -> {
                    Thread.sleep(0); // which throws if it finds the thread interrupted
                    if (x % 3 == 0) {
                      Thread.currentThread().interrupt();
                    }
                    if (x % 100 == 7) {
                      throw new IllegalStateException("its own fault");
                    }
                    return x;
                  },
                  2,
                  order)
              .filter(
                  x -> {
                    Thread.sleep(0);
                    Thread.currentThread().interrupt();
                    return true;
                  },
                  2);
      long failed = 0;
      long given = 0;
      try (Pipeline<Long> pipeline = dataset.open()) {
        Iterator<Long> elements = pipeline.iterator();
        while (elements.hasNext()) {
          try {
            Long _ = elements.next();
            given++;
          } catch (PipelineException e) {
            assertThat(e).hasRootCauseMessage("its own fault");
            failed++;
          }
        }
      }
      assertThat(failed).isEqualTo(20);
      assertThat(given).isEqualTo(1980);
    }
  }

  /** Fails if it finds its thread interrupted. */
  private static <T> T disturbed(T x) throws InterruptedException {
    Thread.sleep(0);
    return x;
  }

  @Test
  void whatAFunctionLeavesInterruptedFailsNoFunctionOfAnotherOperator() {
    Dataset<Long> interrupting =
        Dataset.range(600)
            .map(
                x -> {
                  Thread.currentThread().interrupt();
                  return x;
                });
    List<Dataset<?>> datasets =
        List.of(
            interrupting.zip(Dataset.range(600), (x, y) -> disturbed(x)),
            interrupting.takeWhile(x -> disturbed(x) >= 0),
            interrupting.unique(x -> disturbed(x)),
            interrupting.batch(7, rows -> disturbed(List.copyOf(rows))),
            interrupting.batch(7, List::copyOf).unbatch(rows -> disturbed(rows)),
            interrupting.groupByWindow(x -> disturbed(x) % 2, (key, w) -> disturbed(w), 3),
            interrupting.groupByReducer(
                x -> disturbed(x) % 2,
                new Reducer<Long, Long, Long, Long>(
                    key -> disturbed(key), (sum, x) -> disturbed(sum + x), sum -> disturbed(sum))),
            interrupting.rejectionResample(
                x -> disturbed(x) % 2, new double[] {0.5, 0.5}, Seed.of(1)));
    for (Dataset<?> dataset : datasets) {
      assertThat(dataset.prefetch(2).toList()).as(dataset.op().word()).isNotEmpty();
    }
  }

  @Test
  void aFunctionThatAlwaysFailsAsIfInterruptedFailsInTheEnd() {
    Dataset<Long> dataset =
        Dataset.range(20)
            .map(
                x -> {
                  if (x == 7) {
                    throw new InterruptedException("of another thread");
                  }
                  return x;
                });
    List<String> got = new ArrayList<>();
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> elements = pipeline.iterator();
      for (boolean more = true; more; ) {
        try {
          more = elements.hasNext();
          if (more) {
            got.add(String.valueOf(elements.next()));
          }
        } catch (PipelineInterruptedException e) {
          boolean _ = Thread.interrupted();
        } catch (PipelineException e) {
          got.add(String.valueOf(e.getCause().getMessage()));
        }
      }
    }
    List<String> expected = new ArrayList<>(quiet(Dataset.range(20)));
    expected.set(7, "of another thread");
    assertThat(got).isEqualTo(expected);
  }

  @Test
  void aCheckpointAfterAnInterruptIsWhereTheConsumerIs() {
    Dataset<List<Long>> dataset =
        Dataset.range(200).map(x -> slow(x), 2).shuffle(10, Seed.of(3)).batch(3, List::copyOf);
    List<List<Long>> all = dataset.toList();
    for (int at = 0; at < all.size(); at += 5) {
      List<List<Long>> got = new ArrayList<>();
      Checkpoint checkpoint;
      try (Pipeline<List<Long>> pipeline = dataset.open()) {
        Iterator<List<Long>> elements = pipeline.iterator();
        for (int stops = 0; got.size() < at; ) {
          if (++stops % 2 == 0) {
            Thread.currentThread().interrupt();
          }
          try {
            got.add(elements.next());
          } catch (PipelineInterruptedException e) {
            boolean _ = Thread.interrupted();
          }
        }
        Thread.currentThread().interrupt();
        try {
          got.add(elements.next());
        } catch (PipelineInterruptedException e) {
          assertThat(got.size()).isEqualTo(at);
        }
        boolean _ = Thread.interrupted();
        checkpoint = pipeline.checkpoint();
      }
      try (Pipeline<List<Long>> pipeline = dataset.open(checkpoint)) {
        pipeline.iterator().forEachRemaining(got::add);
      }
      assertThat(got).isEqualTo(all);
    }
  }
}
