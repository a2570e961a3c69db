package dev.headrace.cli;

import dev.headrace.profile.Finding;
import dev.headrace.profile.Linter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Looks for mistakes in the plan of a user's dataset, without running it. */
@Command(
    name = "lint",
    description = "Finds mistakes in the plan of a dataset, without running it.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeOnExecutionException = Main.USAGE,
    footer = {
      "",
      "Nothing is run but the method that makes the dataset. Without ::METHOD all methods that",
      "return a dataset are looked at.",
      "",
      "Exit codes: 0 nothing found, 1 found something (see --fail-on), 2 wrong usage, or a program",
      "that does not compile or make a dataset.",
      "",
      "Examples:",
      "  headrace lint Train.java",
      "  headrace lint --fail-on hint --ignore no-prefetch -cp target/classes com.acme.Train",
      "  headrace lint --json Train.java::validation"
    })
final class LintCommand implements Callable<Integer> {
  /** From what on a finding is a failure. */
  enum FailOn {
    NOTE,
    HINT,
    PROBLEM,
    NEVER;

    boolean isFailure(Finding.Severity severity) {
      return switch (severity) {
        case PROBLEM -> this != NEVER;
        case HINT -> this == HINT || this == NOTE;
        case NOTE -> this == NOTE;
      };
    }
  }

  @Spec private @Nullable CommandSpec spec;
  @Mixin private UserDataset user = new UserDataset();

  @Option(
      names = "--fail-on",
      paramLabel = "LEVEL",
      defaultValue = "problem",
      description = "Exit with 1 from that on: problem, hint, note or never (default: problem).")
  private FailOn failOn = FailOn.PROBLEM;

  @Option(
      names = "--rule",
      paramLabel = "RULE",
      split = ",",
      description =
          "Look for these only; several with commas. docs/reference/linter.md has them all.")
  private List<String> only = new ArrayList<>();

  @Option(
      names = "--ignore",
      paramLabel = "RULE",
      split = ",",
      description = "Leave these out; several with commas.")
  private List<String> ignored = new ArrayList<>();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    CommandLine command = Objects.requireNonNull(spec).commandLine();
    checkRules(command);
    PrintWriter out = command.getOut();
    Style style = Style.of(command);
    List<Object> all = new ArrayList<>();
    boolean fails = false;
    for (UserCode.Named named : user.code().datasets(true)) {
      List<Finding> findings =
          named.dataset().lint().stream()
              .filter(finding -> only.isEmpty() || only.contains(finding.rule()))
              .filter(finding -> !ignored.contains(finding.rule()))
              .toList();
      fails |= findings.stream().anyMatch(finding -> failOn.isFailure(finding.severity()));
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("name", named.name());
      one.put("findings", findings.stream().map(DoctorJson::finding).toList());
      all.add(one);
      if (!json) {
        print(named.name(), findings, style, out);
      }
    }
    if (json) {
      Map<String, Object> whole = new LinkedHashMap<>();
      whole.put("datasets", all);
      whole.put("failed", fails);
      out.println(JsonText.of(whole));
    }
    out.flush();
    return fails ? Main.FAILED : Main.OK;
  }

  private void checkRules(CommandLine command) {
    for (String rule : Stream.concat(only.stream(), ignored.stream()).toList()) {
      if (!Linter.rules().containsKey(rule)) {
        throw new ParameterException(
            command,
            "--rule, --ignore: expected the name of a rule, but got '%s'; there are %s"
                .formatted(rule, String.join(", ", Linter.rules().keySet())));
      }
    }
  }

  private static void print(String name, List<Finding> findings, Style style, PrintWriter out) {
    out.println(style.bold(name + ": " + counted(findings)));
    for (Finding finding : findings) {
      String severity = finding.severity().name().toLowerCase(Locale.ROOT);
      out.printf(
          "  %s %s: %s [%s]%n",
          switch (finding.severity()) {
            case PROBLEM -> style.bad(severity);
            case HINT -> style.doubtful(severity);
            case NOTE -> style.bold(severity);
          },
          finding.operator(),
          finding.message(),
          finding.rule());
      finding.evidence().forEach(line -> out.println("    " + line));
      if (!finding.advice().isEmpty()) {
        out.println("    → " + finding.advice());
      }
    }
  }

  private static String counted(List<Finding> findings) {
    if (findings.isEmpty()) {
      return "nothing found";
    }
    List<String> counts = new ArrayList<>();
    for (Finding.Severity severity : Finding.Severity.values()) {
      long count = findings.stream().filter(finding -> finding.severity() == severity).count();
      if (count > 0) {
        counts.add(
            count + " " + severity.name().toLowerCase(Locale.ROOT) + (count == 1 ? "" : "s"));
      }
    }
    return String.join(", ", counts);
  }
}
