package dev.headrace.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.DType;
import dev.headrace.data.Place;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceEvent;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceMemoryException;
import dev.headrace.device.DeviceStream;
import dev.headrace.profile.OpStats;
import dev.headrace.testing.DeviceContract;
import dev.headrace.testing.NoLeftovers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("gpu")
@Timeout(120)
@ExtendWith(NoLeftovers.class)
class CudaDeviceTest {
  private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);
  private static final CudaKernel INVERT = CudaKernel.ofPtx(TestKernels.INVERT, "invert");

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) (i * 31 + (i >> 8));
    }
    return bytes;
  }

  /** A tensor on the device with that content. */
  private static Tensor placed(CudaDevice device, Arena arena, byte[] content) {
    MemorySegment memory = device.allocate(arena, content.length);
    try (DeviceStream stream = device.openStream("test")) {
      stream.copyToDevice(MemorySegment.ofArray(content), memory);
    }
    return Tensor.wrap(DType.UINT8, Shape.of(content.length), memory, device.place());
  }

  @Test
  void keepsTheContractWithPinnedMemory() {
    try (Device keeper = Device.gpu(0)) {
      DeviceContract.of(() -> Device.gpu(0)).hostMemory(keeper::allocatePinned).check();
    }
  }

  @Test
  void keepsTheContractWithPlainMemory() {
    DeviceContract.of(() -> Device.gpu(0)).check();
  }

  @Test
  void saysWhatItIs() {
    try (CudaDevice device = CudaDevice.open(0)) {
      assertThat(device.name()).isEqualTo("gpu:0");
      assertThat(device.model()).isNotBlank();
      assertThat(device.computeCapability()).matches("\\d+\\.\\d+");
      assertThat(device.driverVersion()).matches("\\d+\\.\\d+");
      assertThat(device.multiprocessors()).isPositive();
      assertThat(device.freeBytes()).isBetween(1L, device.memoryBytes());
      assertThat(device.decodedBy()).isNotBlank();
    }
  }

  @Test
  void memoryOutlivesTheDevice() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment pinned;
      try (CudaDevice device = CudaDevice.open(0)) {
        pinned = device.allocatePinned(arena, 1000);
        MemorySegment _ = device.allocate(arena, 1000);
        assertThat(device.isPinned(pinned)).isTrue();
        assertThat(device.isPinned(pinned.asSlice(999))).isTrue();
        assertThat(device.isPinned(arena.allocate(10))).isFalse();
      }
      pinned.fill((byte) 7);
      assertThat(pinned.get(JAVA_BYTE, 999)).isEqualTo((byte) 7);
    }
  }

  @Test
  void touchingDeviceMemoryThrows() {
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0)) {
      MemorySegment memory = device.allocate(arena, 1000);
      assertThatThrownBy(() -> memory.get(JAVA_BYTE, 0)).isInstanceOf(WrongThreadException.class);
    }
  }

  @Test
  void memoryThatIsFullIsNamed() {
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0)) {
      long wanted = device.memoryBytes() + (1 << 20); // whatever others free meanwhile
      assertThatThrownBy(() -> device.allocate(arena, wanted))
          .isInstanceOf(DeviceMemoryException.class)
          .hasMessageStartingWith(
              "device gpu:0: expected room for %,d bytes, but ".formatted(wanted));
      MemorySegment _ = device.allocate(arena, 1000); // and goes on
    }
  }

  @Test
  void tensorsComeBackToTheHost() {
    byte[] content = bytes(10_000_000);
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0)) {
      Tensor tensor = placed(device, arena, content);
      assertThat(tensor.toHost().toByteArray()).isEqualTo(content);
      assertThat(tensor.slice(5_000, 5_003).toHost().toByteArray())
          .containsExactly(content[5_000], content[5_001], content[5_002]);
      MemorySegment pinned = device.allocatePinned(arena, content.length);
      tensor.copyInto(pinned, 0);
      assertThat(pinned.toArray(JAVA_BYTE)).isEqualTo(content);
    }
  }

  @Test
  void whatIsOnlyCastCrossesTheBusAsBytes() {
    Dataset<Tensor> floats =
        Dataset.range(8)
            .map(x -> Tensor.of(Shape.of(1000), bytes(1000)))
            .batch(4)
            .map(x -> x.convert(DType.FLOAT32).scale(1 / 255.0).subtract(0.5));
    try (CudaDevice device = CudaDevice.open(0);
        Pipeline<Tensor> there = floats.prefetchToDevice(device).open()) {
      Tensor expected = floats.take(1).toList().getFirst();
      for (Tensor batch : there) {
        assertThat(batch.place()).isEqualTo(device.place());
        assertThat(batch.toHost().toByteArray()).isEqualTo(expected.toByteArray());
      }
      assertThat(copiedBytes(there)).as("a quarter of the floats, and room").isLessThan(2 * 8_000);
    }
  }

  @Test
  void manyTensorsOfABatchAreComputedTogether() {
    Dataset<List<Tensor>> columns =
        Dataset.range(6)
            .map(x -> Tensor.of(Shape.of(100), bytes(100)))
            .batch(2)
            .map(
                x ->
                    IntStream.range(0, 30).mapToObj(i -> x.convert(DType.FLOAT32).add(i)).toList());
    try (CudaDevice device = CudaDevice.open(0);
        Pipeline<List<Tensor>> there = columns.prefetchToDevice(device).open()) {
      for (List<Tensor> batch : there) {
        assertThat(batch.get(29).toHost().floatAt(1)).isEqualTo(29 + 31f);
      }
    }
  }

  @Test
  void severalDevicesGetBatchesInTurn() {
    Dataset<Tensor> numbers = Dataset.range(20).map(x -> Tensor.of(x, -x));
    try (CudaDevice one = CudaDevice.open(0);
        CudaDevice other = CudaDevice.open(0);
        Pipeline<Tensor> there =
            numbers.prefetchToDevice(List.of(one, other)).mapOnDevice(x -> x.add(1)).open()) {
      long next = 1;
      for (Tensor element : there) {
        assertThat(element.toHost().longAt(0)).isEqualTo(next++);
      }
      assertThat(next).isEqualTo(21);
    }
  }

  private static long copiedBytes(Pipeline<?> pipeline) {
    return pipeline.stats().operators().stream()
        .map(OpStats::transfer)
        .filter(Objects::nonNull)
        .mapToLong(transfer -> transfer.copies().bytes())
        .sum();
  }

  @Test
  void theConsumersStreamIsNotClosed() throws InterruptedException {
    try (CudaDevice device = CudaDevice.open(0)) {
      assertThat(device.consumerStream()).isZero();
      device.consumer().close();
      try (DeviceEvent event = device.consumer().record()) {
        assertThat(event.await(MINUTE_NS)).isTrue();
      }
    }
  }

  @Test
  void anotherStreamMayBeTheConsumers() throws InterruptedException {
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0);
        CudaStream owned = (CudaStream) device.openStream("a library's")) {
      CudaDevice view = device.consumedOn(owned.handle());
      assertThat(view.consumerStream()).isEqualTo(owned.handle());
      byte[] content = bytes(1_000);
      Tensor tensor = placed(view, arena, content);
      assertThat(tensor.toHost().toByteArray()).isEqualTo(content);
      view.consumer().close();
      try (DeviceEvent event = owned.record()) {
        assertThat(event.await(MINUTE_NS)).as("the stream is still there").isTrue();
      }
    }
  }

  @Test
  void ownKernelsCompute() throws InterruptedException {
    byte[] content = bytes(100_000);
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0);
        DeviceStream stream = device.openStream("test")) {
      Tensor onDevice = placed(device, arena, content);
      Tensor onHost = Tensor.of(Shape.of(content.length), content);
      for (Tensor input : List.of(onDevice, onHost, inverted(inverted(onDevice)))) {
        MemorySegment result = device.allocate(arena, content.length);
        stream.compute(inverted(input), result);
        try (DeviceEvent done = stream.record()) {
          assertThat(done.await(MINUTE_NS)).isTrue();
        }
        byte[] got = toHost(stream, result);
        for (int i = 0; i < content.length; i++) {
          assertThat(got[i]).isEqualTo((byte) (255 - content[i]));
        }
      }
    }
  }

  private static Tensor inverted(Tensor input) {
    return INVERT.apply(DType.UINT8, input.shape(), List.of(input), 255);
  }

  private static byte[] toHost(DeviceStream stream, MemorySegment memory) {
    byte[] got = new byte[(int) memory.byteSize()];
    stream.copyToHost(memory, MemorySegment.ofArray(got));
    return got;
  }

  @Test
  void manyComputationsAreUnderWay() {
    byte[] content = bytes(1_000);
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0)) {
      Tensor input = placed(device, arena, content);
      long before = device.usedBytes();
      try (DeviceStream stream = device.openStream("test")) {
        List<MemorySegment> results = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
          MemorySegment result = device.allocate(arena, content.length);
          results.add(result);
          stream.compute(
              INVERT.apply(
                  DType.UINT8, input.shape(), List.of(Tensor.of(Shape.of(1_000), content)), i),
              result);
        }
        for (int i = 0; i < 200; i++) {
          assertThat(toHost(stream, results.get(i))[7]).isEqualTo((byte) (i - content[7]));
        }
      }
      assertThat(device.usedBytes()).isEqualTo(before + 200 * 1_000);
    }
  }

  @Test
  void manyThreadsShareADevice() throws Exception {
    try (CudaDevice device = CudaDevice.open(0);
        DeviceStream shared = device.openStream("shared")) {
      long before = device.usedBytes();
      try (Arena own = Arena.ofShared();
          ExecutorService threads = Executors.newFixedThreadPool(4)) {
        List<Future<?>> ends = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
          int seed = thread;
          ends.add(threads.submit(() -> copyBackAndForth(device, shared, own, seed)));
        }
        for (Future<?> end : ends) {
          end.get();
        }
      }
      assertThat(device.usedBytes()).isEqualTo(before);
    }
  }

  private static Object copyBackAndForth(
      CudaDevice device, DeviceStream shared, Arena arena, int seed) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 30; round++) {
      byte[] content = new byte[random.nextInt(1, 10_000_000)];
      random.nextBytes(content);
      MemorySegment memory = device.allocate(arena, content.length);
      MemorySegment here =
          random.nextBoolean()
              ? device.allocatePinned(arena, content.length)
              : MemorySegment.ofArray(new byte[content.length]);
      here.copyFrom(MemorySegment.ofArray(content));
      DeviceStream own = device.openStream("own");
      DeviceStream in = random.nextBoolean() ? own : shared;
      in.copyToDevice(here, memory);
      try (DeviceEvent copied = in.record()) {
        assertThat(copied.await(MINUTE_NS)).isTrue();
        here.fill((byte) 0);
        shared.waitFor(copied);
      }
      own.close();
      shared.copyToHost(memory, here);
      try (DeviceEvent back = shared.record()) {
        assertThat(back.await(MINUTE_NS)).isTrue();
      }
      assertThat(here.mismatch(MemorySegment.ofArray(content))).isEqualTo(-1);
    }
    return "done";
  }

  @Test
  void closingLetsGoOfWhoeverStages() throws Exception {
    byte[] content = bytes(50_000_000);
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0)) {
      MemorySegment memory = device.allocate(arena, content.length);
      for (int round = 0; round < 5; round++) {
        DeviceStream stream = device.openStream("test");
        CompletableFuture<String> staged =
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    while (true) {
                      stream.copyToDevice(MemorySegment.ofArray(content), memory);
                    }
                  } catch (DeviceException e) {
                    return e.getMessage();
                  }
                });
        Thread.sleep(round);
        stream.close();
        assertThat(staged.get(1, TimeUnit.MINUTES))
            .isEqualTo("device gpu:0: expected a stream that is open, but it was closed");
      }
    }
  }

  @Test
  void aKernelThatDoesNotCompileSaysWhy() {
    CudaKernel broken =
        CudaKernel.ofPtx(TestKernels.INVERT.replace("sub.u32", "broken.u32"), "invert");
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0);
        DeviceStream stream = device.openStream("test")) {
      MemorySegment result = device.allocate(arena, 4);
      Tensor tensor =
          broken.apply(DType.UINT8, Shape.of(4), List.of(placed(device, arena, bytes(4))), 255);
      assertThatThrownBy(() -> stream.compute(tensor, result))
          .isInstanceOf(DeviceException.class)
          .hasMessageStartingWith(
              "device gpu:0: kernel invert cannot be compiled: CUDA_ERROR_INVALID_PTX")
          .hasMessageContaining("broken");
      try (DeviceEvent event = stream.record()) {
        assertThat(event.isDone()).isTrue();
        assertThatThrownBy(() -> event.await(0))
            .as("what was not computed must not be taken for done")
            .isInstanceOf(DeviceException.class)
            .hasMessageContaining("CUDA_ERROR_INVALID_PTX");
      }
    }
  }

  @Test
  void aTensorOfAnotherDeviceIsRefused() {
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0);
        DeviceStream stream = device.openStream("test")) {
      MemorySegment result = device.allocate(arena, 4);
      Tensor elsewhere =
          Tensor.wrap(
              DType.UINT8,
              Shape.of(4),
              DeviceAddresses.at(64, 4, arena.allocate(1)),
              new Place() {
                @Override
                public int number() {
                  return 0;
                }

                @Override
                public String name() {
                  return "elsewhere";
                }

                @Override
                public void copyToHost(MemorySegment from, MemorySegment to) {}
              });
      assertThatThrownBy(() -> stream.compute(inverted(elsewhere), result))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("device gpu:0: expected a tensor in its memory, but got ");
    }
  }

  @Test
  void dlPackNamesTheDevice() {
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0)) {
      Tensor tensor = placed(device, arena, bytes(8));
      try (DlPack lent = DlPack.of(tensor)) {
        assertThat(lent.isReturned()).isFalse();
      }
    }
  }
}
