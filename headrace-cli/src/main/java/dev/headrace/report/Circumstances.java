package dev.headrace.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * When, where and with what a run was made.
 *
 * @param command the program that ran, or nothing
 */
record Circumstances(
    String date, String headrace, String java, String system, String processor, String command) {

  /** Those of this process, now. */
  static Circumstances here() {
    @Nullable String version = Report.class.getPackage().getImplementationVersion();
    return new Circumstances(
        ZonedDateTime.now()
            .truncatedTo(ChronoUnit.MINUTES)
            .format(DateTimeFormatter.ofPattern("d MMMM yyyy, HH:mm z", Locale.ENGLISH)),
        version == null ? "not packaged" : version,
        Runtime.version() + ", " + System.getProperty("java.vm.name", ""),
        Stream.of("os.name", "os.version", "os.arch")
            .map(key -> System.getProperty(key, ""))
            .reduce((a, b) -> a + " " + b)
            .orElse(""),
        processorHere(),
        System.getProperty("sun.java.command", ""));
  }

  Circumstances withCommand(String newCommand) {
    return new Circumstances(date, headrace, java, system, processor, newCommand);
  }

  /** The name that Linux gives the processor; nothing elsewhere. */
  private static String processorHere() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("");
    } catch (IOException | java.io.UncheckedIOException e) {
      return "";
    }
  }
}
