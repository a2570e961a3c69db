package dev.headrace.cli;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Plural;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs a user's pipeline up to one failed element, on one thread, and shows the whole failure. */
@Command(
    name = "replay",
    description = "Runs a pipeline up to a failed element, on one thread, and shows why it fails.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "The id is in the message of a PipelineException and in each line of a dead-letter file.",
      "ignoreErrors is left out of the plan, so that the failure is seen. Exit code 1 where the",
      "element does not fail (any more).",
      "",
      "Example:",
      "  headrace replay -cp target/classes com.acme.Train::dataset 3/1027"
    })
final class ReplayCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;
  @Mixin private UserDataset user = new UserDataset();

  @Parameters(index = "1", paramLabel = "ID", description = "The id of the element.")
  private String id = "";

  @Option(
      names = "--epoch",
      paramLabel = "N",
      defaultValue = "0",
      description = "The epoch in which it failed (default: ${DEFAULT-VALUE}).")
  private int epoch;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Dataset<?> dataset = user.load();
    Dataset<?> bare = Dataset.of(withoutIgnoring(dataset.op())).options(dataset.options().debug());
    long read = 0;
    try (Pipeline<?> pipeline = bare.open()) {
      for (int skipped = 0; skipped < epoch; skipped++) {
        Iterator<?> unused =
            pipeline.iterator(); // epochs have numbers, not lengths: earlier ones need not be read
      }
      Iterator<?> elements = pipeline.iterator();
      while (elements.hasNext()) {
        try {
          elements.next();
        } catch (PipelineException e) {
          if (id.equals(e.element()) || e.isTerminal()) {
            Main.endProgress(err);
            show(e, read, out);
            return id.equals(e.element()) ? Main.OK : Main.FAILED;
          }
        }
        if (++read % 1000 == 0) {
          Main.progress(err, String.format(Locale.ROOT, "%,d elements read", read));
        }
      }
    }
    Main.endProgress(err);
    out.printf(
        Locale.ROOT,
        "no element %s failed among the %,d of epoch %d: it passes now, or the plan is another"
            + " one%n",
        id,
        read,
        epoch);
    out.flush();
    return Main.FAILED;
  }

  private static void show(PipelineException failure, long read, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "element %s, after %s, failed in%n",
        failure.element(),
        Plural.of(read, "other"));
    out.println("  " + failure.path());
    out.println();
    Objects.requireNonNullElse(failure.getCause(), failure).printStackTrace(out);
    out.flush();
  }

  private static Op withoutIgnoring(Op op) {
    List<Op> inputs = new ArrayList<>();
    for (Op input : op.inputs()) {
      inputs.add(withoutIgnoring(input));
    }
    if (op.word().equals("ignoreErrors")) {
      return inputs.getFirst();
    }
    return inputs.isEmpty() ? op : OpShape.of(op.getClass()).withInputs(op, inputs);
  }
}
