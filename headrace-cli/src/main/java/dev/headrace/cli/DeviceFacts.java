package dev.headrace.cli;

import dev.headrace.cuda.CudaDevice;
import dev.headrace.cuda.CudaKernel;
import dev.headrace.data.Plural;
import dev.headrace.device.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a device is, in words: its chip, its driver, the libraries that were found for it. */
final class DeviceFacts {
  private static final Path DRIVER = Path.of("/proc/driver/nvidia/version");
  private static final Pattern NUMBER = Pattern.compile("\\d+\\.\\d+(\\.\\d+)?");
  private static final String EMPTY_KERNEL = "extern \"C\" __global__ void nothing() {}";

  private DeviceFacts() {}

  /** Names and values, in the order in which they are shown; none of a simulated device. */
  static Map<String, String> of(Device device) {
    Map<String, String> facts = new LinkedHashMap<>();
    if (device instanceof CudaDevice gpu) {
      facts.put("model", gpu.model());
      facts.put(
          "compute capability",
          "%s, %d %s"
              .formatted(
                  gpu.computeCapability(),
                  gpu.multiprocessors(),
                  Plural.word(gpu.multiprocessors(), "multiprocessor")));
      facts.put("driver", driver() + "CUDA " + gpu.driverVersion());
      facts.put("JPEG files are decoded by", gpu.decodedBy());
      facts.put("kernels in CUDA C++", compiler());
    }
    return facts;
  }

  /**
   * The driver's own version, which CUDA does not tell; empty where the system does not, either.
   */
  private static String driver() {
    try {
      Matcher found = NUMBER.matcher(Files.readString(DRIVER));
      return found.find() ? found.group() + ", " : "";
    } catch (IOException e) {
      return "";
    }
  }

  private static String compiler() {
    try {
      CudaKernel _ = CudaKernel.ofSource(EMPTY_KERNEL, "nothing");
      return "compiled by NVRTC";
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
