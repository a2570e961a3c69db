package dev.headrace.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.headrace.bench.DeviceBench.Part;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class DeviceBenchTest {
  private static final DeviceBench.Size TINY =
      new DeviceBench.Size(2, 0.002, 2_000, new DevicePhotos.Size(2, 16, 4, 0.002, 0.002));

  private final List<String> told = new ArrayList<>();
  private final Setup once = new Setup(1, null, null, told::add);

  @Test
  void aSimulatedDeviceRunsCopiesOverlapAndAMillionBatches() throws Exception {
    DeviceBench bench = new DeviceBench(Set.of(), true, TINY);
    List<Row> rows = bench.run(once);
    assertThat(rows)
        .extracting(Row::name)
        .filteredOn(name -> name.startsWith("A."))
        .containsExactly(
            "A. 0 MB (uint8[2, 224, 224, 3]): batches in pinned memory",
            "A. 0 MB (uint8[2, 224, 224, 3]): assembled on %d cores, copied".formatted(cores()),
            "A. 0 MB (uint8[2, 224, 224, 3]): assembled, not copied",
            "A. 1 MB (float[2, 224, 224, 3]): batches in pinned memory",
            "A. 1 MB (float[2, 224, 224, 3]): assembled on %d cores, copied".formatted(cores()),
            "A. 1 MB (float[2, 224, 224, 3]): assembled, not copied");
    assertThat(rows)
        .extracting(Row::name)
        .filteredOn(name -> name.startsWith("B."))
        .hasSize(6)
        .anyMatch(name -> name.endsWith(": prefetched over lying there"))
        .anyMatch(name -> name.endsWith(": copying that steps waited for"));
    assertThat(rows)
        .filteredOn(row -> row.name().startsWith("D."))
        .extracting(Row::name)
        .containsExactly(
            "D. 2,000 batches: device memory grown",
            "D. 2,000 batches: pinned memory grown",
            "D. 2,000 batches: resident memory grown",
            "D. 2,000 batches, start included");
    assertThat(rows).allMatch(row -> row.ours().low() >= 0);
    assertThat(rows)
        .as("the speed of a simulated device is no claim")
        .allMatch(row -> row.bar() == null || row.name().startsWith("D."));
    assertThat(bench.notes())
        .anyMatch(note -> note.contains("in pinned memory: simulated, 0.0 GB in"))
        .contains("device.py: PyTorch was not measured: ask for it with --peer torch.")
        .filteredOn(note -> note.startsWith("D. 2,000 batches: after "))
        .hasSize(10);
    assertThat(told).contains(rows.getFirst().line());
  }

  @Test
  void photographsAreDecodedThereAndByTheCores() throws Exception {
    DeviceBench bench = new DeviceBench(EnumSet.of(Part.C), true, TINY);
    assertThat(bench.run(once))
        .extracting(Row::name)
        .containsExactly(
            "C. decoded there, float16 NCHW",
            "C. decoded there, float32 NCHW",
            "C. decoded by %d cores".formatted(cores()),
            "C. decoded by %d cores".formatted(cores()),
            "C. %d bare threads".formatted(cores()));
    assertThat(bench.notes())
        .anyMatch(note -> note.startsWith("C. 16 records of 500 x 375 JPEGs, 7"));
  }

  @Test
  void errorsAreToldByNameAndThePipelineIsClosed() throws Exception {
    DeviceBench bench = new DeviceBench(EnumSet.of(Part.E), true, TINY);
    assertThat(bench.run(once))
        .extracting(Row::name, Row::holds)
        .containsExactly(
            tuple("E. a kernel faults: told by name, closed", true),
            tuple("E. the device's memory is full: told by name, closed", true));
  }

  @Test
  void withoutAGpuEveryPartSaysWhyItWasLeftOut() throws Exception {
    assumeThat(hasGpu()).as("a GPU is there").isFalse();
    DeviceBench bench = new DeviceBench(Set.of(), false, TINY);
    assertThat(bench.run(once)).isEmpty();
    assertThat(bench.notes()).hasSize(Part.values().length);
    for (Part part : Part.values()) {
      assertThat(bench.notes().get(part.ordinal()))
          .startsWith(part + ". " + part.words + ": left out: device gpu:0: expected ")
          .doesNotContain("\n");
    }
    assertThat(told).containsAll(bench.notes());
  }

  private static boolean hasGpu() {
    try (Device _ = Device.gpu(0)) {
      return true;
    } catch (DeviceException e) {
      return false;
    }
  }

  private static int cores() {
    return Runtime.getRuntime().availableProcessors();
  }
}
