package dev.headrace.cli;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Tensor;
import dev.headrace.profile.KnobChange;
import dev.headrace.profile.OpStats;
import dev.headrace.profile.PipelineStats;
import java.io.PrintWriter;
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
 * Runs a pipeline whose loading is slow, first as one would write it without a thought, then with
 * AUTOTUNE, and says what changed and why.
 */
@Command(
    name = "quickstart",
    description = "Loads slowly, once naively and once with AUTOTUNE, and explains the difference.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  headrace quickstart",
      "  headrace quickstart --elements 500 --load-ms 10 --step-ms 5",
      "  headrace quickstart --step busy --json"
    })
final class QuickstartCommand implements Callable<Integer> {
  private static final long PROGRESS_NS = 100_000_000;

  /** What the training loop does between two elements. */
  enum Step {
    /** Waits, as a loop does whose accelerator works. */
    SLEEP,
    /** Computes on the calling thread. */
    BUSY
  }

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--elements",
      paramLabel = "N",
      defaultValue = "200",
      description = "How many elements to load (default: ${DEFAULT-VALUE}).")
  private int elements;

  @Option(
      names = "--load-ms",
      paramLabel = "MS",
      defaultValue = "20",
      description = "How long loading one element waits (default: ${DEFAULT-VALUE}).")
  private double loadMs;

  @Option(
      names = "--step-ms",
      paramLabel = "MS",
      defaultValue = "2",
      description = "How long a training step takes (default: ${DEFAULT-VALUE}).")
  private double stepMs;

  @Option(
      names = "--step",
      defaultValue = "sleep",
      description =
          "Whether a step waits for an accelerator or computes: ${COMPLETION-CANDIDATES}.")
  private Step step = Step.SLEEP;

  @Option(names = "--json", description = "Print JSON instead of text.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = Objects.requireNonNull(spec).commandLine();
    checkArguments(command);
    PrintWriter out = command.getOut();
    PrintWriter err = command.getErr();
    if (!json) {
      out.printf(
          Locale.ROOT,
          "%,d elements; loading one waits %s ms, a training step takes %s ms.%n%n",
          elements,
          plain(loadMs),
          plain(stepMs));
      out.flush();
    }
    Outcome naive =
        run(
            "Dataset.range(%d).map(i -> slowLoad(i))".formatted(elements),
            Dataset.range(elements).map(i -> slowLoad(i)),
            err);
    Outcome tuned =
        run(
            "Dataset.range(%d).map(i -> slowLoad(i), AUTOTUNE).prefetch(AUTOTUNE)"
                .formatted(elements),
            Dataset.range(elements).map(i -> slowLoad(i), AUTOTUNE).prefetch(AUTOTUNE),
            err);
    if (json) {
      out.println(JsonText.of(fields(naive, tuned)));
    } else {
      explain(naive, tuned, out, command.getColorScheme().ansi());
    }
    out.flush();
    return Main.OK;
  }

  private void checkArguments(CommandLine command) {
    if (elements < 1) {
      throw new ParameterException(command, "--elements: expected at least 1, but got " + elements);
    }
    if (!(loadMs >= 0) || !(stepMs >= 0)) {
      throw new ParameterException(
          command, "--load-ms, --step-ms: expected 0 or more, but got " + Math.min(loadMs, stepMs));
    }
  }

  private Tensor slowLoad(long element) throws InterruptedException {
    pause(loadMs);
    return Tensor.of((float) element);
  }

  private void trainOn(Tensor element) throws InterruptedException {
    if (step == Step.SLEEP) {
      pause(stepMs);
      return;
    }
    long end = System.nanoTime() + (long) (stepMs * 1e6);
    double sum = element.byteSize();
    while (System.nanoTime() < end) {
      sum = Math.sqrt(sum + 1);
    }
  }

  private static void pause(double ms) throws InterruptedException {
    Thread.sleep((long) ms, (int) ((ms - (long) ms) * 1e6));
  }

  private Outcome run(String program, Dataset<Tensor> dataset, PrintWriter err)
      throws InterruptedException {
    long start = System.nanoTime();
    long shown = start;
    Main.progress(err, program);
    try (Pipeline<Tensor> pipeline = dataset.open()) {
      int most = 1;
      int done = 0;
      for (Tensor element : pipeline) {
        trainOn(element);
        done++;
        long now = System.nanoTime();
        if (now - shown > PROGRESS_NS) {
          shown = now;
          most = Math.max(most, workers(pipeline.stats()));
          if (Terminal.isThere()) {
            Main.progress(err, "%s  %s".formatted(bar(done), program));
          }
        }
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      PipelineStats stats = pipeline.stats();
      return new Outcome(program, seconds, Math.max(most, workers(stats)), start, stats);
    } finally {
      Main.endProgress(err);
    }
  }

  private String bar(int done) {
    int width = 24;
    int full = (int) ((long) width * done / elements);
    return "[%s%s] %,d/%,d".formatted("=".repeat(full), " ".repeat(width - full), done, elements);
  }

  private static int workers(PipelineStats stats) {
    int most = 1;
    for (OpStats operator : stats.operators()) {
      OpStats.StageStats stage = operator.stage();
      if (stage != null && operator.word().equals("map")) {
        most = Math.max(most, stage.targetWorkers());
      }
    }
    return most;
  }

  // ---- telling ----------------------------------------------------------------------------------

  /** What one of the two programs did. */
  private record Outcome(
      String program, double seconds, int workers, long startNs, PipelineStats stats) {
    double perSecond() {
      return stats.elements() / seconds;
    }

    Map<String, Object> fields() {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("program", program);
      fields.put("elements", stats.elements());
      fields.put("seconds", rounded(seconds));
      fields.put("elementsPerSecond", rounded(perSecond()));
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
    fields.put("elements", elements);
    fields.put("loadMs", loadMs);
    fields.put("stepMs", stepMs);
    fields.put("step", step.name().toLowerCase(Locale.ROOT));
    fields.put("naive", naive.fields());
    fields.put("autotune", tuned.fields());
    fields.put("speedUp", rounded(naive.seconds / tuned.seconds));
    return fields;
  }

  private void explain(Outcome naive, Outcome tuned, PrintWriter out, CommandLine.Help.Ansi ansi) {
    out.println("before  " + naive.program);
    out.println("after   " + tuned.program);
    out.println();
    String line = "%-28s %12s %12s%n";
    out.printf(Locale.ROOT, line, "", "before", "after");
    out.printf(line, "wall time", seconds(naive), seconds(tuned));
    out.printf(line, "elements per second", perSecond(naive), perSecond(tuned));
    out.printf(line, "the loop waited", share(naive), share(tuned));
    out.printf(line, "loads in flight, at most", naive.workers, tuned.workers);
    out.println(
        ansi.string(
            "@|bold %s|@"
                .formatted(
                    line.formatted("speed-up", "", factor(naive.seconds / tuned.seconds))
                        .stripTrailing())));
    out.println();
    List<KnobChange> changes = tuned.stats.knobChanges();
    out.println(changes.isEmpty() ? "The engine changed nothing." : "What the engine chose:");
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
    out.println();
    out.println(why(naive, tuned));
    out.println();
    out.println(whyNoDevice(naive, tuned));
  }

  private String why(Outcome naive, Outcome tuned) {
    double ideal = elements * stepMs / 1e3;
    String before =
        naive.stats.waitShare() > 0.5
            ? "Before, one element was loaded at a time while the loop waited (%.0f %% of its time)."
                .formatted(100 * naive.stats.waitShare())
            : "Before, the loop hardly waited (%.0f %% of its time): its own steps took the rest."
                .formatted(100 * naive.stats.waitShare());
    String after =
        tuned.workers > naive.workers
            ? ("Loading waits and hardly computes, so that many loads fit on few cores: the engine"
                   + " measured that and had up to %d of them under way at once, in order, and kept"
                   + " finished ones in a buffer ahead of the loop.")
                .formatted(tuned.workers)
            : "The engine saw no reason for more loads at once, and read ahead of the loop.";
    String limit =
        stepMs > 0 && tuned.seconds < 1.5 * ideal
            ? "What is left is mostly the training steps themselves: %.2f s.".formatted(ideal)
            : "The start counts too: the engine begins with few and adds more as it learns; a"
                + " longer run gains more.";
    return wrapped("Why: " + before + " " + after + " " + limit);
  }

  private String whyNoDevice(Outcome naive, Outcome tuned) {
    double perLoad = 1e3 * naive.stats.waitNs() / 1e9 / Math.max(1, naive.stats.elements());
    return wrapped(
        ("Prefetching to a device could not have done this. It hides the copy of an element to the"
             + " device behind a step, and here that copy is 4 bytes, some microseconds, out of the"
             + " %.1f ms that the loop waited for each element. The time went into loading, which"
             + " happens before there is anything to copy; only more loads at once (now %d) or"
             + " faster ones help.")
            .formatted(perLoad, tuned.workers));
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
