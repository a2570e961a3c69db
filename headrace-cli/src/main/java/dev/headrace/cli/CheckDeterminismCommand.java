package dev.headrace.cli;

import dev.headrace.Dataset;
import dev.headrace.data.Plural;
import dev.headrace.testing.DeterminismCheck;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a user's pipeline with one thread and with many, and compares. */
@Command(
    name = "check-determinism",
    description = "Compares what a pipeline gives with one thread and with many.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Exit code 1 where the runs differ; the first difference is named.",
      "",
      "Examples:",
      "  headrace check-determinism Train.java",
      "  headrace check-determinism -cp target/classes com.acme.Train::dataset --threads 16"
    })
final class CheckDeterminismCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;
  @Mixin private UserDataset user = new UserDataset();

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "8",
      description = "Threads in each operator of the parallel run (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--elements",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Elements of each epoch to compare at most (default: ${DEFAULT-VALUE}).")
  private long elements;

  @Option(
      names = "--epochs",
      paramLabel = "N",
      defaultValue = "1",
      description = "Epochs to compare (default: ${DEFAULT-VALUE}).")
  private int epochs;

  @Option(
      names = "--also-sequential",
      description = {
        "Also run functions in parallel that were given without a parallelism: if nothing differs,",
        "they may be given one."
      })
  private boolean alsoSequential;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Dataset<?> dataset = user.load();
    DeterminismCheck check =
        DeterminismCheck.of(dataset)
            .threads(threads)
            .elements(elements)
            .epochs(epochs)
            .progress(
                count -> Main.progress(err, String.format(Locale.ROOT, "%,d elements", count)));
    DeterminismCheck.Result result = (alsoSequential ? check.alsoSequential() : check).run();
    Main.endProgress(err);
    out.println(dataset.explain());
    out.println();
    if (result.difference() == null) {
      out.printf(
          Locale.ROOT,
          "the same: %s, hash %s, with 1 thread and with %d%n",
          Plural.of(result.compared(), "element"),
          result.hash(),
          threads);
    } else {
      out.printf("DIFFERENT after %s%n", Plural.of(result.compared(), "equal element"));
      out.printf(
          "  epoch %d, element %d%n", result.difference().epoch(), result.difference().index());
      out.printf("  with 1 thread:   %s%n", result.difference().one());
      out.printf(Locale.ROOT, "  with %d threads: %s%n", threads, result.difference().many());
      List<String> causes = check.knownCauses();
      if (causes.isEmpty()) {
        out.println(
            "A function of the pipeline keeps state, draws random numbers (use randomMap) or"
                + " depends on time.");
      }
      causes.forEach(out::println);
    }
    out.flush();
    return result.isDeterministic() ? Main.OK : Main.FAILED;
  }
}
