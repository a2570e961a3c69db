package dev.headrace.cli;

import dev.headrace.profile.PipelineStats;
import dev.headrace.profile.Trial;
import dev.headrace.report.MetricsServer;
import dev.headrace.report.Report;
import dev.headrace.report.Trace;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What is written or served beside what a command prints. */
final class Outputs {
  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Write a report: one HTML page that needs nothing else.")
  private @Nullable Path report;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "Write a trace for ui.perfetto.dev or chrome://tracing.")
  private @Nullable Path trace;

  @Option(
      names = "--share",
      description = "Leave out of report and trace what says who ran it and where.")
  private boolean isShared;

  @Option(
      names = "--metrics",
      paramLabel = "PORT",
      description = "Serve /metrics for Prometheus there meanwhile; 0 for any free port.")
  private @Nullable Integer port;

  /** Refuses what would fail only after the run. */
  void check(CommandLine command) {
    if (isShared && report == null && trace == null) {
      throw new ParameterException(
          command, "--share: expected with --report or --trace, but got it alone");
    }
    checkFolder(command, "--report", report);
    checkFolder(command, "--trace", trace);
  }

  private static void checkFolder(CommandLine command, String option, @Nullable Path file) {
    if (file == null) {
      return;
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(file)) {
      throw new ParameterException(
          command,
          "%s: expected a file in a folder that exists, but got %s".formatted(option, file));
    }
  }

  /** Something that is served until it is closed. */
  interface Serving extends AutoCloseable {
    @Override
    void close();
  }

  /** Serves measurements, if asked to. */
  Serving serve(Supplier<List<PipelineStats>> stats, PrintWriter err) throws IOException {
    if (port == null) {
      return () -> {};
    }
    MetricsServer server = MetricsServer.start(port, stats);
    err.println("metrics: " + server.url());
    err.flush();
    return server::close;
  }

  /** Writes what was asked for; of each pipeline, where there are several: run.html, run-2.html. */
  void write(
      String name, List<PipelineWatch.Seen> pipelines, List<Trial> trials, CommandLine command)
      throws IOException {
    PrintWriter err = command.getErr();
    int number = 1;
    for (PipelineWatch.Seen seen : pipelines) {
      if (report != null) {
        Path file = numbered(report, number);
        Report.of(seen.diagnosis())
            .trials(trials)
            .share(isShared)
            .title(pipelines.size() == 1 ? name : name + ", pipeline " + seen.number())
            .command(typed(command))
            .writeTo(file);
        err.println("report: " + file);
      }
      if (trace != null) {
        Path file = numbered(trace, number);
        Trace.of(seen.diagnosis()).share(isShared).writeTo(file);
        err.println("trace: " + file);
      }
      number++;
    }
    err.flush();
  }

  private static Path numbered(Path file, int number) {
    if (number == 1) {
      return file;
    }
    String name = String.valueOf(file.getFileName());
    int dot = name.lastIndexOf('.');
    int end = dot < 0 ? name.length() : dot;
    return file.resolveSibling(name.substring(0, end) + "-" + number + name.substring(end));
  }

  private static String typed(CommandLine command) {
    CommandLine root = command.getParent() == null ? command : command.getParent();
    return "headrace " + String.join(" ", root.getParseResult().originalArgs());
  }
}
