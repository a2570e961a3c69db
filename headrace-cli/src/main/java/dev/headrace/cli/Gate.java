package dev.headrace.cli;

import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Finding;
import dev.headrace.profile.Verdict;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What lets {@code doctor} end with exit code 1, for builds that watch over a pipeline. */
final class Gate {
  /** Kinds that do not mean that the pipeline is too slow. */
  private static final Set<Verdict.Kind> FINE =
      EnumSet.of(Verdict.Kind.CONSUMER_BOUND, Verdict.Kind.BALANCED, Verdict.Kind.STARTUP_BOUND);

  private static final Map<String, Predicate<Diagnosis>> CONDITIONS = conditions();

  @Option(
      names = "--fail-on",
      paramLabel = "WHAT",
      split = ",",
      description = {
        "Exit with 1 where that is so, for builds: input-bound (whatever it is in the pipeline"
            + " that",
        "limits), one of serial-bound, source-bound, transfer-bound, memory-bound, buffer-bound,",
        "device-memory-bound, startup-bound, consumer-bound, balanced, or a finding: problem,"
            + " hint.",
        "Several with commas."
      })
  private List<String> failOn = new ArrayList<>();

  @Option(
      names = "--max-wait",
      paramLabel = "PERCENT",
      defaultValue = "100",
      description = "Exit with 1 where the training loop waited more of its time than that.")
  private double mostWait;

  private static Map<String, Predicate<Diagnosis>> conditions() {
    Map<String, Predicate<Diagnosis>> all = new LinkedHashMap<>();
    all.put("input-bound", diagnosis -> !FINE.contains(diagnosis.verdict().kind()));
    for (Verdict.Kind kind : Verdict.Kind.values()) {
      all.putIfAbsent(nameOf(kind), diagnosis -> diagnosis.verdict().kind() == kind);
    }
    all.put("problem", diagnosis -> has(diagnosis, Finding.Severity.PROBLEM));
    all.put(
        "hint",
        diagnosis ->
            has(diagnosis, Finding.Severity.PROBLEM) || has(diagnosis, Finding.Severity.HINT));
    return all;
  }

  private static boolean has(Diagnosis diagnosis, Finding.Severity severity) {
    return diagnosis.findings().stream().anyMatch(finding -> finding.severity() == severity);
  }

  /** As in {@code input-bound}. */
  static String nameOf(Verdict.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether a verdict is no reason for a change. */
  static boolean isFine(Verdict.Kind kind) {
    return FINE.contains(kind);
  }

  /** Refuses what is not known. */
  void check(CommandLine command) {
    for (String name : failOn) {
      if (!CONDITIONS.containsKey(name)) {
        throw new ParameterException(
            command,
            "--fail-on: expected %s, but got '%s'"
                .formatted(String.join(" or ", CONDITIONS.keySet()), name));
      }
    }
    if (!(mostWait >= 0 && mostWait <= 100)) {
      throw new ParameterException(
          command, "--max-wait: expected 0 to 100 percent, but got " + mostWait);
    }
  }

  /** What was asked to be told and is so; empty where the pipeline may pass. */
  List<String> reasons(Diagnosis diagnosis) {
    List<String> reasons = new ArrayList<>();
    Verdict verdict = diagnosis.verdict();
    for (String name : failOn) {
      Predicate<Diagnosis> condition = CONDITIONS.get(name);
      if (condition != null && condition.test(diagnosis)) {
        String found =
            name.equals("problem") || name.equals("hint") ? name : nameOf(verdict.kind());
        reasons.add(
            found.equals(name)
                ? "--fail-on " + name
                : "--fail-on %s: it is %s".formatted(name, found));
      }
    }
    if (100 * verdict.waitShare() > mostWait) {
      reasons.add(
          String.format(
              Locale.ROOT,
              "--max-wait %s: the loop waited %.1f %% of its time",
              plain(mostWait),
              100 * verdict.waitShare()));
    }
    return reasons;
  }

  private static String plain(double number) {
    return number == Math.rint(number)
        ? String.format(Locale.ROOT, "%.0f", number)
        : Double.toString(number);
  }
}
