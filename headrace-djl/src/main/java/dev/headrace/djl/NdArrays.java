package dev.headrace.djl;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import dev.headrace.data.DType;
import dev.headrace.data.Lease;
import dev.headrace.data.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Makes arrays of DJL from tensors.
 *
 * <p><b>Threading:</b> for one thread.
 */
final class NdArrays {
  /* DJL's PyTorch engine makes an array of a direct buffer without a copy, and does not own its
   * memory then: views of such an array dangle when the buffer is gone. So a copy is an array that
   * the engine allocated. Where the engine shows that array's memory as a buffer, as PyTorch does on
   * the CPU, the tensor is written (or computed) straight into it, by one thread at the speed of
   * memory; elsewhere it takes the way through a buffer and duplicate(). */

  private static final long ALIGNMENT = 64;

  private final Map<Device, Boolean> showsMemory = new HashMap<>();
  private MemorySegment scratch = MemorySegment.NULL;

  /** An array that owns its memory. */
  NDArray copy(Tensor tensor, NDManager manager) {
    DataType type = type(tensor.dtype());
    checkSize(tensor);
    if (tensor.elements() == 0
        || showsMemory.computeIfAbsent(manager.getDevice(), _ -> probe(manager))) {
      NDArray array = manager.create(shape(tensor), type);
      if (tensor.elements() > 0) {
        tensor.copyInto(MemorySegment.ofBuffer(array.toByteBuffer(true)), 0);
      }
      return array;
    }
    long bytes = tensor.byteSize();
    if (scratch.byteSize() < bytes) {
      scratch = Arena.ofAuto().allocate(bytes, ALIGNMENT);
    }
    tensor.copyInto(scratch, 0);
    try (NDArray borrowed = over(scratch.asSlice(0, bytes), tensor, manager)) {
      return borrowed.duplicate();
    }
  }

  /** Whether what is written to the buffer of an array is the array's. */
  private static boolean probe(NDManager manager) {
    try (NDArray array = manager.create(new Shape(1), DataType.UINT8)) {
      ByteBuffer memory = array.toByteBuffer(true);
      boolean shows = memory.isDirect() && !memory.isReadOnly();
      for (byte value = 1; value <= 2 && shows; value++) {
        memory.put(0, value);
        shows = array.toByteBuffer(false).get(0) == value;
      }
      return shows;
    } catch (UnsupportedOperationException e) {
      return false;
    }
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
    checkSize(tensor);
    retentions.accept(lease.retain());
    NDArray[] array = new NDArray[1];
    tensor.borrow(elements -> array[0] = over(elements, tensor, manager));
    return array[0];
  }

  private static NDArray over(MemorySegment elements, Tensor tensor, NDManager manager) {
    ByteBuffer buffer = elements.asByteBuffer().order(ByteOrder.nativeOrder());
    return manager.create(buffer, shape(tensor), type(tensor.dtype()));
  }

  private static void checkSize(Tensor tensor) {
    if (tensor.byteSize() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "HeadraceDataset: expected tensors of less than 2 GiB, which DJL's buffers hold, but got"
              + " %s; use smaller batches".formatted(tensor.describe()));
    }
  }

  private static Shape shape(Tensor tensor) {
    return new Shape(tensor.shape().toArray());
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
