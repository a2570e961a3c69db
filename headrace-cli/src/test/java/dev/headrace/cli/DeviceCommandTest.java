package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.headrace.device.Device;
import dev.headrace.device.DeviceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceCommandTest {
  @TempDir private Path folder;

  @Test
  void aSimulatedDeviceIsMeasured() {
    CommandRun command = new CommandRun(folder);
    assertThat(command.run("device", "--simulated", "--seconds", "0.01")).isEqualTo(Main.OK);
    assertThat(command.out())
        .startsWith("simulated\n  memory                                 1.1 GB, 0.0 GB of it in")
        .containsPattern("host to device, pinned +\\d+\\.\\d GB/s\n")
        .containsPattern("host to device, pageable +\\d+\\.\\d GB/s\n")
        .containsPattern("device to host, pinned +\\d+\\.\\d GB/s\n")
        .containsPattern("a copy of 64 bytes, waited for +[\\d.]+ µs\n")
        .containsPattern("a computation on 64 bytes, waited for +[\\d.]+ µs\n")
        .containsPattern("a computation among many +[\\d.]+ µs\n")
        .containsPattern("JPEG files of 500 x 375 decoded +[\\d,]+ a second\n")
        .doesNotContain("not measured");
  }

  @Test
  void figuresAreNumbersInJson() {
    CommandRun command = new CommandRun(folder);
    assertThat(command.run("device", "--simulated", "--seconds", "0.01", "--json"))
        .isEqualTo(Main.OK);
    Map<String, Object> device = device(command);
    assertThat(device).containsEntry("name", "simulated").containsEntry("usedBytes", 0.0);
    assertThat((Map<?, ?>) device.get("figures"))
        .hasSize(7)
        .allSatisfy((key, value) -> assertThat((Double) value).as("%s", key).isPositive());
  }

  @Test
  void aListMeasuresNothing() {
    CommandRun command = new CommandRun(folder);
    assertThat(command.run("device", "--simulated", "--list", "--json")).isEqualTo(Main.OK);
    assertThat((Map<?, ?>) device(command).get("figures")).isEmpty();
    assertThat(command.err()).isEmpty();
  }

  @Test
  void withoutAGpuASentenceSaysWhatIsMissing() {
    assumeThat(hasGpu()).as("a GPU is there").isFalse();
    CommandRun command = new CommandRun(folder);
    assertThat(command.run("device")).isEqualTo(Main.OK);
    assertThat(command.out().lines())
        .singleElement()
        .asString()
        .startsWith("No GPU can be used: device gpu:0: expected ");
    assertThat(command.run("device", "--json")).isEqualTo(Main.OK);
    assertThat(command.json()).containsEntry("devices", List.of()).containsKey("missing");
  }

  @Test
  void benchRunsPartsOnASimulatedDevice() throws Exception {
    CommandRun command = new CommandRun(folder);
    Path json = folder.resolve("device.json");
    assertThat(
            command.run(
                "bench",
                "device",
                "--simulated",
                "--parts",
                "a",
                "--pairs",
                "1",
                "--json",
                json.toString()))
        .isEqualTo(Main.OK);
    assertThat(command.out()).contains("peer: raw copies from pinned memory, back to back");
    assertThat(Files.readString(json)).contains("\"scenario\": \"device\"", "assembled, not");
  }

  @Test
  void wrongUsageIsExplained() {
    CommandRun command = new CommandRun(folder);
    assertThat(command.run("device", "--seconds", "0")).isEqualTo(Main.USAGE);
    assertThat(command.err()).contains("--seconds: expected more than 0, but got 0.0");
    assertThat(command.run("bench", "jpeg", "--simulated")).isEqualTo(Main.USAGE);
    assertThat(command.err())
        .contains("--parts, --simulated: expected the scenario device, but got 'jpeg'");
    assertThat(command.run("bench", "device", "--parts", "A,F")).isEqualTo(Main.USAGE);
    assertThat(command.err()).contains("--parts");
  }

  private static Map<String, Object> device(CommandRun command) {
    @SuppressWarnings("unchecked") // a cast that fails is a failed test
    List<Map<String, Object>> devices = (List<Map<String, Object>>) command.json().get("devices");
    assertThat(devices).hasSize(1);
    return devices.getFirst();
  }

  private static boolean hasGpu() {
    try (Device _ = Device.gpu(0)) {
      return true;
    } catch (DeviceException e) {
      return false;
    }
  }
}
