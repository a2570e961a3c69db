package dev.headrace.op;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.testing.PipelineContract;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Deferred tensors on their way into batches. */
@Timeout(60)
class PlacingTest {
  private record Labelled(Tensor image, Tensor label, Tensor name) {}

  /** {@code length} times a number, which is refused where it is negative. */
  private record Repeated(Tensor source, int length, Map<Long, MemorySegment> written)
      implements Expression {
    @Override
    public DType dtype() {
      return DType.INT64;
    }

    @Override
    public Shape shape() {
      return Shape.of(length);
    }

    @Override
    public List<Tensor> sources() {
      return List.of(source);
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      long value = source.longAt(0);
      if (value < 0) {
        throw new IllegalStateException("cannot compute " + value);
      }
      written.put(value, destination);
      for (int i = 0; i < length; i++) {
        destination.set(ValueLayout.JAVA_LONG_UNALIGNED, 8L * i, value);
      }
    }

    @Override
    public String describe() {
      return "repeated(" + length + ") ← " + source.describe();
    }
  }

  private final Map<Long, MemorySegment> written = new ConcurrentHashMap<>();

  private Tensor repeated(long value, int length) {
    return Tensor.deferred(new Repeated(Tensor.scalar(value), length, written));
  }

  private Labelled labelled(long value) {
    return new Labelled(
        repeated(value, 1024), Tensor.scalar((int) value), Tensor.scalar("n" + value));
  }

  private static long refusing(long x, long... refused) {
    for (long one : refused) {
      if (x == one) {
        return -x;
      }
    }
    return x;
  }

  private static List<String> labels(Dataset<Labelled> batches) {
    List<String> seen = new ArrayList<>();
    try (Pipeline<Labelled> pipeline = batches.open()) {
      var each = pipeline.iterator();
      while (true) {
        try {
          if (!each.hasNext()) {
            break;
          }
          Labelled batch = each.next();
          int rows = (int) batch.image().shape().dim(0);
          for (int row = 0; row < rows; row++) {
            long value = batch.image().longAt(row * 1024L);
            assertThat(batch.image().longAt(row * 1024L + 1023)).isEqualTo(value);
            assertThat(batch.label().longAt(row)).isEqualTo(value);
            assertThat(batch.name().stringAt(row)).isEqualTo("n" + value);
          }
          seen.add(java.util.Arrays.toString(batch.label().toIntArray()));
        } catch (PipelineException e) {
          seen.add(String.valueOf(e.getCause().getMessage()));
        }
      }
    }
    return seen;
  }

  @Test
  void everyRowIsComputedWhereItLiesInTheBatch() {
    Map<Long, Long> expected = new HashMap<>();
    try (Pipeline<Labelled> batches = range(40).map(this::labelled, 3).batch(8).open()) {
      int batch = 0;
      for (Labelled each : batches) {
        if (batch++ < 2) { // the first elements are met before anybody knows what they hold
          continue;
        }
        MemorySegment memory = each.image().segment();
        for (int row = 0; row < 8; row++) {
          long value = each.label().longAt(row);
          expected.put(value, memory.address() + row * 8192L);
        }
      }
    }
    assertThat(expected).hasSize(24);
    expected.forEach(
        (value, address) ->
            assertThat(written.get(value).address()).as("row of %d", value).isEqualTo(address));
  }

  @Test
  void theThreadsOfTheMapComputeThem() {
    Set<String> threads = ConcurrentHashMap.newKeySet();
    Dataset<Tensor> batches =
        range(64)
            .map(
                x ->
                    Tensor.deferred(
                        new Noticed(
                            repeated(x, 1024),
                            () -> threads.add(Thread.currentThread().getName()))),
                2)
            .batch(8);
    batches.forEach(b -> assertThat(b.shape()).isEqualTo(Shape.of(8, 1024)));
    threads.remove(Thread.currentThread().getName()); // the first elements
    assertThat(threads).isNotEmpty().allMatch(name -> name.contains("batch"));
  }

  private record Noticed(Tensor source, Runnable notice) implements Expression {
    @Override
    public DType dtype() {
      return source.dtype();
    }

    @Override
    public Shape shape() {
      return source.shape();
    }

    @Override
    public List<Tensor> sources() {
      return List.of(source);
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      notice.run();
      source.copyInto(destination, 0);
    }

    @Override
    public String describe() {
      return "noticed ← " + source.describe();
    }
  }

  @Test
  void aFailureCostsItsElementAndNotTheBatch() {
    for (int parallelism : new int[] {1, 2, 5}) {
      assertThat(
              labels(range(14).map(x -> labelled(refusing(x, 1, 6, 7, 13)), parallelism).batch(4)))
          .containsExactly(
              "cannot compute -1",
              "[0, 2, 3, 4]",
              "cannot compute -6",
              "cannot compute -7",
              "[5, 8, 9, 10]",
              "cannot compute -13",
              "[11, 12]");
    }
  }

  @Test
  void aFailureNamesTheFunctionThatMadeIt() {
    Dataset<Labelled> batches = range(4).map(x -> labelled(refusing(x, 2)), 2).batch(4);
    assertThatThrownBy(() -> batches.forEach(b -> {}))
        .isInstanceOf(PipelineException.class)
        .hasMessageContaining("map (PlacingTest.java")
        .hasMessageContaining("cannot compute -2");
  }

  @Test
  void parallelAndSequentialGiveTheSame() {
    Dataset<Long> numbers = range(100);
    List<String> one =
        labels(
            numbers.map(x -> labelled(refusing(x, 5, 50))).shuffle(20, Seed.of(3)).batch(7, true));
    for (int parallelism : new int[] {1, 4, AUTOTUNE}) {
      assertThat(
              labels(
                  numbers
                      .map(x -> labelled(refusing(x, 5, 50)), parallelism)
                      .shuffle(20, Seed.of(3))
                      .batch(7, true)
                      .prefetch(2)))
          .isEqualTo(one);
    }
    assertThat(one).contains("cannot compute -5", "cannot compute -50");
  }

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(30).map(x -> labelled(refusing(x, 9)), n).batch(4)).check();
    PipelineContract.of(
            n ->
                range(24)
                    .map(x -> labelled(refusing(x, 9, 10)), n)
                    .shuffle(6, Seed.of(1))
                    .batch(5)
                    .prefetch(2))
        .check();
    PipelineContract.of(
            n -> range(9).map(x -> labelled(x)).repeat(2).batch(4, true).map(b -> b.label(), n))
        .check();
  }

  @Test
  void whatGrowsIsNotComputedBeforeTheShuffle() {
    Set<String> threads = ConcurrentHashMap.newKeySet();
    Dataset<Tensor> batches =
        range(200)
            .map(
                x ->
                    Tensor.deferred(
                        new Noticed(
                            repeated(x, 16), () -> threads.add(Thread.currentThread().getName()))),
                2)
            .shuffle(100, Seed.of(2))
            .batch(1);
    assertThat(batches.toList()).hasSize(200);
    assertThat(threads).isNotEmpty().noneMatch(name -> name.contains("map"));
  }

  @Test
  void whatShrinksIsComputedBeforeTheShuffle() {
    ConcurrentLinkedQueue<String> threads = new ConcurrentLinkedQueue<>();
    Tensor large = Tensor.full(Shape.of(1000), 1L);
    Dataset<Tensor> batches =
        range(20)
            .map(x -> Tensor.deferred(new First(large, x, threads)), 2)
            .shuffle(20, Seed.of(2))
            .batch(4);
    assertThat(batches.toList()).hasSize(5);
    assertThat(threads).hasSize(20).allMatch(name -> name.contains("map"));
  }

  private record First(Tensor source, long value, ConcurrentLinkedQueue<String> threads)
      implements Expression {
    @Override
    public DType dtype() {
      return DType.INT64;
    }

    @Override
    public Shape shape() {
      return Shape.of(1);
    }

    @Override
    public List<Tensor> sources() {
      return List.of(source);
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      threads.add(Thread.currentThread().getName());
      destination.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
    }

    @Override
    public String describe() {
      return "first";
    }
  }

  @Test
  void operatorsThatCountOrLookSeeWhatFailed() {
    Dataset<Labelled> some = range(20).map(x -> labelled(refusing(x, 1, 2)), 2);
    assertThat(labels(some.take(4).batch(4)))
        .containsExactly("cannot compute -1", "cannot compute -2", "[0, 3, 4, 5]");
    assertThat(labels(some.ignoreErrors().take(4).batch(4))).containsExactly("[0, 3, 4, 5]");
    assertThat(labels(some.ignoreErrors().shuffle(1, Seed.of(1)).take(4).batch(4)))
        .containsExactly("[0, 3, 4, 5]");
    assertThatThrownBy(() -> some.forEach(each -> assertThat(each.image().isDeferred()).isFalse()))
        .hasMessageContaining("cannot compute -1");
  }

  @Test
  void elementsThatAreNotAlikeAreRefusedAsEver() {
    Dataset<Tensor> batches = range(8).map(x -> repeated(x, x == 5 ? 3 : 2), 2).batch(4);
    assertThat(Outcomes.of(batches))
        .containsExactly("int64[4, 2] [0, 0, 1, 1, 2, 2, 3, 3]", "error", "end");
    assertThatThrownBy(() -> batches.forEach(b -> {}))
        .hasMessageContaining("expected all elements to be alike");
    assertThat(Outcomes.of(range(4).map(x -> repeated(x, 2), 2).batch(2, Collator.stack())))
        .containsExactly("int64[2, 2] [0, 0, 1, 1]", "int64[2, 2] [2, 2, 3, 3]", "end");
  }

  @Test
  void memoryStaysWithinTheBudgetAndTheOldestBatch() {
    long batchBytes = 128 * (8192 + 4);
    Options tight = Options.defaults().nativeBudget(3 << 20);
    Dataset<Labelled> batches = range(5120).map(this::labelled, 4).batch(128).options(tight);
    try (Pipeline<Labelled> pipeline = batches.open()) {
      for (Labelled batch : pipeline) {
        assertThat(batch.image().shape().dim(1)).isEqualTo(1024);
      }
      assertThat(pipeline.stats().memory().nativePeakBytes())
          .isLessThanOrEqualTo(
              (3 << 20) + 8 * batchBytes + 65_536); // eight are made in one go at most
    }
  }

  @Test
  void explainSaysWhatIsComputedWhere() {
    Dataset<Labelled> batches =
        range(20).map(this::labelled, AUTOTUNE).shuffle(5, Seed.of(1)).batch(4);
    assertThat(batches.explain())
        .contains("rewrites:")
        .contains("tensors that map (PlacingTest.java:")
        .contains("straight into the memory of batch (PlacingTest.java:")
        .contains("shuffle (PlacingTest.java:");
    try (Pipeline<Labelled> pipeline = batches.open()) {
      pipeline.forEach(b -> {});
      assertThat(pipeline.explain()).contains("computed in place, 'image': repeated(1024) ← ");
    }
    assertThat(range(5).batch(2, Collator.stack()).explain()).doesNotContain("rewrites");
  }
}
