package dev.headrace.bench;

import dev.headrace.data.Plural;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** What a measurement ran on, in words. */
final class Machine {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  private Machine() {}

  /** Cores, processor and operating system. */
  static String describe() {
    int cores = Runtime.getRuntime().availableProcessors();
    return "%d %s, %s, %s %s"
        .formatted(
            cores,
            Plural.word(cores, "core"),
            cpuModel(),
            System.getProperty("os.name"),
            System.getProperty("os.arch"));
  }

  /** The Java runtime. */
  static String jdk() {
    return "%s %s".formatted(System.getProperty("java.vm.name"), Runtime.version());
  }

  /** How many threads were running or waiting for a core in the last minute; negative: unknown. */
  static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  /** A warning where something else seems to use the machine; empty where it seems quiet. */
  static String noiseNote(double loadBefore) {
    if (loadBefore < 0.5) {
      return "";
    }
    return String.format(
        Locale.ROOT,
        "The machine was not quiet (load %.2f before the run): intervals are wider, CPU times up to"
            + " twice as high.",
        loadBefore);
  }

  private static String cpuModel() {
    if (Files.isReadable(CPU_INFO)) {
      try (Stream<String> lines = Files.lines(CPU_INFO)) {
        return lines
            .filter(line -> line.startsWith("model name"))
            .findFirst()
            .map(line -> line.substring(line.indexOf(':') + 1).strip())
            .orElse("unknown processor");
      } catch (IOException e) {
        return "unknown processor";
      }
    }
    return System.getenv().getOrDefault("PROCESSOR_IDENTIFIER", "unknown processor");
  }
}
