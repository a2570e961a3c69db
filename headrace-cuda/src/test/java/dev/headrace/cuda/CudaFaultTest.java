package dev.headrace.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.device.DeviceEvent;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A fault of a kernel ends CUDA in its process: each has a process of its own. */
@Tag("gpu")
@Timeout(120)
class CudaFaultTest {

  /** Runs in a JVM of its own. */
  static final class Faults {
    public static void main(String[] arguments) throws InterruptedException {
      CudaKernel kernel = CudaKernel.ofPtx(TestKernels.FAULT, "fault");
      try (Arena arena = Arena.ofShared()) {
        CudaDevice device = CudaDevice.open(0);
        MemorySegment memory = device.allocate(arena, 1 << 20);
        MemorySegment pinned = device.allocatePinned(arena, 1 << 20);
        DeviceStream stream = device.openStream("test");
        DeviceStream other = device.openStream("another");
        stream.copyToDevice(pinned, memory);
        DeviceEvent before = stream.record();
        System.out.println("before: " + before.await(TimeUnit.MINUTES.toNanos(1)));
        stream.compute(kernel.apply(DType.UINT8, Shape.of(1 << 20), List.of()), memory);
        DeviceEvent after = stream.record();
        print("await", () -> after.await(TimeUnit.MINUTES.toNanos(1)));
        System.out.println("done: " + after.isDone());
        print("copy", () -> stream.copyToDevice(pinned, memory));
        print("later event", () -> stream.record().await(0));
        print("other stream", () -> other.record().await(0));
        print("wait", () -> other.waitFor(after));
        print("allocate", () -> device.allocate(arena, 1000));
        after.close();
        before.close();
        stream.close();
        other.close();
        device.close();
        System.out.println("closed");
      }
      System.out.println("freed");
    }

    private interface Act {
      void run() throws InterruptedException;
    }

    private static void print(String what, Act act) throws InterruptedException {
      try {
        act.run();
        System.out.println(what + ": went well");
      } catch (DeviceException e) {
        System.out.println(what + ": " + e.getMessage());
      }
    }
  }

  @Test
  void aFaultIsNamedAndClosingReturns() throws Exception {
    Child.Outcome outcome = Child.run(Faults.class, "--enable-native-access=ALL-UNNAMED");
    assertThat(outcome.code()).as(outcome.output()).isZero();
    assertThat(outcome.output())
        .contains("before: true")
        .containsPattern("await: device gpu:0: .*CUDA_ERROR_ILLEGAL_ADDRESS")
        .contains("done: true")
        .containsPattern("copy: device gpu:0: .*CUDA_ERROR_ILLEGAL_ADDRESS")
        .containsPattern("later event: device gpu:0: .*CUDA_ERROR_ILLEGAL_ADDRESS")
        .containsPattern("other stream: device gpu:0: .*CUDA_ERROR_ILLEGAL_ADDRESS")
        .containsPattern("wait: device gpu:0: .*CUDA_ERROR_ILLEGAL_ADDRESS")
        .containsPattern("allocate: device gpu:0: .*CUDA_ERROR_ILLEGAL_ADDRESS")
        .contains("closed", "freed");
  }
}
