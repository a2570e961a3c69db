package dev.headrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import dev.headrace.data.DType;
import dev.headrace.data.Lease;
import dev.headrace.data.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * Makes arrays of DJL from tensors.
 *
 * <p>DJL's PyTorch engine makes an array of a direct buffer without a copy, and does not own its
 * memory then: views of such an array dangle when it is gone. So what is made here is duplicated,
 * unless it is asked to borrow.
 *
 * <p><b>Threading:</b> for one thread.
 */
final class NdArrays {
  private static final long ALIGNMENT = 64;

  /** What does not lie in native memory passes through this, and is duplicated from it. */
  private MemorySegment scratch = MemorySegment.NULL;

  /** An array that owns its memory. */
  NDArray copy(Tensor tensor, NDManager manager) {
    DataType _ = type(tensor.dtype()); // refuses strings before they are read
    if (isInNativeMemory(tensor)) {
      NDArray[] copy = new NDArray[1];
      tensor.borrow(elements -> copy[0] = duplicate(elements, tensor, manager));
      return copy[0];
    }
    long bytes = tensor.byteSize();
    if (scratch.byteSize() < bytes) {
      scratch = Arena.ofAuto().allocate(bytes, ALIGNMENT);
    }
    tensor.copyInto(scratch, 0);
    return duplicate(scratch.asSlice(0, bytes), tensor, manager);
  }

  /**
   * An array over the memory of the tensor's batch where it has one, else a copy.
   *
   * @param retentions told what has to be closed when the array is no longer read
   */
  NDArray borrow(Tensor tensor, NDManager manager, Consumer<Lease.Retention> retentions) {
    Lease lease = tensor.lease();
    if (lease == null || tensor.elements() == 0) {
      return copy(tensor, manager);
    }
    retentions.accept(lease.retain());
    NDArray[] array = new NDArray[1];
    tensor.borrow(elements -> array[0] = over(elements, tensor, manager));
    return array[0];
  }

  /** Elements that were computed, outside the heap: a batch in a slab, a mapped file. */
  private static boolean isInNativeMemory(Tensor tensor) {
    boolean[] isNative = new boolean[1];
    if (tensor.expression() == null && tensor.elements() > 0) {
      tensor.borrow(elements -> isNative[0] = elements.isNative());
    }
    return isNative[0];
  }

  private static NDArray duplicate(MemorySegment elements, Tensor tensor, NDManager manager) {
    try (NDArray borrowed = over(elements, tensor, manager)) {
      return borrowed.duplicate();
    }
  }

  private static NDArray over(MemorySegment elements, Tensor tensor, NDManager manager) {
    if (elements.byteSize() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "HeadraceDataset: expected tensors of less than 2 GiB, which DJL's buffers hold, but got"
              + " %s; use smaller batches".formatted(tensor.describe()));
    }
    ByteBuffer buffer = elements.asByteBuffer().order(ByteOrder.nativeOrder());
    return manager.create(
        buffer, new ai.djl.ndarray.types.Shape(tensor.shape().toArray()), type(tensor.dtype()));
  }

  private static DataType type(DType dtype) {
    return switch (dtype) {
      case BOOL -> DataType.BOOLEAN;
      case INT8 -> DataType.INT8;
      case INT16 -> DataType.INT16;
      case INT32 -> DataType.INT32;
      case INT64 -> DataType.INT64;
      case UINT8 -> DataType.UINT8;
      case UINT16 -> DataType.UINT16;
      case UINT32 -> DataType.UINT32;
      case UINT64 -> DataType.UINT64;
      case FLOAT16 -> DataType.FLOAT16;
      case BFLOAT16 -> DataType.BFLOAT16;
      case FLOAT32 -> DataType.FLOAT32;
      case FLOAT64 -> DataType.FLOAT64;
      case STRING ->
          throw new IllegalArgumentException(
              "HeadraceDataset: expected numbers or booleans, but got strings; map them to numbers"
                  + " first");
    };
  }
}
