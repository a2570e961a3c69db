package dev.headrace.cuda;

import dev.headrace.cuda.kernel.OwnKernel;
import dev.headrace.cuda.kernel.Program;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A kernel of the user's own, as one step of a computation on the device.
 *
 * <pre>{@code
 * static final CudaKernel INVERT = CudaKernel.ofSource("""
 *     extern "C" __global__ void invert(const unsigned char* in, unsigned char* out, long long n, int top) {
 *       long long i = blockIdx.x * (long long) blockDim.x + threadIdx.x;
 *       if (i < n) out[i] = top - in[i];
 *     }""", "invert");
 *
 * dataset.batch(64).prefetchToDevice(gpu)
 *     .mapOnDevice(x -> INVERT.apply(UINT8, x.shape(), List.of(x), 255));
 * }</pre>
 *
 * <p>Its parameters are the addresses of the inputs in order, the address of the result, the number
 * of the result's elements as a 64-bit integer, then the numbers given to {@link #apply}: {@code
 * Integer}, {@code Long}, {@code Float} and {@code Double} as C's {@code int}, {@code long long},
 * {@code float} and {@code double}. It must write every element of the result, and touch nothing
 * else: a kernel that goes astray ends the use of CUDA in the whole process.
 *
 * <p>There is one thread for each element of the result, in blocks of 256, unless said otherwise.
 *
 * <p><b>Threading:</b> immutable. It is compiled once per device, when it first runs.
 */
public final class CudaKernel {
  private static final int BLOCK = 256;
  private static final int MOST_BLOCK = 1024;

  private final String ptx;
  private final String entry;
  private final int block;
  private final int grid;
  private final int sharedBytes;
  private final @Nullable Function<List<Tensor>, Tensor> onHost;

  private CudaKernel(
      String ptx,
      String entry,
      int block,
      int grid,
      int sharedBytes,
      @Nullable Function<List<Tensor>, Tensor> onHost) {
    this.ptx = Objects.requireNonNull(ptx, "ptx");
    this.entry = Objects.requireNonNull(entry, "entry");
    this.block = block;
    this.grid = grid;
    this.sharedBytes = sharedBytes;
    this.onHost = onHost;
  }

  /**
   * A kernel in PTX, which needs nothing but the driver.
   *
   * @param ptx a whole module
   * @param entry the name of its {@code .entry}
   */
  public static CudaKernel ofPtx(String ptx, String entry) {
    if (!ptx.contains(entry)) {
      throw new IllegalArgumentException(
          "kernel: expected PTX with an entry named %s, but there is none".formatted(entry));
    }
    return new CudaKernel(ptx, entry, BLOCK, 0, 0, null);
  }

  /**
   * A kernel in CUDA C++, compiled at once by NVRTC, NVIDIA's compiler library. Where that is not
   * to be found, compile elsewhere ({@code nvcc -ptx}) and use {@link #ofPtx}.
   *
   * @param entry the name of its {@code __global__} function, which is {@code extern "C"}
   * @param options for the compiler, as in {@code --gpu-architecture=compute_80}
   * @throws UnsupportedOperationException if NVRTC is missing, saying where it was looked for
   * @throws IllegalArgumentException if it does not compile, with the compiler's messages
   */
  public static CudaKernel ofSource(String source, String entry, String... options) {
    return ofPtx(Nvrtc.compile(source, entry, List.of(options)), entry);
  }

  /** The same kernel in blocks of that many threads, 1 to 1,024. */
  public CudaKernel block(int threads) {
    if (threads < 1 || threads > MOST_BLOCK) {
      throw new IllegalArgumentException(
          "kernel %s: expected blocks of 1 to %,d threads, but got %,d"
              .formatted(entry, MOST_BLOCK, threads));
    }
    return new CudaKernel(ptx, entry, threads, grid, sharedBytes, onHost);
  }

  /** The same kernel in that many blocks, however large the result is. */
  public CudaKernel grid(int blocks) {
    if (blocks < 1) {
      throw new IllegalArgumentException(
          "kernel %s: expected at least 1 block, but got %,d".formatted(entry, blocks));
    }
    return new CudaKernel(ptx, entry, block, blocks, sharedBytes, onHost);
  }

  /** The same kernel with that much dynamic shared memory for each block. */
  public CudaKernel sharedBytes(int bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          "kernel %s: expected 0 bytes of shared memory or more, but got %,d"
              .formatted(entry, bytes));
    }
    return new CudaKernel(ptx, entry, block, grid, bytes, onHost);
  }

  /**
   * The same kernel with a twin for where there is no GPU.
   *
   * @param twin makes the result of the inputs, which lie in the host's memory
   */
  public CudaKernel onHost(Function<List<Tensor>, Tensor> twin) {
    return new CudaKernel(ptx, entry, block, grid, sharedBytes, twin);
  }

  /**
   * What the kernel makes of tensors; deferred.
   *
   * @param dtype the type of the result
   * @param shape the shape of the result
   * @param inputs computed or deferred, none of strings
   * @param numbers its last parameters
   */
  public Tensor apply(DType dtype, Shape shape, List<Tensor> inputs, Number... numbers) {
    for (Tensor input : inputs) {
      if (!input.dtype().isFixedSize()) {
        throw new IllegalArgumentException(
            "kernel %s: expected inputs of numbers, but got %s".formatted(entry, input.describe()));
      }
    }
    List<Program.Arg> parameters = new ArrayList<>();
    for (Number number : numbers) {
      parameters.add(parameter(number));
    }
    return Tensor.deferred(
        new Call(this, dtype, shape, List.copyOf(inputs), List.copyOf(parameters)));
  }

  private Program.Arg parameter(Number number) {
    return switch (number) {
      case Integer value -> new Program.Int(value);
      case Long value -> new Program.Long(value);
      case Float value -> new Program.Float(value);
      case Double value -> new Program.Double(value);
      default ->
          throw new IllegalArgumentException(
              "kernel %s: expected numbers of type Integer, Long, Float or Double, but got %s of type %s"
                  .formatted(entry, number, number.getClass().getSimpleName()));
    };
  }

  @Override
  public String toString() {
    return entry;
  }

  /** A kernel with what it is applied to. */
  record Call(
      CudaKernel kernel, DType dtype, Shape shape, List<Tensor> inputs, List<Program.Arg> numbers)
      implements OwnKernel {

    @Override
    public List<Tensor> sources() {
      return inputs;
    }

    /** The launch, when it is known where inputs and result are. */
    Program.Launch launch(List<Program.Pointer> inputAddresses, Program.Pointer result) {
      List<Program.Arg> args = new ArrayList<>(inputAddresses);
      args.add(result);
      args.add(new Program.Long(shape.elements()));
      args.addAll(numbers);
      return new Program.Launch(
          kernel.ptx, kernel.entry, blocks(), 1, 1, kernel.block, 1, kernel.sharedBytes, args);
    }

    private int blocks() {
      if (kernel.grid > 0) {
        return kernel.grid;
      }
      return Math.toIntExact((shape.elements() + kernel.block - 1) / kernel.block);
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      Function<List<Tensor>, Tensor> twin = kernel.onHost;
      if (twin == null) {
        throw new UnsupportedOperationException(
            "kernel %s: expected to run on a GPU, but the host was asked; give it a twin with onHost(...), or use it in mapOnDevice(...)"
                .formatted(kernel.entry));
      }
      Tensor made = twin.apply(inputs);
      if (made.dtype() != dtype || !made.shape().equals(shape)) {
        throw new IllegalStateException(
            "kernel %s: expected its twin on the host to make %s%s, but got %s%s"
                .formatted(
                    kernel.entry, dtype.tfName(), shape, made.dtype().tfName(), made.shape()));
      }
      made.copyInto(destination, 0);
    }

    @Override
    public String describe() {
      List<String> sources = inputs.stream().map(Tensor::describe).toList();
      List<String> parameters = numbers.stream().map(Call::text).toList();
      return "kernel %s(%s) ← %s"
          .formatted(kernel.entry, String.join(", ", parameters), String.join(" and ", sources));
    }

    private static String text(Program.Arg number) {
      return switch (number) {
        case Program.Int(int value) -> Integer.toString(value);
        case Program.Long(long value) -> Long.toString(value);
        case Program.Float(float value) -> Float.toString(value);
        case Program.Double(double value) -> Double.toString(value);
        case Program.Pointer _, Program.Table _ -> "…";
      };
    }
  }
}
