package dev.headrace.report;

import dev.headrace.profile.Diagnosis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Makes pages to look at: {@code SampleReport FOLDER} those of the tests, {@code SampleReport
 * FOLDER diagnosis.json} one of a diagnosis that was written with {@code --json}. Where Chromium is
 * installed, there is a picture beside each page; {@code docs/images/report.png} is one of them.
 */
final class SampleReport {
  private SampleReport() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Path folder = Path.of(args.length > 0 ? args[0] : "target/sample").toAbsolutePath();
    if (args.length > 1) {
      String json = Files.readString(Path.of(args[1]));
      write(
          Report.of(DiagnosisJson.read(json)).trials(DiagnosisJson.readTrials(json)).share(true),
          folder.resolve("recorded.html"));
      return;
    }
    Diagnosis flowers = Samples.flowers();
    write(of(flowers, "flowers"), folder.resolve("report.html"));
    write(of(flowers, "flowers").trials(Samples.trials()), folder.resolve("trials.html"));
    write(of(Samples.faster(), "flowers, in parallel"), folder.resolve("faster.html"));
    write(of(Samples.branches(), "branches"), folder.resolve("branches.html"));
    write(of(OddSamples.many(200), "many"), folder.resolve("many.html"));
    Trace.of(Samples.faster()).writeTo(folder.resolve("trace.json"));
  }

  private static Report of(Diagnosis diagnosis, String title) {
    return Report.of(diagnosis).circumstances(Samples.CIRCUMSTANCES).title(title);
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void write(Report report, Path page) throws IOException, InterruptedException {
    report.writeTo(page);
    Path folder = Files.createTempDirectory("chromium");
    try {
      Path picture = page.resolveSibling(page.getFileName() + ".png");
      Chromium.in(folder).photograph(page, 1240, 1080, picture);
      System.out.println(List.of(page, picture));
    } catch (IllegalStateException e) {
      System.out.println(page + " (" + e.getMessage() + ")");
    } finally {
      remove(folder);
    }
  }
}
