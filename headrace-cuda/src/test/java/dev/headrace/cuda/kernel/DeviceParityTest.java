package dev.headrace.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceEvent;
import dev.headrace.device.DeviceStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Generated kernels on a GPU give what the host computes; prints how far results lie apart. */
@Tag("gpu")
class DeviceParityTest {

  @Test
  void everyCaseGivesWhatTheHostGives() throws InterruptedException {
    Map<String, Double> mostUlps = new TreeMap<>();
    Map<String, String> differing = new TreeMap<>();
    try (Device device = Device.gpu(0);
        DeviceStream stream = device.openStream("parity")) {
      for (ParityCase parity : ParityCases.withoutFiles()) {
        Tensor computed = compute(parity, device, stream);
        double ulps = ParityCase.ulps(parity.onHost(), computed);
        mostUlps.merge(step(parity), ulps, Math::max);
        if (ulps > parity.mostUlps()) {
          differing.put(parity.name(), ulps + " ulps");
        }
      }
    }
    mostUlps.forEach((step, ulps) -> System.out.printf("%-24s %8.3f ulps at most%n", step, ulps));
    assertThat(differing).isEmpty();
  }

  /** The first word of a case's name. */
  private static String step(ParityCase parity) {
    return parity.name().split("[ :]", 2)[0];
  }

  private static Tensor compute(ParityCase parity, Device device, DeviceStream stream)
      throws InterruptedException {
    try (Arena arena = Arena.ofShared()) {
      List<Tensor> inputs = new ArrayList<>();
      for (Tensor input : parity.inputs()) {
        MemorySegment memory = allocate(device, arena, input.byteSize());
        if (input.byteSize() > 0) {
          input.borrow(host -> stream.copyToDevice(host, memory));
        }
        inputs.add(Tensor.wrap(input.dtype(), input.shape(), memory, device.place()));
      }
      Tensor deferred = parity.computation().apply(inputs);
      MemorySegment target = allocate(device, arena, deferred.byteSize());
      stream.compute(deferred, target);
      byte[] result = new byte[(int) deferred.byteSize()];
      if (result.length > 0) {
        stream.copyToHost(target, MemorySegment.ofArray(result));
      }
      DeviceEvent done = stream.record();
      assertThat(done.await(TimeUnit.SECONDS.toNanos(30))).isTrue();
      return Tensor.wrap(deferred.dtype(), deferred.shape(), MemorySegment.ofArray(result));
    }
  }

  private static MemorySegment allocate(Device device, Arena arena, long bytes) {
    return device.allocate(arena, Math.max(1, bytes)).asSlice(0, bytes);
  }
}
