package dev.headrace.cli;

import dev.headrace.Dataset;
import dev.headrace.data.Plural;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import java.io.IOException;
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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the plan of a user's dataset, and what the engine makes of it. */
@Command(
    name = "explain",
    description = "Prints the plan of a dataset, last operator first, and how it is rewritten.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Nothing is run but the method that makes the dataset. Without ::METHOD all methods that",
      "return a dataset are explained.",
      "",
      "Examples:",
      "  headrace explain Train.java",
      "  headrace explain -cp target/classes com.acme.Train::validation --json"
    })
final class ExplainCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;
  @Mixin private UserDataset user = new UserDataset();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    CommandLine command = Objects.requireNonNull(spec).commandLine();
    PrintWriter out = command.getOut();
    List<Object> all = new ArrayList<>();
    for (UserCode.Named named : user.code().datasets(true)) {
      Dataset<?> dataset = named.dataset();
      if (json) {
        all.add(fields(named.name(), dataset));
      } else {
        out.print(all.isEmpty() ? "" : System.lineSeparator());
        all.add(named);
        out.printf(
            Locale.ROOT,
            "%s: %s, plan %s%n",
            named.name(),
            size(dataset.cardinality()),
            dataset.fingerprint().substring(0, 12));
        out.println(dataset.explain().indent(2).stripTrailing());
      }
    }
    if (json) {
      out.println(JsonText.of(Map.of("datasets", all)));
    }
    out.flush();
    return Main.OK;
  }

  /** How many elements a pass has, in words. */
  static String size(long cardinality) {
    return cardinality == Dataset.INFINITE
        ? "never ends"
        : cardinality == Dataset.UNKNOWN
            ? "size known only by reading it"
            : Plural.of(cardinality, "element") + " a pass";
  }

  private static Map<String, Object> fields(String name, Dataset<?> dataset) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    putCardinality(fields, dataset.cardinality());
    fields.put("fingerprint", dataset.fingerprint());
    fields.put("plan", operator(dataset.op()));
    String explained = dataset.explain();
    fields.put("rewrites", section(explained, "rewrites:"));
    fields.put("rewritten", section(explained, "rewritten:"));
    fields.put("because", section(explained, "because:"));
    return fields;
  }

  private static Map<String, Object> operator(Op op) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("operator", op.word());
    String name = op.site().name();
    if (name != null) {
      fields.put("name", name);
    }
    fields.put("description", OpShape.of(op.getClass()).describe(op));
    fields.put("line", op.site().toString());
    putCardinality(fields, op.cardinality());
    fields.put("inputs", op.inputs().stream().map(ExplainCommand::operator).toList());
    return fields;
  }

  /** The number where it is one, else the word for it. */
  private static void putCardinality(Map<String, Object> fields, long cardinality) {
    fields.put(
        "cardinality",
        cardinality == Dataset.INFINITE
            ? "infinite"
            : cardinality == Dataset.UNKNOWN ? "unknown" : (Object) cardinality);
  }

  /** The lines under a heading, without their first two blanks. */
  private static List<String> section(String explained, String heading) {
    return explained
        .lines()
        .dropWhile(line -> !line.equals(heading))
        .skip(1)
        .takeWhile(line -> line.startsWith("  "))
        .map(line -> line.substring(2))
        .toList();
  }
}
