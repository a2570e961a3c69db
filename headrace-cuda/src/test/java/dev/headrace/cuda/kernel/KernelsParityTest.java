package dev.headrace.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Generated kernels, interpreted, give what the host computes. */
class KernelsParityTest {
  private final InterpretedDevice device = new InterpretedDevice();

  @Test
  void everyCaseGivesWhatTheHostGives() {
    Map<String, String> differing = new TreeMap<>();
    for (ParityCase parity : ParityCases.all()) {
      Tensor expected = parity.onHost();
      try {
        Tensor computed = device.compute(parity.computation().apply(onDevice(parity)));
        double ulps = ParityCase.ulps(expected, computed);
        if (ulps > parity.mostUlps()) {
          differing.put(parity.name(), ulps + " ulps");
        }
      } catch (RuntimeException | AssertionError e) {
        differing.put(parity.name(), e.toString() + " at " + e.getStackTrace()[0]);
      }
    }
    assertThat(differing).isEmpty();
  }

  private List<Tensor> onDevice(ParityCase parity) {
    return parity.inputs().stream().map(device::put).toList();
  }

  // Memory that nobody has: a file with nothing in it but the end.
  @Test
  void tensorsMayHaveMoreThanTwoToThe31Elements(@TempDir Path folder) throws IOException {
    long rows = (1L << 31) / 4096 + 4;
    try (Arena arena = Arena.ofShared();
        FileChannel file =
            FileChannel.open(
                folder.resolve("sparse"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      MemorySegment memory = file.map(FileChannel.MapMode.READ_WRITE, 0, rows * 4096, arena);
      memory.set(ValueLayout.JAVA_BYTE, (rows - 2) * 4096 + 5, (byte) 7);
      memory.set(ValueLayout.JAVA_BYTE, (rows - 1) * 4096 + 6, (byte) 9);
      Tensor huge = device.wrap(DType.UINT8, Shape.of(rows, 4096, 1), memory);
      Tensor end = huge.add(1).crop((int) rows - 2, 5, 2, 2);
      Tensor expected = Tensor.of(Shape.of(2, 2, 1), new int[] {8, 1, 1, 10}).convert(DType.UINT8);
      assertThat(device.compute(end).contentEquals(expected)).isTrue();
      Tensor paired = huge.add(1).reshape(Shape.of(rows / 2, 4096, 2));
      Tensor last = paired.crop((int) (rows / 2) - 1, 2, 1, 1);
      assertThat(device.compute(last.convert(DType.INT32)).toIntArray()).containsExactly(1, 8);
      assertThat(device.compute(end.resize(4, 3)).contentEquals(expected.resize(4, 3))).isTrue();
    }
  }
}
