package dev.headrace.bench;

import dev.headrace.data.Tensor;
import dev.headrace.device.Device;

/** Kernels of our own, for what no library has: a step of known length, and a fault. */
final class CudaKernels {
  static final String FAULT_NAME = "CUDA_ERROR_ILLEGAL_ADDRESS";

  private CudaKernels() {}

  /** Spins for that time. */
  static Tensor spin(Tensor batch, long nanos) {
    throw new UnsupportedOperationException("spin");
  }

  /** Writes where nothing is. */
  static Tensor fault(Tensor source) {
    throw new UnsupportedOperationException("fault");
  }

  /** How much pinned memory is allocated. */
  static long pinnedBytes(Device device) {
    return 0;
  }
}
