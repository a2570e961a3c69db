package dev.headrace.report;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Debian's Chromium without a window, as a process for each question.
 *
 * @param folder for its profile and for what it writes
 */
record Chromium(Path program, Path folder) {

  /** What a run said: the page as it became, and the lines of its console. */
  record Run(String dom, List<String> console) {}

  static Chromium in(Path folder) {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .flatMap(name -> Stream.of(path.split(File.pathSeparator)).map(p -> Path.of(p, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .map(program -> new Chromium(program, folder))
        .orElseThrow(
            () -> new IllegalStateException("expected chromium on the path; apt install chromium"));
  }

  /** Opens a page and gives it back when it has settled. */
  Run open(Path page, int width, int height, String... options)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(options));
    all.add("--dump-dom");
    return run(page, width, height, all);
  }

  /** Makes a picture of a page. */
  void photograph(Path page, int width, int height, Path picture)
      throws IOException, InterruptedException {
    run(page, width, height, List.of("--hide-scrollbars", "--screenshot=" + picture));
  }

  /** Prints a page. */
  void print(Path page, Path pdf) throws IOException, InterruptedException {
    run(page, 1280, 900, List.of("--no-pdf-header-footer", "--print-to-pdf=" + pdf));
  }

  private Run run(Path page, int width, int height, List<String> options)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile(folder, "out", ".html");
    Path err = Files.createTempFile(folder, "err", ".txt");
    List<String> command =
        new ArrayList<>(
            List.of(
                program.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--enable-logging=stderr",
                "--user-data-dir=" + folder.resolve("profile"),
                "--window-size=" + width + "," + height));
    command.addAll(options);
    command.add(page.toUri().toString());
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    if (!process.waitFor(2, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new IOException("chromium did not end: " + Files.readString(err));
    }
    String messages = new String(Files.readAllBytes(err), StandardCharsets.UTF_8);
    if (process.exitValue() != 0) {
      throw new IOException("chromium ended with " + process.exitValue() + ": " + messages);
    }
    return new Run(
        Files.readString(out), messages.lines().filter(line -> line.contains("CONSOLE")).toList());
  }
}
