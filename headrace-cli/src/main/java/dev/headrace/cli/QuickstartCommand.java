package dev.headrace.cli;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.example.Features;
import dev.headrace.image.Images;
import dev.headrace.profile.KnobChange;
import dev.headrace.profile.OpStats;
import dev.headrace.profile.PipelineStats;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
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

/**
 * Trains on photographs, first as one would write it without a thought, then with AUTOTUNE, and
 * says what changed and why.
 */
@Command(
    name = "quickstart",
    description =
        "Trains on JPEGs in TFRecords, once naively and once with AUTOTUNE, and explains the"
            + " difference.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "The photographs are made first; the training step waits, as a loop does whose accelerator",
      "works.",
      "",
      "Examples:",
      "  headrace quickstart",
      "  headrace quickstart --photos 1000 --step-ms 40",
      "  headrace quickstart --data photos --json"
    })
final class QuickstartCommand implements Callable<Integer> {
  private static final long PROGRESS_NS = 100_000_000;
  private static final int SIDE = 224;

  /** What a record becomes: one photograph, or a batch of them. */
  record Labelled(Tensor image, Tensor label) {}

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--photos",
      paramLabel = "N",
      defaultValue = "640",
      description = "How many photographs to make (default: ${DEFAULT-VALUE}).")
  private int photos;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "16",
      description = "How many make a batch (default: ${DEFAULT-VALUE}).")
  private int batch;

  @Option(
      names = "--step-ms",
      paramLabel = "MS",
      defaultValue = "15",
      description = "How long a training step on a batch takes (default: ${DEFAULT-VALUE}).")
  private double stepMs;

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      description = "Where to keep the photographs, or find them again (default: nowhere).")
  private @Nullable Path data;

  @Option(names = "--json", description = "Print JSON instead of text.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    CommandLine command = Objects.requireNonNull(spec).commandLine();
    checkArguments(command);
    PrintWriter out = command.getOut();
    PrintWriter err = command.getErr();
    try (QuickstartData made =
        QuickstartData.make(data, photos, line -> Main.progress(err, line))) {
      String files = made.folder() + "/train-*.tfrecord";
      Main.progress(err, "warming up");
      warmUp(files);
      Main.endProgress(err);
      if (!json) {
        out.printf(
            Locale.ROOT,
            "%,d photographs (JPEG, %d x %d, %.0f MB) in %d TFRecord files; a training step on %d"
                + " takes %s ms.%nDecoder: %s.%n%n",
            photos,
            QuickstartData.WIDTH,
            QuickstartData.HEIGHT,
            made.bytes() / 1e6,
            QuickstartData.FILES,
            batch,
            plain(stepMs),
            Images.decoder());
        out.flush();
      }
      Outcome naive = run(NAIVE.formatted(batch), naive(files), err);
      Outcome tuned = run(TUNED.formatted(batch), tuned(files), err);
      if (json) {
        out.println(JsonText.of(fields(naive, tuned)));
      } else {
        explain(naive, tuned, out, command.getColorScheme().ansi());
      }
    }
    out.flush();
    return Main.OK;
  }

  private static final String NAIVE =
      """
      Dataset.tfRecords("train-*.tfrecord")
          .map(Example.parser(Feature.bytes("image"), Feature.int64("label")))
          .map(f -> new Labelled(Images.decodeJpeg(f.bytes("image")).resize(224, 224), f.tensor("label")))
          .batch(%d)
      """;

  private static final String TUNED =
      """
      Dataset.tfRecords("train-*.tfrecord")
          .map(Example.parser(Feature.bytes("image"), Feature.int64("label")), AUTOTUNE)
          .map(f -> new Labelled(Images.decodeJpeg(f.bytes("image")).resize(224, 224), f.tensor("label")), AUTOTUNE)
          .batch(%d)
          .prefetch(AUTOTUNE)
      """;

  private Dataset<Labelled> naive(String files) {
    return Dataset.tfRecords(files)
        .map(Example.parser(Feature.bytes("image"), Feature.int64("label")))
        .map(QuickstartCommand::labelled)
        .batch(batch);
  }

  private Dataset<Labelled> tuned(String files) {
    return Dataset.tfRecords(files)
        .map(Example.parser(Feature.bytes("image"), Feature.int64("label")), AUTOTUNE)
        .map(QuickstartCommand::labelled, AUTOTUNE)
        .batch(batch)
        .prefetch(AUTOTUNE);
  }

  private static Labelled labelled(Features f) {
    return new Labelled(Images.decodeJpeg(f.bytes("image")).resize(SIDE, SIDE), f.tensor("label"));
  }

  /** Lets the JIT see the code and the decoder unpack itself, so that neither run pays for it. */
  private void warmUp(String files) {
    naive(files).take(8).forEach(b -> {});
    tuned(files).take(8).forEach(b -> {});
  }

  private void checkArguments(CommandLine command) {
    if (photos < 1 || batch < 1) {
      throw new ParameterException(
          command, "--photos, --batch: expected at least 1, but got " + Math.min(photos, batch));
    }
    if (!(stepMs >= 0)) {
      throw new ParameterException(command, "--step-ms: expected 0 or more, but got " + stepMs);
    }
  }

  private Outcome run(String program, Dataset<Labelled> dataset, PrintWriter err)
      throws InterruptedException {
    long start = System.nanoTime();
    long shown = start;
    try (Pipeline<Labelled> pipeline = dataset.open()) {
      int most = 1;
      int done = 0;
      for (Labelled each : pipeline) {
        Thread.sleep((long) stepMs, (int) ((stepMs - (long) stepMs) * 1e6));
        done += (int) each.label().elements();
        long now = System.nanoTime();
        if (now - shown > PROGRESS_NS) {
          shown = now;
          most = Math.max(most, workers(pipeline.stats()));
          if (Terminal.isThere()) {
            Main.progress(err, bar(done));
          }
        }
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      PipelineStats stats = pipeline.stats();
      return new Outcome(
          program.strip(),
          done,
          seconds,
          Math.max(most, workers(stats)),
          start,
          stats,
          pipeline.explain());
    } finally {
      Main.endProgress(err);
    }
  }

  private String bar(int done) {
    int width = 24;
    int full = (int) ((long) width * done / photos);
    return "[%s%s] %,d/%,d photographs"
        .formatted("=".repeat(full), " ".repeat(width - full), done, photos);
  }

  private static int workers(PipelineStats stats) {
    int most = 1;
    for (OpStats operator : stats.operators()) {
      OpStats.StageStats stage = operator.stage();
      if (stage != null && operator.word().equals("batch")) {
        most = Math.max(most, stage.targetWorkers());
      }
    }
    return most;
  }

  // ---- telling ----------------------------------------------------------------------------------

  /** What one of the two programs did. */
  private record Outcome(
      String program,
      int images,
      double seconds,
      int workers,
      long startNs,
      PipelineStats stats,
      String explained) {
    double perSecond() {
      return images / seconds;
    }

    /** What the loop waited for each batch. */
    double waitMs() {
      return stats.waitNs() / 1e6 / Math.max(1, stats.elements());
    }

    Map<String, Object> fields() {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("program", program);
      fields.put("photos", images);
      fields.put("seconds", rounded(seconds));
      fields.put("photosPerSecond", rounded(perSecond()));
      fields.put("waitShare", rounded(stats.waitShare()));
      fields.put("workers", workers);
      List<Object> changes = new ArrayList<>();
      for (KnobChange change : stats.knobChanges()) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("atSeconds", rounded((change.atNs() - startNs) / 1e9));
        one.put("operator", change.operator());
        one.put("knob", change.knob());
        one.put("before", change.before());
        one.put("after", change.after());
        one.put("why", change.why());
        changes.add(one);
      }
      fields.put("knobChanges", changes);
      return fields;
    }
  }

  private Map<String, Object> fields(Outcome naive, Outcome tuned) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("photos", photos);
    fields.put("batch", batch);
    fields.put("stepMs", stepMs);
    fields.put("decoder", Images.decoder());
    fields.put("naive", naive.fields());
    fields.put("autotune", tuned.fields());
    fields.put("speedUp", rounded(naive.seconds / tuned.seconds));
    return fields;
  }

  private void explain(Outcome naive, Outcome tuned, PrintWriter out, CommandLine.Help.Ansi ansi) {
    out.println("before");
    out.println(naive.program.indent(2).stripTrailing());
    out.println("after");
    out.println(tuned.program.indent(2).stripTrailing());
    out.println();
    String line = "%-28s %12s %12s%n";
    out.printf(Locale.ROOT, line, "", "before", "after");
    out.printf(line, "wall time", seconds(naive), seconds(tuned));
    out.printf(line, "photographs per second", perSecond(naive), perSecond(tuned));
    out.printf(line, "the loop waited", share(naive), share(tuned));
    out.printf(line, "threads that decode", naive.workers, tuned.workers);
    out.println(
        ansi.string(
            "@|bold %s|@"
                .formatted(
                    line.formatted("speed-up", "", factor(naive.seconds / tuned.seconds))
                        .stripTrailing())));
    out.println();
    List<KnobChange> changes = tuned.stats.knobChanges();
    if (!changes.isEmpty()) {
      out.println("What the engine chose:");
    }
    for (KnobChange change : changes) {
      out.printf(
          Locale.ROOT,
          "  after %.2f s  %s: %s %d -> %d (%s)%n",
          (change.atNs() - tuned.startNs) / 1e9,
          change.operator(),
          change.knob(),
          change.before(),
          change.after(),
          change.why());
    }
    out.print(changes.isEmpty() ? "" : System.lineSeparator());
    out.println("The plan, and what became of it:");
    out.println(tuned.explained.indent(2).stripTrailing());
    out.println();
    out.println(why(naive, tuned));
    out.println();
    out.println(whyNoDevice(naive));
  }

  private String why(Outcome naive, Outcome tuned) {
    double ideal = Math.ceilDiv(photos, batch) * stepMs / 1e3;
    String before =
        ("Before, the loop made each batch itself (%.0f ms of reading, decoding and resizing) and"
                + " then trained on it (%s ms), never both at once: it waited %.0f %% of its time.")
            .formatted(naive.waitMs(), plain(stepMs), 100 * naive.stats.waitShare());
    String after =
        ("After, %d threads decode while it trains, each photograph straight into its place in the"
                + " batch, and finished batches wait in a buffer: %.1f ms of waiting are left for"
                + " each.")
            .formatted(tuned.workers, tuned.waitMs());
    String limit =
        tuned.seconds < 1.3 * ideal
            ? "What is left is the training itself: %.2f s. More threads would gain nothing."
                .formatted(ideal)
            : "Decoding computes, so the %d cores are the limit now; a cache or a smaller picture would be next."
                .formatted(Runtime.getRuntime().availableProcessors());
    return wrapped("Why: " + before + " " + after + " " + limit);
  }

  private String whyNoDevice(Outcome naive) {
    double megabytes = (double) batch * SIDE * SIDE * 3 * 4 / 1e6;
    return wrapped(
        ("Prefetching to a device could not have done this. It hides the copy of a batch behind a"
             + " step: %.1f MB, about %.1f ms at 10 GB/s, out of the %.0f ms that the loop waited"
             + " for each. The time went into making the batch, which happens before there is"
             + " anything to copy.")
            .formatted(megabytes, megabytes / 10, naive.waitMs()));
  }

  private static String wrapped(String text) {
    StringBuilder out = new StringBuilder();
    int column = 0;
    for (String word : text.split(" ", -1)) {
      if (column > 0 && column + 1 + word.length() > 90) {
        out.append(System.lineSeparator());
        column = 0;
      } else if (column > 0) {
        out.append(' ');
        column++;
      }
      out.append(word);
      column += word.length();
    }
    return out.toString();
  }

  private static String seconds(Outcome outcome) {
    return String.format(Locale.ROOT, "%.2f s", outcome.seconds);
  }

  private static String perSecond(Outcome outcome) {
    return String.format(Locale.ROOT, "%,.0f", outcome.perSecond());
  }

  private static String share(Outcome outcome) {
    return String.format(Locale.ROOT, "%.0f %%", 100 * outcome.stats.waitShare());
  }

  private static String factor(double factor) {
    return String.format(Locale.ROOT, "%.1fx", factor);
  }

  private static String plain(double number) {
    return number == Math.rint(number)
        ? String.format(Locale.ROOT, "%.0f", number)
        : Double.toString(number);
  }

  private static double rounded(double value) {
    return Math.round(value * 1e4) / 1e4;
  }
}
