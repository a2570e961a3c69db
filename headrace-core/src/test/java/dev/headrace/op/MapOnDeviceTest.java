package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Kept;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.DeviceEvent;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceStream;
import dev.headrace.device.HostDevice;
import dev.headrace.device.HostDevice.Pinning;
import dev.headrace.golden.Outcomes;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.OpStats;
import dev.headrace.profile.Verdict;
import dev.headrace.spi.OpCounters;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class MapOnDeviceTest {
  private record Labelled(Tensor image, Tensor label) {}

  private static Dataset<Labelled> batches(int elements, int size, int parallelism) {
    return range(elements)
        .map(
            x ->
                new Labelled(
                    Tensor.full(Shape.of(8, 6, 3), Outcomes.refusing(7, x)).convert(DType.UINT8),
                    Tensor.scalar(x)),
            parallelism)
        .batch(size);
  }

  private static Labelled prepared(Labelled batch) {
    return new Labelled(
        batch.image().resize(4, 4).scale(0.5).toNchw(), batch.label()); // the label passes through
  }

  @ParameterizedTest
  @EnumSource(Pinning.class)
  void keepsTheContract(Pinning pinning) {
    try (HostDevice device = HostDevice.simulated().pinning(pinning).open()) {
      PipelineContract.of(
              n ->
                  batches(20, 3, n)
                      .prefetchToDevice(device, n)
                      .mapOnDevice(MapOnDeviceTest::prepared))
          .check();
      PipelineContract.of(
              n ->
                  batches(20, 3, 2)
                      .prefetchToDevice(device)
                      .mapOnDevice(batch -> batch.image().scale(n > 0 ? 2 : 2))
                      .mapOnDevice(image -> image.convert(DType.FLOAT64))
                      .take(5)
                      .prefetch(2))
          .sampled(8)
          .check();
      assertThat(device.usedBytes()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(Pinning.class)
  void computesWhatTheHostWould(Pinning pinning) {
    try (HostDevice device = HostDevice.simulated().pinning(pinning).open()) {
      Dataset<Labelled> plain = batches(40, 4, 2);
      assertThat(Outcomes.of(plain.prefetchToDevice(device).mapOnDevice(MapOnDeviceTest::prepared)))
          .isEqualTo(Outcomes.of(plain.map(MapOnDeviceTest::prepared)));
      assertThat(device.usedBytes()).isZero();
    }
  }

  @Test
  void batchesAreAssembledInPinnedMemoryAndCopiedInOne() {
    try (HostDevice device = HostDevice.simulated().pinning(Pinning.ALLOCATED).open();
        Pipeline<Labelled> pipeline =
            range(80)
                .map(x -> new Labelled(Tensor.full(Shape.of(4096), (float) x), Tensor.scalar(x)))
                .batch(4)
                .prefetchToDevice(device)
                .open()) {
      int batches = 0;
      for (Labelled batch : pipeline) {
        assertThat(batch.image().floatAt(4096)).isEqualTo(4 * batches + 1);
        batches++;
      }
      OpCounters.Transfer transfer = transfer(pipeline);
      assertThat(transfer.isPinned()).isTrue();
      assertThat(transfer.copies().count()).isEqualTo(20);
      assertThat(transfer.times().stagedNs()).isZero();
    }
  }

  @Test
  void whatIsNotPinnedIsPutIntoPinnedMemoryTogether() {
    try (HostDevice device = HostDevice.simulated().pinning(Pinning.ALLOCATED).open();
        Pipeline<Labelled> pipeline =
            range(20)
                .map(x -> new Labelled(Tensor.full(Shape.of(100), (float) x), Tensor.scalar(x)))
                .prefetchToDevice(device)
                .open()) {
      int seen = 0;
      for (Labelled batch : pipeline) {
        assertThat(batch.image().floatAt(99)).isEqualTo(seen);
        assertThat(batch.label().longValue()).isEqualTo(seen++);
      }
      OpCounters.Transfer transfer = transfer(pipeline);
      assertThat(transfer.isPinned()).isTrue();
      assertThat(transfer.copies().count()).isEqualTo(20);
      assertThat(transfer.times().stagedNs()).isPositive();
    }
  }

  private static OpCounters.Transfer transfer(Pipeline<?> pipeline) {
    return pipeline.stats().operators().stream()
        .map(OpStats::transfer)
        .filter(Objects::nonNull)
        .findFirst()
        .orElseThrow();
  }

  /** What a consumer on a stream sees of each batch: the sum of its elements when it got there. */
  private static List<Double> seenOnStream(HostDevice device, Dataset<Tensor> batches, int kept)
      throws InterruptedException {
    DeviceStream consumer = Objects.requireNonNull(device.consumer());
    List<Double> sums = new ArrayList<>();
    List<Kept<Tensor>> held = new ArrayList<>();
    MemorySegment nothing = MemorySegment.ofArray(new byte[4]);
    try (Pipeline<Tensor> pipeline = batches.open()) {
      int number = 0;
      for (Tensor batch : pipeline) {
        MemorySegment memory = batch.placedMemory();
        Tensor looking =
            Tensor.deferred(
                new Looking(() -> sums.add(sum(memory)))); // when the stream gets there, not now
        consumer.compute(looking, nothing);
        if (number++ % 5 == 0 && held.size() < kept) {
          held.add(pipeline.keep(batch));
        }
      }
      try (DeviceEvent end = consumer.record()) {
        assertThat(end.await(Long.MAX_VALUE)).isTrue();
      }
    }
    held.forEach(Kept::close);
    return sums;
  }

  private static double sum(MemorySegment memory) {
    Tensor tensor = Tensor.wrap(DType.FLOAT32, Shape.of(memory.byteSize() / 4), memory);
    double sum = 0;
    for (float value : tensor.toFloatArray()) {
      sum += value;
    }
    return sum;
  }

  /** An expression that only tells when it is computed, after a while. */
  private record Looking(Runnable look) implements Expression {
    @Override
    public DType dtype() {
      return DType.FLOAT32;
    }

    @Override
    public Shape shape() {
      return Shape.scalar();
    }

    @Override
    public List<Tensor> sources() {
      return List.of();
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      look.run();
    }

    @Override
    public String describe() {
      return "look";
    }
  }

  @Test
  void theConsumersStreamWaitsForBatchesAndTheyAreNotOverwrittenBeforeItIsDone() throws Exception {
    for (int buffer : new int[] {1, 2, 3}) {
      try (HostDevice device =
          HostDevice.simulated()
              .pinning(Pinning.ALLOCATED)
              .bytesPerSecond(1_000_000_000)
              .latency(Duration.ofNanos(200_000))
              .consumedOnStream()
              .open()) {
        Dataset<Tensor> batches =
            range(200).map(x -> Tensor.full(Shape.of(1000), (float) x)).batch(4);
        List<Double> expected = new ArrayList<>();
        for (int batch = 0; batch < 50; batch++) {
          expected.add(1000.0 * (16 * batch + 6));
        }
        assertThat(seenOnStream(device, batches.prefetchToDevice(device, buffer), 0))
            .isEqualTo(expected);
        assertThat(seenOnStream(device, batches.prefetchToDevice(device, buffer), 3))
            .isEqualTo(expected);
        List<Double> doubled = expected.stream().map(x -> 2 * x).toList();
        assertThat(
                seenOnStream(
                    device,
                    batches.prefetchToDevice(device, buffer).mapOnDevice(x -> x.scale(2)),
                    2))
            .isEqualTo(doubled);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void aStepThatIsQueuedLateStillSeesItsBatch(int readAhead) throws InterruptedException {
    try (HostDevice device =
        HostDevice.simulated().latency(Duration.ofMillis(1)).consumedOnStream().open()) {
      DeviceStream consumer = Objects.requireNonNull(device.consumer());
      MemorySegment nothing = MemorySegment.ofArray(new byte[4]);
      List<Double> sums = new ArrayList<>();
      Dataset<Tensor> doubled =
          range(30)
              .map(x -> Tensor.full(Shape.of(10), (float) x))
              .prefetchToDevice(device, 2)
              .mapOnDevice(x -> x.scale(2));
      try (Pipeline<Tensor> pipeline = doubled.prefetch(readAhead).open()) {
        for (Tensor batch : pipeline) {
          sleep(3); // it has arrived by now, and the thread that sends knows it
          MemorySegment memory = batch.placedMemory();
          Looking late =
              new Looking(
                  () -> {
                    sleep(6);
                    sums.add(sum(memory));
                  });
          consumer.compute(Tensor.deferred(late), nothing);
        }
        try (DeviceEvent end = consumer.record()) {
          assertThat(end.await(Long.MAX_VALUE)).isTrue();
        }
      }
      assertThat(sums).isEqualTo(LongStream.range(0, 30).mapToObj(x -> 20.0 * x).toList());
    }
  }

  @Test
  void theConsumersStreamIsNotWaitedForByTheHost() {
    try (HostDevice device =
        HostDevice.simulated().latency(Duration.ofMillis(20)).consumedOnStream().open()) {
      Dataset<Tensor> batches = range(8).map(x -> Tensor.full(Shape.of(1000), (float) x));
      try (Pipeline<Tensor> pipeline = batches.prefetchToDevice(device).open()) {
        int seen = 0;
        for (Tensor _ : pipeline) {
          seen++;
        }
        assertThat(seen).isEqualTo(8);
        OpCounters.Transfer transfer = transfer(pipeline);
        assertThat(transfer.copies().count()).isEqualTo(8); // all were waited for at the end
        assertThat(transfer.times().waitNs()).isPositive(); // nothing to overlap with
      }
    }
  }

  @Test
  void howLongTheStepsOfAConsumerTakeThatOnlyQueuesThemIsKnown() {
    try (HostDevice device = HostDevice.simulated().consumedOnStream().open()) {
      DeviceStream consumer = Objects.requireNonNull(device.consumer());
      MemorySegment nothing = MemorySegment.ofArray(new byte[4]);
      Tensor step = Tensor.deferred(new Looking(() -> sleep(20)));
      try (Pipeline<Tensor> pipeline =
          range(50)
              .map(x -> Tensor.full(Shape.of(1000), (float) x))
              .prefetchToDevice(device)
              .open()) {
        for (Tensor _ : pipeline) {
          consumer.compute(step, nothing);
        }
        OpCounters.Transfer transfer = transfer(pipeline);
        // Steps that begin at once may go unmeasured, and those far behind do.
        assertThat(transfer.steps().ns()).isGreaterThanOrEqualTo(30 * 20_000_000L);
        Diagnosis diagnosis = pipeline.diagnose();
        assertThat(diagnosis.profile().consumer().stepNs()).isGreaterThanOrEqualTo(20_000_000);
        assertThat(diagnosis.findings())
            .anySatisfy(
                finding -> {
                  assertThat(finding.rule()).isEqualTo("device-prefetch-gains-nothing");
                  assertThat(finding.message()).contains("copying takes");
                });
      }
    }
  }

  @Test
  void anInputThatIsTooSlowIsNotTakenForALongStep() {
    try (HostDevice device = HostDevice.simulated().consumedOnStream().open()) {
      DeviceStream consumer = Objects.requireNonNull(device.consumer());
      MemorySegment nothing = MemorySegment.ofArray(new byte[4]);
      Tensor step = Tensor.deferred(new Looking(() -> {}));
      LongAdder loading = new LongAdder();
      try (Pipeline<Tensor> pipeline =
          range(60)
              .map(
                  x -> {
                    long start = System.nanoTime();
                    sleep(8);
                    loading.add(System.nanoTime() - start);
                    return Tensor.full(Shape.of(1000), (float) x);
                  })
              .prefetchToDevice(device)
              .open()) {
        for (Tensor _ : pipeline) {
          consumer.compute(step, nothing);
        }
        OpCounters.Transfer transfer = transfer(pipeline);
        // Whatever the machine does: what was spent on loading is not said to be the step's.
        assertThat(transfer.steps().ns() + transfer.times().waitNs()).isLessThan(loading.sum());
        assertThat(pipeline.diagnose().verdict().kind()).isNotEqualTo(Verdict.Kind.CONSUMER_BOUND);
      }
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aCacheOnTheDeviceIsCopiedOnce() {
    try (HostDevice device = HostDevice.simulated().open()) {
      Dataset<Tensor> cached =
          range(12).map(x -> Tensor.full(Shape.of(100), (float) x)).batch(3).cache(device);
      List<Double> sums = new ArrayList<>();
      try (Pipeline<Tensor> pipeline = cached.mapOnDevice(x -> x.scale(2)).open()) {
        for (int epoch = 0; epoch < 3; epoch++) {
          for (Tensor batch : pipeline) {
            sums.add(sum(batch.placedMemory()));
          }
        }
        assertThat(sums).hasSize(12);
        assertThat(sums.subList(4, 8)).isEqualTo(sums.subList(0, 4));
        assertThat(sums.getFirst()).isEqualTo(600);
        List<OpCounters.Transfer> transfers =
            pipeline.stats().operators().stream()
                .map(OpStats::transfer)
                .filter(Objects::nonNull)
                .toList();
        assertThat(transfers.getLast().copies().count()).isEqualTo(4);
      }
    }
  }

  @Test
  void aCacheThatDoesNotFitTheDeviceSaysSo() {
    try (HostDevice device = HostDevice.simulated().named("small").memoryBytes(10_000).open()) {
      assertThatThrownBy(
              () ->
                  range(100)
                      .map(x -> Tensor.full(Shape.of(100), (float) x))
                      .batch(4)
                      .cache(device)
                      .count())
          .hasStackTraceContaining("device small: expected room for");
    }
  }

  @Test
  void aFunctionThatFailsCostsItsElement() {
    try (HostDevice device = HostDevice.simulated().open()) {
      Dataset<Tensor> numbers = range(12).map(x -> Tensor.full(Shape.of(2), (float) x)).batch(2);
      Dataset<Tensor> mapped =
          numbers
              .prefetchToDevice(device)
              .mapOnDevice(
                  x -> {
                    if (x.shape().dim(0) == 2 && CALLS.incrementAndGet() == 3) {
                      throw new IllegalArgumentException("the third");
                    }
                    return x.scale(2);
                  });
      CALLS.set(0);
      List<String> seen = Outcomes.of(mapped);
      assertThat(seen).hasSize(7).endsWith("end");
      assertThat(seen.get(2)).isEqualTo("error");
      assertThat(device.usedBytes()).isZero();
    }
  }

  private static final AtomicInteger CALLS = new AtomicInteger();

  @Test
  void aComputationThatFailsOnTheDeviceEndsThePipelineWithItsName() {
    try (HostDevice device = HostDevice.simulated().named("lame").open();
        Pipeline<Tensor> pipeline =
            range(20)
                .map(x -> Tensor.full(Shape.of(4), (float) x))
                .prefetchToDevice(device)
                .mapOnDevice(
                    _ ->
                        Tensor.deferred(
                            new Looking(
                                () -> {
                                  throw new IllegalStateException("kernel fault");
                                })))
                .open()) {
      Iterator<Tensor> epoch = pipeline.iterator();
      assertThatThrownBy(epoch::next)
          .isInstanceOf(PipelineException.class)
          .hasRootCauseInstanceOf(IllegalStateException.class)
          .hasStackTraceContaining("device lame")
          .hasStackTraceContaining("kernel fault");
    }
  }

  @Test
  void aFailureThatTheConsumersStreamWaitsForIsToldAtTheEnd() {
    try (HostDevice device = HostDevice.simulated().named("lame").consumedOnStream().open();
        Pipeline<Tensor> pipeline =
            range(1)
                .map(x -> Tensor.full(Shape.of(4), (float) x))
                .prefetchToDevice(device)
                .mapOnDevice(
                    _ ->
                        Tensor.deferred(
                            new Looking(
                                () -> {
                                  throw new IllegalStateException("kernel fault");
                                })))
                .open()) {
      assertThatThrownBy(() -> pipeline.forEach(_ -> {}))
          .isInstanceOf(PipelineException.class)
          .hasRootCauseInstanceOf(IllegalStateException.class)
          .hasCauseInstanceOf(DeviceException.class);
    }
  }

  @Test
  void stringsStayOnTheHostAndCanBeComputedOn() {
    try (HostDevice device = HostDevice.simulated().open()) {
      Dataset<Tensor> lengths =
          range(6)
              .map(x -> Tensor.scalar("x".repeat((int) (x + 1))))
              .batch(3)
              .prefetchToDevice(device)
              .mapOnDevice(
                  texts -> texts.mapRows(text -> Tensor.full(Shape.of(2), text.byteSize())));
      try (Pipeline<Tensor> pipeline = lengths.open()) {
        List<long[]> seen = new ArrayList<>();
        for (Tensor batch : pipeline) {
          seen.add(batch.toLongArray());
        }
        assertThat(seen)
            .containsExactly(new long[] {1, 1, 2, 2, 3, 3}, new long[] {4, 4, 5, 5, 6, 6});
      }
    }
  }

  @Test
  void needsADeviceAndTensors() {
    assertThatThrownBy(() -> range(3).mapOnDevice(x -> x))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("write prefetchToDevice(device) right before it");
    try (HostDevice device = HostDevice.simulated().open()) {
      assertThatThrownBy(
              () ->
                  range(3)
                      .map(Tensor::scalar)
                      .prefetchToDevice(device)
                      .mapOnDevice(_ -> "text")
                      .count())
          .hasStackTraceContaining("expected a tensor, or a record, Map or List of tensors");
    }
  }

  @Test
  void explainShowsTheFunctions() {
    try (HostDevice device = HostDevice.simulated().open()) {
      Dataset<Labelled> mapped =
          batches(4, 2, 1).prefetchToDevice(device).mapOnDevice(MapOnDeviceTest::prepared);
      assertThat(mapped.explain())
          .contains("prefetchToDevice(devices=[simulated]")
          .contains("prepared");
    }
  }
}
