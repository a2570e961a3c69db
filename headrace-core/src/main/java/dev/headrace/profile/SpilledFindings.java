package dev.headrace.profile;

import dev.headrace.spi.OpCounters;
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
      OpCounters.Spill spill = op.spill();
      if (spill != null) {
        findings.add(
            new Finding(
                Finding.Severity.HINT,
                RULE,
                op.path(),
                sentence(spill, heapBudget) + ".",
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

  /** "3.2 GB of what it holds are on disk, …". */
  public static String sentence(OpCounters.Spill spill, long heapBudget) {
    boolean isGone = spill.bytes() == 0;
    return "%s of what it holds %s on disk, in %s, because it does not fit the heap budget of %s"
        .formatted(
            DiagnosisText.bytes(isGone ? spill.peakBytes() : spill.bytes()),
            isGone ? "were" : "are",
            spill.folder(),
            DiagnosisText.bytes(heapBudget));
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
