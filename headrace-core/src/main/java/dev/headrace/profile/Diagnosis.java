package dev.headrace.profile;

import java.util.List;

/**
 * Why a pipeline was as fast as it was, and what to change.
 *
 * @param advice what could be changed, the most useful first; what gains nothing is not among it
 * @param findings what else was noticed: measured first, then what the linter says of the plan
 * @param plan the plan as {@code explain()} shows it
 */
public record Diagnosis(
    Verdict verdict, List<Advice> advice, List<Finding> findings, Profile profile, String plan) {

  public Diagnosis {
    advice = List.copyOf(advice);
    findings = List.copyOf(findings);
  }

  /** For people. */
  @Override
  public String toString() {
    return DiagnosisText.of(this);
  }
}
