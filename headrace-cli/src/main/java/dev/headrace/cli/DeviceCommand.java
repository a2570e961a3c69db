package dev.headrace.cli;

import dev.headrace.device.Device;
import dev.headrace.device.DeviceException;
import dev.headrace.device.HostDevice;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Says which devices are there, and measures them. */
@Command(
    name = "device",
    description = "Says which GPUs are there, or what is missing, and measures them.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Exit code 0, with a GPU and without one.",
      "",
      "Examples:",
      "  headrace device",
      "  headrace device --list",
      "  headrace device --simulated    the same measurements without a GPU"
    })
final class DeviceCommand implements Callable<Integer> {
  private static final long SIMULATED_BYTES_PER_SECOND = 4_000_000_000L;
  private static final Duration SIMULATED_LATENCY = Duration.ofNanos(10_000);

  @Spec private @Nullable CommandSpec spec;

  @Option(names = "--list", description = "Only say what is there.")
  private boolean isList;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "0.5",
      description = "How long each figure is measured (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--simulated",
      description = "Measure a simulated device: host memory behind a bus of 4 GB/s.")
  private boolean isSimulated;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  /** A device that was found, and what it does; no figures where they were not asked for. */
  private record Seen(
      String name,
      long memoryBytes,
      long usedBytes,
      Map<String, String> facts,
      List<DeviceFigures.Figure> figures) {}

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = Objects.requireNonNull(spec).commandLine();
    if (!(seconds > 0)) {
      throw new ParameterException(command, "--seconds: expected more than 0, but got " + seconds);
    }
    List<Seen> seen = new ArrayList<>();
    String missing = null;
    try {
      for (int index = 0; index == 0 || !isSimulated; index++) {
        try (Device device = open(index)) {
          seen.add(look(device, command.getErr()));
        }
      }
    } catch (DeviceException e) {
      if (seen.isEmpty()) {
        missing = e.getMessage();
      } // else there are no more
    } finally {
      Main.endProgress(command.getErr());
    }
    PrintWriter out = command.getOut();
    if (json) {
      out.println(JsonText.of(fields(seen, missing)));
    } else if (missing != null) {
      out.println("No GPU can be used: " + missing);
    } else {
      seen.forEach(device -> print(device, out));
    }
    out.flush();
    return Main.OK;
  }

  private Device open(int index) {
    return isSimulated
        ? HostDevice.simulated()
            .bytesPerSecond(SIMULATED_BYTES_PER_SECOND)
            .latency(SIMULATED_LATENCY)
            .open()
        : Device.gpu(index);
  }

  private Seen look(Device device, PrintWriter err) throws InterruptedException {
    Map<String, String> facts = DeviceFacts.of(device);
    long usedBytes = device.usedBytes();
    List<DeviceFigures.Figure> figures =
        isList
            ? List.of()
            : new DeviceFigures(
                    device,
                    seconds,
                    isSimulated ? 8 : 256,
                    line -> Main.progress(err, device.name() + ": " + line))
                .measure();
    return new Seen(device.name(), device.memoryBytes(), usedBytes, facts, figures);
  }

  private static void print(Seen device, PrintWriter out) {
    out.println(device.name);
    out.printf(
        Locale.ROOT,
        "  %-38s %.1f GB, %.1f GB of it in use%n",
        "memory",
        device.memoryBytes / 1e9,
        device.usedBytes / 1e9);
    device.facts.forEach((name, value) -> out.printf("  %-38s %s%n", name, value));
    for (DeviceFigures.Figure figure : device.figures) {
      out.printf("  %-38s %s%n", figure.name(), figure.text());
    }
  }

  private static Map<String, Object> fields(List<Seen> seen, @Nullable String missing) {
    Map<String, Object> all = new LinkedHashMap<>();
    List<Object> devices = new ArrayList<>();
    for (Seen device : seen) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("name", device.name);
      one.put("memoryBytes", device.memoryBytes);
      one.put("usedBytes", device.usedBytes);
      one.put("facts", device.facts);
      Map<String, Object> figures = new LinkedHashMap<>();
      device.figures.forEach(figure -> figures.put(figure.key(), figure.json()));
      one.put("figures", figures);
      devices.add(one);
    }
    all.put("devices", devices);
    if (missing != null) {
      all.put("missing", missing);
    }
    return all;
  }
}
