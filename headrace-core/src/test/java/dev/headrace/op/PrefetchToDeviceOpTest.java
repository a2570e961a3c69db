package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static dev.headrace.spi.Collator.stack;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Kept;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceEvent;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceMemoryException;
import dev.headrace.device.DeviceStream;
import dev.headrace.device.HostDevice;
import dev.headrace.golden.Outcomes;
import dev.headrace.profile.OpProfile;
import dev.headrace.profile.OpStats;
import dev.headrace.spi.OpCounters;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class PrefetchToDeviceOpTest {
  private static final int ROW = 1000;

  private record Labelled(Tensor image, Tensor label) {}

  private record Counted(Tensor image, long count) {}

  private static Labelled labelled(long x) {
    return new Labelled(Tensor.full(Shape.of(ROW), (float) x), Tensor.scalar((int) x));
  }

  /** Batches that live in slabs, with a failure among the elements. */
  private static Dataset<Labelled> batches(int elements, int size, int parallelism) {
    return range(elements).map(x -> labelled(Outcomes.refusing(7, x)), parallelism).batch(size);
  }

  private static Tensor first(Labelled batch) {
    return batch.label();
  }

  @Test
  void keepsTheContract() {
    for (boolean pinned : new boolean[] {true, false}) {
      try (HostDevice device = HostDevice.simulated().pinned(pinned).open()) {
        PipelineContract.of(n -> batches(20, 3, n).prefetchToDevice(device)).check();
        PipelineContract.of(n -> batches(20, 3, 2).prefetchToDevice(device, n)).check();
        assertThat(device.usedBytes()).isZero();
      }
    }
  }

  @Test
  void keepsTheContractAmongOtherOperators() {
    try (HostDevice device =
        HostDevice.simulated()
            .bytesPerSecond(1_000_000_000)
            .latency(Duration.ofNanos(50_000))
            .open()) {
      PipelineContract.of(
              n -> batches(20, 2, n).prefetch(2).prefetchToDevice(device).take(8).prefetch(n))
          .sampled(12)
          .check();
      PipelineContract.of(n -> batches(10, 2, n).prefetchToDevice(device).repeat(2))
          .sampled(12)
          .check();
      PipelineContract.of(n -> range(9).map(x -> "no tensor " + x, n).prefetchToDevice(device))
          .sampled(3)
          .check();
      PipelineContract.of(
              n ->
                  range(4)
                      .flatMap(x -> batches(6, 2, 2).prefetchToDevice(device))
                      .map(batch -> first(batch), n))
          .sampled(12)
          .check();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8, Dataset.AUTOTUNE})
  void changesNeitherElementsNorOrder(int buffer) {
    try (HostDevice device = HostDevice.simulated().open()) {
      Dataset<Labelled> plain = batches(40, 4, 2);
      assertThat(Outcomes.of(plain.prefetchToDevice(device, buffer))).isEqualTo(Outcomes.of(plain));
      assertThat(device.usedBytes()).isZero();
    }
    assertThat(Outcomes.of(batches(40, 4, 2).prefetchToDevice(Device.host(), buffer)))
        .isEqualTo(Outcomes.of(batches(40, 4, 2)));
  }

  @Test
  void copiesOnThreadsOfItsOwn() {
    Set<String> readers = ConcurrentHashMap.newKeySet();
    range(4)
        .map(
            x -> {
              readers.add(Thread.currentThread().getName());
              return Tensor.scalar(x);
            })
        .prefetchToDevice(Device.host())
        .count();
    assertThat(readers)
        .singleElement()
        .asString()
        .matches("headrace-\\d+ prefetchToDevice@PrefetchToDeviceOpTest\\.java:\\d+-1");
  }

  @Test
  void everyTensorLiesInDeviceMemoryAndOthersStay() {
    try (HostDevice device = HostDevice.simulated().open();
        Pipeline<Map<String, Object>> pipeline =
            range(3)
                .map(
                    x ->
                        Map.<String, Object>of(
                            "number", Tensor.scalar(x),
                            "none", Tensor.zeros(DType.FLOAT32, Shape.of(0, 3)),
                            "text", Tensor.scalar("t" + x),
                            "list", List.of(labelled(x))))
                .prefetchToDevice(device)
                .open()) {
      Iterator<Map<String, Object>> epoch = pipeline.iterator();
      Map<String, Object> element = epoch.next();
      Tensor number = (Tensor) Objects.requireNonNull(element.get("number"));
      assertThat(number.lease()).isNotNull();
      assertThat(number.longValue()).isZero();
      assertThat(number.segment().isNative()).isTrue();
      Tensor text = (Tensor) Objects.requireNonNull(element.get("text"));
      assertThat(text.stringValue()).isEqualTo("t0");
      Tensor none = (Tensor) Objects.requireNonNull(element.get("none"));
      assertThat(none.toFloatArray()).isEmpty();
      assertThat(device.usedBytes()).isPositive();
    }
  }

  @Test
  void elementsThatAreNoStructuresStayOnTheHost() {
    try (HostDevice device = HostDevice.simulated().open()) {
      assertThat(range(3).prefetchToDevice(device).toList()).containsExactly(0L, 1L, 2L);
      List<Counted> records =
          range(2).map(x -> new Counted(Tensor.scalar(x), x)).prefetchToDevice(device).toList();
      assertThat(records).extracting(Counted::count).containsExactly(0L, 1L);
      assertThat(device.usedBytes()).isZero();
    }
  }

  @Test
  void touchingABatchThatWasGivenBackThrows() {
    try (HostDevice device = HostDevice.simulated().open();
        Pipeline<Tensor> pipeline =
            range(4).batch(1, stack()).prefetchToDevice(device).open()) { // small, and still lent
      Iterator<Tensor> epoch = pipeline.iterator();
      Tensor first = epoch.next();
      assertThat(first.longAt(0)).isZero();
      assertThat(epoch.next().longAt(0)).isEqualTo(1);
      assertThatThrownBy(() -> first.longAt(0))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "batch 0 was given back when next() was called; use keep() to hold a batch longer");
    }
  }

  @Test
  void aKeptBatchOutlivesTheRingAndThePipeline() {
    try (HostDevice device = HostDevice.simulated().open()) {
      Kept<Tensor> kept;
      try (Pipeline<Tensor> pipeline =
          range(6).batch(1, stack()).prefetchToDevice(device, 1).open()) {
        Iterator<Tensor> epoch = pipeline.iterator();
        kept = pipeline.keep(epoch.next());
        while (epoch.hasNext()) {
          epoch.next();
        }
        assertThat(kept.value().longAt(0)).isZero();
      }
      assertThat(kept.value().longAt(0)).isZero();
      assertThat(device.usedBytes()).isPositive();
      kept.close();
      assertThat(device.usedBytes()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void theRingHoldsSoManyBatchesAndNoMore(int buffer) {
    int bytes = 256;
    try (HostDevice device = HostDevice.simulated().open()) {
      long most = 0;
      try (Pipeline<Tensor> pipeline =
          range(50).map(x -> Tensor.scalar(x)).prefetchToDevice(device, buffer).open()) {
        Iterator<Tensor> epoch = pipeline.iterator();
        for (int i = 0; i < 50; i++) {
          assertThat(epoch.next().longValue()).isEqualTo(i);
          most = Math.max(most, device.usedBytes());
        }
        assertThat(epoch.hasNext()).isFalse();
      }
      assertThat(most).isBetween((long) bytes, (long) buffer * bytes);
    }
  }

  @Test
  void theNextBatchArrivesWhileTheConsumerWorks() throws InterruptedException {
    CountDownLatch secondWasCopied = new CountDownLatch(2);
    try (HostDevice host = HostDevice.simulated().open();
        Device device = new WatchedDevice(host, secondWasCopied::countDown);
        Pipeline<Tensor> pipeline =
            range(4).map(x -> Tensor.scalar(x)).prefetchToDevice(device).open()) {
      Iterator<Tensor> epoch = pipeline.iterator();
      Tensor first = epoch.next();
      secondWasCopied.await(); // without asking for it
      assertThat(first.longValue()).isZero();
      assertThat(epoch.next().longValue()).isEqualTo(1);
    }
  }

  @Test
  void aRingOfOneCopiesOnlyWhenAsked() {
    AtomicInteger copies = new AtomicInteger();
    try (HostDevice host = HostDevice.simulated().open();
        Device device = new WatchedDevice(host, copies::incrementAndGet);
        Pipeline<Tensor> pipeline =
            range(20).map(x -> Tensor.scalar(x)).prefetchToDevice(device, 1).open()) {
      Iterator<Tensor> epoch = pipeline.iterator();
      for (int i = 0; i < 20; i++) {
        assertThat(epoch.hasNext()).isTrue(); // while the one before is still held
        assertThat(epoch.next().longValue()).isEqualTo(i);
        assertThat(copies).hasValue(i + 1);
      }
    }
  }

  @Test
  void operatorsBehindItMayHoldMoreThanTheRing() {
    try (HostDevice device = HostDevice.simulated().open()) {
      assertThat(
              Outcomes.of(
                  range(30).map(x -> Tensor.scalar(x)).prefetchToDevice(device, 1).prefetch(8)))
          .hasSize(31);
      assertThat(
              range(30)
                  .map(x -> Tensor.scalar(x))
                  .prefetchToDevice(device)
                  .batch(4)
                  .map(batch -> batch.elements())
                  .toList())
          .containsExactly(4L, 4L, 4L, 4L, 4L, 4L, 4L, 2L);
    }
  }

  @Test
  void batchesForAFunctionAreTheCollectors() {
    try (HostDevice device = HostDevice.simulated().memoryBytes(40_000).open()) {
      List<Tensor> held = new ArrayList<>();
      // Two hundred batches of which forty fit: what is unreachable is collected when needed.
      long sum =
          range(200)
              .map(x -> Tensor.full(Shape.of(250), (float) x))
              .prefetchToDevice(device)
              .map(
                  x -> {
                    assertThat(x.lease()).isNull();
                    if (x.floatAt(0) < 3) {
                      held.add(x);
                    }
                    return (long) x.floatAt(249);
                  })
              .reduce(0L, (a, b) -> a + b);
      assertThat(sum).isEqualTo(199 * 100);
      assertThat(held).extracting(x -> x.floatAt(7)).containsExactly(0f, 1f, 2f);
    }
  }

  @Test
  void deferredTensorsAreComputedBeforeTheCopy() {
    try (HostDevice device = HostDevice.simulated().open()) {
      assertThat(
              Outcomes.of(
                  range(3)
                      .map(x -> Tensor.of(x, 10 * x).convert(DType.FLOAT32).scale(0.5))
                      .prefetchToDevice(device)))
          .containsExactly(
              "float[2] [0.0, 0.0]", "float[2] [0.5, 5.0]", "float[2] [1.0, 10.0]", "end");
      Tensor refuses = Tensor.deferred(new Refusing());
      assertThat(
              Outcomes.of(
                  Dataset.of(Tensor.scalar(1L), refuses, Tensor.scalar(3L))
                      .prefetchToDevice(device)))
          .containsExactly("int64[] [1]", "error", "int64[] [3]", "end");
    }
  }

  /** An expression that cannot be computed. */
  private record Refusing() implements Expression {
    @Override
    public DType dtype() {
      return DType.INT64;
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
      throw new IllegalStateException("cannot be computed");
    }

    @Override
    public String describe() {
      return "refusing";
    }
  }

  @Test
  void aBatchThatDoesNotFitEndsThePipelineWithNameAndSizes() {
    try (HostDevice device = HostDevice.simulated().named("tiny").memoryBytes(1000).open();
        Pipeline<Tensor> pipeline =
            range(5)
                .map(x -> Tensor.full(Shape.of(x < 2 ? 10 : 1000), (float) x))
                .prefetchToDevice(device)
                .open()) {
      Iterator<Tensor> epoch = pipeline.iterator();
      assertThat(epoch.next().floatAt(0)).isZero();
      assertThat(epoch.next().floatAt(0)).isEqualTo(1);
      assertThatThrownBy(epoch::next)
          .isInstanceOf(PipelineException.class)
          .hasCauseInstanceOf(DeviceMemoryException.class)
          .hasMessageMatching(
              "(?s)prefetchToDevice \\(PrefetchToDeviceOpTest.java:\\d+\\) ← map ← range: element 2"
                  + " of epoch 0 .*device tiny: expected room for 4,096 bytes, but .* of 1,000 are"
                  + " in use; use smaller batches or a smaller buffer.*")
          .satisfies(e -> assertThat(((PipelineException) e).isTerminal()).isTrue());
      assertThatThrownBy(epoch::next).isInstanceOf(PipelineException.class);
      pipeline.close();
      assertThat(device.usedBytes()).isZero();
    }
  }

  /** Room for one batch and a half: one is held, and the next is copied when it came back. */
  @Test
  void whereTwoBatchesDoNotFitOneIsHeld() {
    try (HostDevice device = HostDevice.simulated().named("small").memoryBytes(6_500).open();
        Pipeline<Tensor> pipeline =
            range(6)
                .map(x -> Tensor.full(Shape.of(1000), (float) x))
                .prefetchToDevice(device)
                .open()) {
      Iterator<Tensor> epoch = pipeline.iterator();
      for (int i = 0; i < 6; i++) {
        assertThat(epoch.hasNext()).isTrue(); // asked while the consumer still has the one before
        assertThat(epoch.next().floatAt(0)).isEqualTo(i);
      }
      assertThat(epoch.hasNext()).isFalse();
      OpProfile.Transfer transfer = pipeline.diagnose().profile().operators().getFirst().transfer();
      assertThat(transfer).isNotNull();
      assertThat(transfer.isShortOfRoom()).isTrue();
    }
  }

  @Test
  void whereTheConsumerKeepsTheOnlyBatchThatFitsTheNextFails() {
    try (HostDevice device = HostDevice.simulated().named("small").memoryBytes(6_500).open();
        Pipeline<Tensor> pipeline =
            range(6)
                .map(x -> Tensor.full(Shape.of(1000), (float) x))
                .prefetchToDevice(device)
                .open()) {
      Iterator<Tensor> epoch = pipeline.iterator();
      try (var _ = pipeline.keep(epoch.next())) {
        assertThatThrownBy(epoch::next)
            .isInstanceOf(PipelineException.class)
            .hasCauseInstanceOf(DeviceMemoryException.class);
      }
    }
  }

  @Test
  void batchesOfOtherSizesMakeRoomForEachOther() {
    try (HostDevice device = HostDevice.simulated().memoryBytes(10_000).open()) {
      assertThat(
              Outcomes.of(
                  range(20)
                      .map(x -> Tensor.full(Shape.of(x % 2 == 0 ? 10 : 1000), (float) x))
                      .prefetchToDevice(device)))
          .hasSize(21);
    }
  }

  @Test
  void aCopyThatFailsEndsThePipelineInItsPlace() {
    AtomicInteger copies = new AtomicInteger();
    Runnable secondFails =
        () -> {
          if (copies.incrementAndGet() == 2) {
            throw new DeviceException("broken", "expected the bus to work, but it does not", null);
          }
        };
    try (HostDevice host = HostDevice.simulated().open()) {
      for (int repetition = 0; repetition < 3; repetition++) {
        copies.set(0);
        Pipeline<Labelled> pipeline =
            batches(6, 1, 1).prefetchToDevice(new WatchedDevice(host, secondFails)).open();
        Iterator<Labelled> epoch = pipeline.iterator();
        assertThat(first(epoch.next()).intAt(0)).isZero(); // both tensors in one copy
        assertThatThrownBy(epoch::next)
            .isInstanceOf(PipelineException.class)
            .hasMessageContaining("device broken: expected the bus to work, but it does not");
        pipeline.close();
        assertThat(pipeline.stats().memory().nativeBytes()).isZero();
        assertThat(host.usedBytes()).isZero();
      }
    }
  }

  @Test
  void aDeviceThatWasClosedEndsThePipeline() {
    HostDevice device = HostDevice.simulated().latency(Duration.ofDays(1)).open();
    try (Pipeline<Labelled> pipeline = batches(6, 2, 1).prefetchToDevice(device).open()) {
      Thread closer = Thread.ofPlatform().start(() -> closeOnceCopying(device));
      Iterator<Labelled> epoch = pipeline.iterator();
      assertThatThrownBy(epoch::next)
          .isInstanceOf(PipelineException.class)
          .hasMessageContaining("device simulated: ");
      join(closer);
    }
    assertThat(device.usedBytes()).isZero();
  }

  private static void closeOnceCopying(HostDevice device) {
    while (device.usedBytes() == 0) {
      Thread.onSpinWait();
    }
    device.close();
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void closesWhileACopyIsUnderWay(boolean pinned) {
    HostDevice device = HostDevice.simulated().pinned(pinned).latency(Duration.ofDays(1)).open();
    Pipeline<Labelled> pipeline = batches(9, 2, 2).prefetchToDevice(device, 3).open();
    Iterator<Labelled> epoch = pipeline.iterator();
    Thread consumer =
        Thread.ofPlatform()
            .start(
                () ->
                    assertThatThrownBy(epoch::next)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("closed"));
    while (device.usedBytes() == 0) {
      Thread.onSpinWait();
    }
    pipeline.close();
    join(consumer);
    assertThat(pipeline.stats().memory().nativeBytes()).isZero();
    assertThat(pipeline.stats().memory().heapBytes()).isZero();
    assertThat(device.usedBytes()).isZero();
    device.close();
  }

  @Test
  void leavingAnEpochEarlyGivesEverythingBack() {
    try (HostDevice device = HostDevice.simulated().latency(Duration.ofNanos(100_000)).open();
        Pipeline<Labelled> pipeline = batches(40, 2, 2).prefetchToDevice(device, 3).open()) {
      for (int epoch = 0; epoch < 10; epoch++) {
        Iterator<Labelled> elements = pipeline.iterator();
        for (int i = 0; i < epoch % 4; i++) {
          elements.next();
        }
      }
      assertThat(device.usedBytes()).isLessThanOrEqualTo(5 * 9000); // memory is taken again
      pipeline.close();
      assertThat(device.usedBytes()).isZero();
    }
  }

  @Test
  void theNextEpochIsCopiedWhileTheEndOfThisOneIsConsumed() throws InterruptedException {
    CountDownLatch copies = new CountDownLatch(4);
    try (HostDevice host = HostDevice.simulated().open();
        Device device = new WatchedDevice(host, copies::countDown);
        Pipeline<Tensor> pipeline =
            range(3)
                .map(x -> Tensor.scalar(x))
                .prefetchToDevice(device, 3)
                .options(options -> options.epochs(2))
                .open()) {
      assertThat(Outcomes.of(pipeline.iterator())).hasSize(4);
      copies.await(); // without asking for the next epoch
      assertThat(Outcomes.of(pipeline.iterator())).hasSize(4);
    }
  }

  @Test
  void aCheckpointFitsWithAndWithoutADevice() {
    try (HostDevice device = HostDevice.simulated().open()) {
      Dataset<Labelled> plain = batches(20, 3, 1);
      Dataset<Labelled> onDevice = plain.prefetchToDevice(device);
      assertThat(onDevice.fingerprint()).isEqualTo(plain.fingerprint());
      assertThat(onDevice.explain())
          .contains("prefetchToDevice(devices=[simulated], buffer=AUTOTUNE)");
      Checkpoint checkpoint;
      try (Pipeline<Labelled> pipeline = onDevice.open()) {
        Iterator<Labelled> epoch = pipeline.iterator();
        epoch.next();
        epoch.next();
        checkpoint = pipeline.checkpoint();
      }
      List<String> rest = Outcomes.of(plain);
      try (Pipeline<Labelled> pipeline = plain.open(checkpoint)) {
        assertThat(Outcomes.of(pipeline.iterator())).isEqualTo(rest.subList(2, rest.size()));
      }
      try (Pipeline<Labelled> pipeline = plain.prefetchToDevice(device, 5).open(checkpoint)) {
        assertThat(Outcomes.of(pipeline.iterator())).isEqualTo(rest.subList(2, rest.size()));
      }
    }
  }

  @Test
  void readsNoMoreThanIsTaken() {
    AtomicInteger calls = new AtomicInteger();
    try (HostDevice device = HostDevice.simulated().open()) {
      range(100)
          .map(
              x -> {
                calls.incrementAndGet();
                return Tensor.scalar(x);
              })
          .prefetchToDevice(device, 8)
          .take(3)
          .count();
    }
    assertThat(calls).hasValue(3);
  }

  @Test
  void debuggingNeedsNoThreadToRead() {
    try (HostDevice device = HostDevice.simulated().open()) {
      Set<Thread> readers = ConcurrentHashMap.newKeySet();
      Dataset<Tensor> dataset =
          range(5)
              .map(
                  x -> {
                    readers.add(Thread.currentThread());
                    return Tensor.scalar(x);
                  })
              .prefetchToDevice(device, 1)
              .options(Options.defaults().debug());
      assertThat(Outcomes.of(dataset)).hasSize(6);
      assertThat(readers).containsExactly(Thread.currentThread());
      assertThat(device.usedBytes()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void measuresWhatItCopies(boolean pinned) {
    try (HostDevice device =
            HostDevice.simulated().pinned(pinned).latency(Duration.ofNanos(1_000_000)).open();
        Pipeline<Labelled> pipeline =
            range(10).map(x -> labelled(x)).batch(2).prefetchToDevice(device).open()) {
      for (Labelled batch : pipeline) {
        assertThat(batch.image().shape().dim(0)).isEqualTo(2);
      }
      OpStats stats = pipeline.stats().operators().getFirst();
      assertThat(stats.word()).isEqualTo("prefetchToDevice");
      assertThat(stats.elements()).isEqualTo(5);
      assertThat(stats.stage()).isNotNull();
      OpCounters.Transfer transfer = Objects.requireNonNull(stats.transfer());
      assertThat(transfer.device().name()).isEqualTo("simulated");
      assertThat(transfer.isPinned()).isEqualTo(pinned);
      assertThat(transfer.copies().count())
          .isEqualTo(5); // a whole batch each, as it lies in its slab
      assertThat(transfer.copies().bytes()).isBetween(10L * (ROW * 4 + 4), 10L * (ROW * 4 + 64));
      assertThat(transfer.copies().ns()).isGreaterThanOrEqualTo(5 * 1_000_000); // as computed
      if (pinned) {
        assertThat(transfer.times().stagedNs()).isZero();
      } else {
        assertThat(transfer.times().stagedNs()).isPositive();
      }
      assertThat(transfer.device().limitBytes()).isEqualTo(1L << 30);
      assertThat(transfer.device().usedBytes()).isBetween(1L, 9L * 9000);
      assertThat(pipeline.stats().operators().get(1).transfer()).isNull();
    }
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(5).prefetchToDevice(Device.host()).cardinality()).isEqualTo(5);
    assertThat(range(5).repeat().prefetchToDevice(Device.host()).cardinality())
        .isEqualTo(Dataset.INFINITE);
  }

  @Test
  void refusesBadArguments() {
    for (int buffer : new int[] {0, -2}) {
      assertThatThrownBy(() -> range(3).prefetchToDevice(Device.host(), buffer))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "prefetchToDevice: expected a buffer of at least 1 batch or AUTOTUNE, but got "
                  + buffer);
    }
    Device none = null;
    assertThatThrownBy(() -> range(3).prefetchToDevice(none))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("prefetchToDevice: expected a device, but got null");
  }

  /** A device that tells of every copy before it is queued; what that throws is the device's. */
  private record WatchedDevice(Device host, Runnable onCopy) implements Device {
    @Override
    public String name() {
      return host.name();
    }

    @Override
    public long memoryBytes() {
      return host.memoryBytes();
    }

    @Override
    public long usedBytes() {
      return host.usedBytes();
    }

    @Override
    public MemorySegment allocate(Arena arena, long bytes) {
      return host.allocate(arena, bytes);
    }

    @Override
    public boolean isPinned(MemorySegment memory) {
      return host.isPinned(memory);
    }

    @Override
    public DeviceStream openStream(String purpose) {
      return new WatchedStream(this, host.openStream(purpose));
    }

    @Override
    public void close() {}
  }

  private record WatchedStream(WatchedDevice device, DeviceStream stream) implements DeviceStream {
    @Override
    public void copyToDevice(MemorySegment host, MemorySegment deviceMemory) {
      device.onCopy.run();
      stream.copyToDevice(host, deviceMemory);
    }

    @Override
    public void copyToHost(MemorySegment deviceMemory, MemorySegment host) {
      stream.copyToHost(deviceMemory, host);
    }

    @Override
    public void compute(Tensor deferred, MemorySegment deviceMemory) {
      stream.compute(deferred, deviceMemory);
    }

    @Override
    public DeviceEvent record() {
      return stream.record();
    }

    @Override
    public void waitFor(DeviceEvent event) {
      stream.waitFor(event);
    }

    @Override
    public void close() {
      stream.close();
    }
  }
}
