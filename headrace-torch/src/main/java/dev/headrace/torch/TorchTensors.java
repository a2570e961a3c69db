package dev.headrace.torch;

import dev.headrace.data.DType;
import dev.headrace.data.Lease;
import dev.headrace.data.Place;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.DeviceOptional;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Tensors of Headrace as tensors of PyTorch, and back.
 *
 * <p><b>Ownership:</b> a tensor of PyTorch belongs to the caller, who closes it, or leaves it to a
 * {@code PointerScope} or the garbage collector.
 */
public final class TorchTensors {
  private TorchTensors() {}

  /**
   * The same elements for PyTorch.
   *
   * <p>Not copied where they lie in a pipeline's batch memory, or in other native memory that may
   * be written: PyTorch then reads the memory of the batch, which the pipeline uses again only when
   * PyTorch has let go of it, of every view of it and of every graph that has it. Such a tensor
   * must not be written to in place; {@code clone()} it first. Everything else is copied: heap
   * memory, mapped files, scalars. A deferred tensor is computed into PyTorch's own memory.
   *
   * <p>A tensor on a GPU is not copied either, and becomes one of PyTorch's on the same GPU.
   * PyTorch must work in the stream that the pipeline's device knows as its consumer's: the default
   * stream is, and another one is after {@code gpu.consumedOn(stream)}. There it waits for the
   * batch by itself, and the batch's memory is used again only after what PyTorch has queued.
   * PyTorch must have been built for CUDA.
   *
   * @throws IllegalArgumentException for strings
   */
  public static org.bytedeco.pytorch.Tensor toTorch(Tensor tensor) {
    TorchTypes.options(tensor.dtype());
    if (tensor.expression() != null || tensor.elements() == 0) {
      return copyToTorch(tensor);
    }
    Lease lease = tensor.lease();
    if (lease != null) {
      Lease.Retention retention = lease.retain();
      return borrow(tensor, memoryOf(tensor), retention::close);
    }
    if (tensor.place() != null) {
      return borrow(tensor, memoryOf(tensor), new Reachable(tensor));
    }
    MemorySegment memory = memoryOf(tensor);
    boolean fits =
        memory.isNative()
            && !memory.isReadOnly()
            && memory.address() % tensor.dtype().byteSize() == 0;
    return fits ? borrow(tensor, memory, new Reachable(tensor)) : copyToTorch(tensor);
  }

  /** The same elements in memory of PyTorch's own, which may be written to. */
  public static org.bytedeco.pytorch.Tensor copyToTorch(Tensor tensor) {
    org.bytedeco.pytorch.Tensor copy =
        torch.empty(
            tensor.shape().toArray(),
            TorchTypes.options(tensor.dtype()),
            new MemoryFormatOptional());
    try {
      if (tensor.elements() > 0) {
        tensor.copyInto(segment(copy), 0);
      }
      return copy;
    } catch (RuntimeException | Error e) {
      copy.close();
      throw e;
    }
  }

  /** A copy of a dense tensor of PyTorch, from any device and with any strides. */
  public static Tensor toHeadrace(org.bytedeco.pytorch.Tensor tensor) {
    DType dtype = dtype(tensor.scalar_type());
    try (org.bytedeco.pytorch.Tensor detached = tensor.detach();
        org.bytedeco.pytorch.Tensor onHost = detached.cpu();
        org.bytedeco.pytorch.Tensor contiguous = onHost.contiguous()) {
      long bytes = contiguous.nbytes();
      MemorySegment copy =
          MemorySegment.ofArray(new long[Math.toIntExact((bytes + 7) / 8)]).asSlice(0, bytes);
      if (bytes > 0) {
        MemorySegment.copy(segment(contiguous), 0, copy, 0, bytes);
      }
      return Tensor.wrap(dtype, shape(tensor), copy);
    }
  }

  /** PyTorch's type of the same elements. */
  public static ScalarType scalarType(DType dtype) {
    return TorchTypes.scalarType(dtype);
  }

  /** Headrace's type of the same elements. */
  public static DType dtype(ScalarType type) {
    return TorchTypes.dtype(type);
  }

  /** How many tensors of PyTorch are over memory of Headrace at this moment. */
  public static int borrowedCount() {
    return BorrowedMemory.count();
  }

  private static org.bytedeco.pytorch.Tensor borrow(
      Tensor tensor, MemorySegment memory, Runnable release) {
    long address = memory.address();
    try {
      return torch.from_blob(
          new Address(address),
          tensor.shape().toArray(),
          BorrowedMemory.hold(address, release),
          options(tensor));
    } catch (RuntimeException | Error e) {
      BorrowedMemory.release(address);
      throw e;
    }
  }

  private static TensorOptions options(Tensor tensor) {
    TensorOptions options = TorchTypes.options(tensor.dtype());
    Place place = tensor.place();
    return place == null
        ? options
        : options.device(
            new DeviceOptional(new Device(torch.DeviceType.CUDA, (byte) place.number())));
  }

  /** Where the elements of a computed tensor lie; for as long as the caller holds them. */
  private static MemorySegment memoryOf(Tensor tensor) {
    if (tensor.place() != null) {
      return tensor.placedMemory();
    }
    MemorySegment[] memory = new MemorySegment[1];
    tensor.borrow(elements -> memory[0] = elements);
    return memory[0];
  }

  @SuppressWarnings("restricted") // as large as PyTorch says
  private static MemorySegment segment(org.bytedeco.pytorch.Tensor tensor) {
    return MemorySegment.ofAddress(tensor.data_ptr().address()).reinterpret(tensor.nbytes());
  }

  private static Shape shape(org.bytedeco.pytorch.Tensor tensor) {
    long[] dims = new long[Math.toIntExact(tensor.dim())];
    for (int i = 0; i < dims.length; i++) {
      dims[i] = tensor.size(i);
    }
    return Shape.of(dims);
  }

  /** Keeps a tensor from the garbage collector for as long as PyTorch may read it. */
  private record Reachable(Tensor tensor) implements Runnable {
    @Override
    public void run() {}
  }

  /** A pointer to memory that is not JavaCPP's. */
  private static final class Address extends Pointer {
    Address(long address) {
      this.address = address;
    }
  }
}
