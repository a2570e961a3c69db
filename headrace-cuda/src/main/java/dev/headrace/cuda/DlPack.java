package dev.headrace.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.headrace.data.DType;
import dev.headrace.data.Lease;
import dev.headrace.data.Log;
import dev.headrace.data.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A tensor in the form in which libraries hand tensors to each other without copying: a {@code
 * DLManagedTensor} of DLPack 0.8 in native memory, which PyTorch, JAX, CuPy and others take by its
 * address.
 *
 * <pre>{@code
 * DlPack capsule = DlPack.of(batch.image());
 * give(capsule.address()); // the taker calls its deleter once, and so gives it back
 * }</pre>
 *
 * <p>The memory of a batch is held back from its next use until the deleter was called, and that of
 * other tensors from the garbage collector. On a device, the content is there for what is queued in
 * {@link CudaDevice#consumerStream}: work in another stream must first wait for that one, and must
 * have ended when the deleter is called.
 *
 * <p>Libraries that know no DLPack take the address itself, {@code
 * tensor.placedMemory().address()}, and the stream.
 *
 * <p><b>Threading:</b> safe for any number of threads; the deleter may be called by any, also by
 * those that Java does not know.
 *
 * <p><b>Ownership:</b> the code that takes the address calls the deleter. If the address was not
 * taken, close it.
 */
public final class DlPack implements AutoCloseable {
  private static final int CPU = 1;
  private static final int CUDA = 2;
  private static final int PINNED = 3;

  private static final byte SIGNED = 0;
  private static final byte UNSIGNED = 1;
  private static final byte FLOATING = 2;
  private static final byte BRAIN_FLOAT = 4;
  private static final byte BOOLEAN = 6;

  // DLTensor, then manager_ctx and deleter.
  private static final long DATA_AT = 0;
  private static final long DEVICE_KIND_AT = 8;
  private static final long DEVICE_NUMBER_AT = 12;
  private static final long RANK_AT = 16;
  private static final long TYPE_CODE_AT = 20;
  private static final long TYPE_BITS_AT = 21;
  private static final long TYPE_LANES_AT = 22;
  private static final long SHAPE_AT = 24;
  private static final long STRIDES_AT = 32;
  private static final long BYTE_OFFSET_AT = 40;
  private static final long CONTEXT_AT = 48;
  private static final long DELETER_AT = 56;
  private static final long BYTES = 64;

  /** Those that were not given back, by address; a deleter gets nothing but that. */
  private static final Map<Long, DlPack> LENT = new ConcurrentHashMap<>();

  private final MemorySegment memory;
  private final AtomicBoolean isReturned = new AtomicBoolean();

  /** Keeps memory of the collector's alive. */
  @SuppressWarnings("unused")
  private volatile @Nullable Tensor tensor;

  private final Lease.@Nullable Retention retention;

  private DlPack(MemorySegment memory, Tensor tensor, Lease.@Nullable Retention retention) {
    this.memory = memory;
    this.tensor = tensor;
    this.retention = retention;
  }

  /**
   * Lends a tensor of numbers: on a GPU, or in native memory of the host.
   *
   * @throws IllegalArgumentException if it is deferred, of strings, or on the heap, which others
   *     cannot see
   */
  public static DlPack of(Tensor tensor) {
    if (!tensor.dtype().isFixedSize()) {
      throw new IllegalArgumentException(
          "DLPack: expected a tensor of numbers, but got " + tensor.describe());
    }
    if (tensor.isDeferred()) {
      throw new IllegalArgumentException(
          "DLPack: expected a tensor that is computed, but got %s; let a batch hold it, or compute it on a device"
              .formatted(tensor.describe()));
    }
    MemorySegment elements = tensor.placedMemory();
    if (!elements.isNative()) {
      throw new IllegalArgumentException(
          "DLPack: expected a tensor in native memory, but got %s on the heap; copy it to memory of an arena"
              .formatted(tensor.describe()));
    }
    Lease lease = tensor.lease();
    DlPack lent =
        new DlPack(describe(tensor, elements), tensor, lease == null ? null : lease.retain());
    LENT.put(lent.address(), lent);
    return lent;
  }

  private static MemorySegment describe(Tensor tensor, MemorySegment elements) {
    int rank = tensor.shape().rank();
    MemorySegment memory = Arena.ofAuto().allocate(BYTES + rank * 2L * Long.BYTES, Long.BYTES);
    long shapeAt = BYTES;
    long stridesAt = shapeAt + (long) rank * Long.BYTES;
    memory.set(JAVA_LONG, DATA_AT, elements.address());
    setDevice(memory, tensor, elements);
    memory.set(JAVA_INT, RANK_AT, rank);
    memory.set(JAVA_BYTE, TYPE_CODE_AT, typeCode(tensor.dtype()));
    memory.set(JAVA_BYTE, TYPE_BITS_AT, (byte) (tensor.dtype().byteSize() * Byte.SIZE));
    memory.set(JAVA_SHORT, TYPE_LANES_AT, (short) 1);
    memory.set(JAVA_LONG, SHAPE_AT, memory.address() + shapeAt);
    memory.set(JAVA_LONG, STRIDES_AT, memory.address() + stridesAt);
    memory.set(JAVA_LONG, BYTE_OFFSET_AT, 0);
    memory.set(JAVA_LONG, CONTEXT_AT, 0);
    memory.set(JAVA_LONG, DELETER_AT, Deleter.STUB.address());
    long stride = 1;
    for (int axis = rank - 1; axis >= 0; axis--) {
      memory.set(JAVA_LONG, shapeAt + (long) axis * Long.BYTES, tensor.shape().dim(axis));
      memory.set(JAVA_LONG, stridesAt + (long) axis * Long.BYTES, stride);
      stride *= tensor.shape().dim(axis);
    }
    return memory;
  }

  private static void setDevice(MemorySegment memory, Tensor tensor, MemorySegment elements) {
    int kind;
    int number = 0;
    switch (tensor.place()) {
      case CudaPlace place -> {
        kind = CUDA;
        number = place.number();
      }
      case null -> kind = PinnedMemory.contains(elements) ? PINNED : CPU;
      default ->
          throw new IllegalArgumentException(
              "DLPack: expected a tensor on a GPU or the host, but it is on device "
                  + Objects.requireNonNull(tensor.place()).name());
    }
    memory.set(JAVA_INT, DEVICE_KIND_AT, kind);
    memory.set(JAVA_INT, DEVICE_NUMBER_AT, number);
  }

  private static byte typeCode(DType dtype) {
    return switch (dtype) {
      case BOOL -> BOOLEAN;
      case INT8, INT16, INT32, INT64 -> SIGNED;
      case UINT8, UINT16, UINT32, UINT64 -> UNSIGNED;
      case FLOAT16, FLOAT32, FLOAT64 -> FLOATING;
      case BFLOAT16 -> BRAIN_FLOAT;
      case STRING -> throw new AssertionError(dtype);
    };
  }

  /** The address of the {@code DLManagedTensor}. */
  public long address() {
    return memory.address();
  }

  /** Whether it was given back. */
  public boolean isReturned() {
    return isReturned.get();
  }

  /** Gives it back, as its deleter does, if it was not taken. Closing again does nothing. */
  @Override
  public void close() {
    if (isReturned.compareAndSet(false, true)) {
      LENT.remove(address());
      tensor = null;
      if (retention != null) {
        retention.close();
      }
    }
  }

  /** The function that others call. */
  private static final class Deleter {
    static final MemorySegment STUB = stub();

    @SuppressWarnings("restricted") // catches whatever is thrown
    private static MemorySegment stub() {
      try {
        return Linker.nativeLinker()
            .upcallStub(
                MethodHandles.lookup()
                    .findStatic(
                        DlPack.class, "delete", MethodType.methodType(void.class, long.class)),
                FunctionDescriptor.ofVoid(JAVA_LONG),
                Arena.global());
      } catch (ReflectiveOperationException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Called by native code, through which nothing may be thrown. */
  private static void delete(long address) {
    try {
      DlPack lent = LENT.get(address);
      if (lent != null) {
        lent.close();
      }
    } catch (Throwable e) {
      Log.named("headrace.cuda")
          .log(System.Logger.Level.ERROR, "DLPack: a tensor could not be given back", e);
    }
  }
}
