package dev.headrace.torch;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.cuda.CudaDevice;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.testing.NoLeftovers;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.DeviceGuardImplInterface;
import org.bytedeco.pytorch.Stream;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** PyTorch over batches in a GPU's memory; needs a PyTorch that was built for CUDA. */
@Tag("gpu")
@Timeout(300)
@ExtendWith(NoLeftovers.class)
class TorchOnGpuTest {
  private static final int WIDTH = 250_000;
  private static final int ROWS = 4;
  private static final int BATCHES = 300;

  private static final Device GPU = new Device(torch.DeviceType.CUDA, (byte) 0);

  @BeforeAll
  static void pytorchMustKnowTheGpu() {
    assertThat(torch.cuda_is_available())
        .as("a GPU that PyTorch sees (built for CUDA: -Dtorch.natives=linux-x86_64-gpu)")
        .isTrue();
  }

  @AfterEach
  void pytorchHasLetGoOfEverything() {
    assertThat(TorchTensors.borrowedCount()).isZero();
  }

  /** Batches of 4 MB, each of four numbers that no other batch has. */
  private static Dataset<Tensor> batches() {
    return Dataset.range((long) BATCHES * ROWS)
        .map(n -> Tensor.full(Shape.of(WIDTH), (float) n))
        .batch(ROWS);
  }

  private static org.bytedeco.pytorch.Tensor onGpu(Tensor tensor) {
    try (org.bytedeco.pytorch.Tensor onHost = TorchTensors.copyToTorch(tensor)) {
      return onHost.to(GPU, onHost.scalar_type());
    }
  }

  @ParameterizedTest
  @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "STRING")
  void everyTypeArrivesAsItWas(DType dtype) {
    Dataset<Tensor> numbers =
        Dataset.range(6).map(n -> Tensor.of(0L, 1L, 2L, 100L, 1L, n).convert(dtype)).batch(2);
    List<Tensor> expected = numbers.toList();
    try (CudaDevice gpu = CudaDevice.open(0);
        TorchBatches<Tensor> there = TorchBatches.open(numbers.prefetchToDevice(gpu))) {
      int next = 0;
      for (TorchBatch batch : there) {
        org.bytedeco.pytorch.Tensor tensor = batch.tensor(0);
        assertThat(tensor.is_cuda()).isTrue();
        assertThat(tensor.scalar_type().intern()).isEqualTo(TorchTensors.scalarType(dtype));
        assertThat(TorchTensors.toHeadrace(tensor).contentEquals(expected.get(next++))).isTrue();
      }
      assertThat(next).isEqualTo(3);
    }
  }

  /**
   * PyTorch is given far more work than it has done when its batches are closed: their memory must
   * not be used again before the work is done, though nobody waits for it.
   */
  @Test
  void memoryIsUsedAgainOnlyAfterWhatPytorchHasQueued() {
    try (CudaDevice gpu = CudaDevice.open(0)) {
      assertEveryBatchIsReadWhole(gpu);
    }
  }

  @Test
  void pytorchMayWorkInAStreamOfItsOwn() {
    DeviceGuardImplInterface streams = torch.getDeviceGuardImpl(torch.DeviceType.CUDA);
    try (OwnStream own = new OwnStream();
        CudaDevice gpu = CudaDevice.open(0)) {
      // PyTorch knows streams of others by their addresses.
      Stream before = streams.exchangeStream(new Stream(Stream.Unsafe.UNSAFE, GPU, own.address));
      try {
        assertEveryBatchIsReadWhole(gpu.consumedOn(own.address));
      } finally {
        streams.exchangeStream(before);
      }
    }
  }

  private static void assertEveryBatchIsReadWhole(CudaDevice gpu) {
    DeviceGuardImplInterface streams = torch.getDeviceGuardImpl(torch.DeviceType.CUDA);
    List<org.bytedeco.pytorch.Tensor> ends = new ArrayList<>();
    Set<Long> addresses = new HashSet<>();
    int whileBusy = 0;
    try (org.bytedeco.pytorch.Tensor matrix = onGpu(Tensor.full(Shape.of(4096, 4096), 1f));
        TorchBatches<Tensor> there = TorchBatches.open(batches().prefetchToDevice(gpu, 2))) {
      for (TorchBatch batch : there) {
        try (PointerScope _ = new PointerScope()) {
          whileBusy += streams.queryStream(streams.getStream(GPU)) ? 0 : 1;
          org.bytedeco.pytorch.Tensor values = batch.tensor(0);
          addresses.add(values.data_ptr().address());
          matrix.mm(matrix); // the GPU is busy with this for longer than the next batch takes
          ends.add(values.min().retainReference());
          ends.add(values.max().retainReference());
        }
      }
      assertThat(addresses.size()).as("memory of batches").isLessThan(20);
      assertThat(whileBusy).as("batches that came while PyTorch was at work").isPositive();
    }
    assertThat(ends).hasSize(2 * BATCHES);
    for (int i = 0; i < BATCHES; i++) {
      try (org.bytedeco.pytorch.Tensor least = ends.get(2 * i);
          org.bytedeco.pytorch.Tensor most = ends.get(2 * i + 1)) {
        assertThat(least.item_float()).as("batch %d", i).isEqualTo(ROWS * i);
        assertThat(most.item_float()).as("batch %d", i).isEqualTo(ROWS * i + ROWS - 1);
      }
    }
  }

  @Test
  void whatPytorchStillRefersToIsNotOverwritten() {
    List<org.bytedeco.pytorch.Tensor> views = new ArrayList<>();
    try (CudaDevice gpu = CudaDevice.open(0)) {
      try (TorchBatches<Tensor> there =
          TorchBatches.open(batches().take(20).prefetchToDevice(gpu))) {
        for (TorchBatch batch : there) {
          views.add(batch.tensor(0).narrow(0, 1, 1)); // row 1 of the batch
        }
      }
      assertThat(TorchTensors.borrowedCount()).isEqualTo(20);
      for (int i = 0; i < views.size(); i++) {
        assertThat(TorchTensors.toHeadrace(views.get(i)).floatAt(0)).isEqualTo(ROWS * i + 1);
        views.get(i).close();
      }
    }
  }

  @Test
  void networksLearnFromWhatIsOnTheGpu() {
    try (CudaDevice gpu = CudaDevice.open(0)) {
      assertThat(TrainDigits.train(gpu)).isGreaterThanOrEqualTo(0.95);
    }
  }

  /** A stream that somebody else made: neither PyTorch nor Headrace. */
  private static final class OwnStream implements AutoCloseable {
    private static final int NON_BLOCKING = 1;

    private final SymbolLookup driver;
    final long address;

    @SuppressWarnings("restricted") // a library of NVIDIA's
    OwnStream() {
      onGpu(Tensor.scalar(1f)).close(); // this thread is PyTorch's now, on the GPU
      driver = SymbolLookup.libraryLookup("libcuda.so.1", Arena.global());
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment result = arena.allocate(ADDRESS);
        MethodHandle create =
            handle("cuStreamCreate", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
        assertThat((int) create.invokeExact(result, NON_BLOCKING)).isZero();
        address = result.get(JAVA_LONG, 0);
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() {
      try {
        MethodHandle destroy =
            handle("cuStreamDestroy_v2", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
        assertThat((int) destroy.invokeExact(address)).isZero();
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }

    @SuppressWarnings("restricted")
    private MethodHandle handle(String name, FunctionDescriptor type) {
      return Linker.nativeLinker().downcallHandle(driver.findOrThrow(name), type);
    }
  }
}
