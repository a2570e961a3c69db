package dev.headrace.profile;

import java.util.ArrayList;
import java.util.List;

/** What a diagnosis says of operators that have a part of what they hold on disk. */
public final class SpilledFindings {
  public static final String RULE = "on-disk";

  private SpilledFindings() {}

  /** A finding for each operator that wrote something to disk. */
  public static List<Finding> of(List<OpStats> operators, long heapBudget) {
    List<Finding> findings = new ArrayList<>();
    for (OpStats op : operators) {
      OpStats.SpillStats spill = op.spill();
      if (spill != null) {
        findings.add(
            new Finding(
                Finding.Severity.HINT,
                RULE,
                op.path(),
                spill.sentence(heapBudget) + ".",
                List.of(
                    "%s were written and %s read back"
                        .formatted(
                            DiagnosisText.bytes(spill.writtenBytes()),
                            DiagnosisText.bytes(spill.readBytes()))),
                advice(op.word())));
      }
    }
    return findings;
  }

  private static String advice(String word) {
    String instead =
        switch (word) {
          case "shuffle" -> "shuffle before elements grow, or take a smaller buffer";
          case "cache" -> "cache before elements grow, or write .cache(Path.of(…))";
          case "unique" -> "give a smaller key: .unique(x -> …)";
          default -> "make its groups smaller";
        };
    return "set options.heapBudget(…) higher, " + instead;
  }
}
