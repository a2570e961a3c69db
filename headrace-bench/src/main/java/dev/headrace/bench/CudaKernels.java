package dev.headrace.bench;

import dev.headrace.cuda.CudaDevice;
import dev.headrace.cuda.CudaKernel;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import java.util.List;

/**
 * What measurements need of CUDA beyond what any device does: a kernel that takes a known time, one
 * that faults, and what the driver says of memory.
 */
final class CudaKernels {
  /** How the driver calls what {@link #fault} does. */
  static final String FAULT_NAME = "CUDA_ERROR_ILLEGAL_ADDRESS";

  /** One thread that looks at the clock until the time is over, and writes how long that was. */
  static final String SPIN_PTX =
      """
      .version 6.3
      .target sm_60
      .address_size 64
      .visible .entry spin(
        .param .u64 spin_batch, .param .u64 spin_result, .param .u64 spin_count, .param .u64 spin_nanos)
      {
        .reg .pred %p<2>;
        .reg .b64 %rd<8>;
        ld.param.u64 %rd1, [spin_result];
        ld.param.u64 %rd2, [spin_nanos];
        cvta.to.global.u64 %rd3, %rd1;
        mov.u64 %rd4, %globaltimer;
        add.s64 %rd5, %rd4, %rd2;
      again:
        mov.u64 %rd6, %globaltimer;
        setp.lt.u64 %p1, %rd6, %rd5;
        @%p1 bra again;
        sub.s64 %rd7, %rd6, %rd4;
        st.global.u64 [%rd3], %rd7;
        ret;
      }
      """;

  /** Writes to the address 0. */
  static final String FAULT_PTX =
      """
      .version 6.3
      .target sm_60
      .address_size 64
      .visible .entry fault(.param .u64 fault_in, .param .u64 fault_out, .param .u64 fault_count)
      {
        .reg .b64 %rd<3>;
        mov.u64 %rd1, 0;
        mov.u64 %rd2, 1;
        st.global.u64 [%rd1], %rd2;
        ret;
      }
      """;

  private static final CudaKernel SPIN = CudaKernel.ofPtx(SPIN_PTX, "spin").block(1).grid(1);
  private static final CudaKernel FAULT = CudaKernel.ofPtx(FAULT_PTX, "fault").block(1).grid(1);

  private CudaKernels() {}

  /** How long it really took, after that time. */
  static Tensor spin(Tensor batch, long nanos) {
    return SPIN.apply(DType.INT64, Shape.scalar(), List.of(batch), nanos);
  }

  /** Nothing: it writes where nothing is. */
  static Tensor fault(Tensor source) {
    return FAULT.apply(source.dtype(), source.shape(), List.of(source));
  }

  /** How much of a device's memory is in use, as its driver says. */
  static long usedBytes(Device device) {
    return device instanceof CudaDevice gpu
        ? gpu.memoryBytes() - gpu.freeBytes()
        : device.usedBytes();
  }

  /** How much memory of the host is pinned for a device. */
  static long pinnedBytes(Device device) {
    return device instanceof CudaDevice ? CudaDevice.pinnedBytes() : 0;
  }
}
