package dev.headrace.profile;

import java.util.ArrayList;
import java.util.List;

/**
 * Why a pipeline was as fast as it was, and what to change.
 *
 * @param advice what could be changed, the most useful first; last what can be taken out
 * @param findings what else was noticed: measured first, then what the linter says of the plan
 * @param plan the plan as {@code explain()} shows it
 * @param decisions what the engine has changed by itself while it ran
 */
public record Diagnosis(
    Verdict verdict,
    List<Advice> advice,
    List<Finding> findings,
    Profile profile,
    String plan,
    List<KnobChange> decisions) {

  public Diagnosis {
    advice = List.copyOf(advice);
    findings = List.copyOf(findings);
    decisions = List.copyOf(decisions);
  }

  /** One of a pipeline in which the engine has changed nothing. */
  public Diagnosis(
      Verdict verdict, List<Advice> advice, List<Finding> findings, Profile profile, String plan) {
    this(verdict, advice, findings, profile, plan, List.of());
  }

  /** The same, with what the engine has changed by itself. */
  public Diagnosis withDecisions(List<KnobChange> made) {
    return new Diagnosis(verdict, advice, findings, profile, plan, made);
  }

  /** The same with other advice. */
  public Diagnosis withAdvice(List<Advice> other) {
    return new Diagnosis(verdict, other, findings, profile, plan, decisions);
  }

  /** Finds out from what was measured; {@code linted} is what is wrong with the plan as it is. */
  public static Diagnosis of(Measurements measured, List<Finding> linted, String plan) {
    Profile profile = measured.profile();
    Model model = Model.of(profile, measured.nodes());
    Verdict verdict = new Judge(profile, model, measured.nodes()).verdict();
    Model cold = Model.of(measured.coldProfile(), measured.nodes());
    Advisor advisor = new Advisor(profile, model, cold, measured, verdict);
    List<Advice> advice = advisor.advice();
    List<Finding> findings = new ArrayList<>(advisor.findings());
    Measurements.Change change = measured.paceChange();
    if (change != null) {
      findings.addFirst(paceChanged(change));
    }
    findings.addAll(linted);
    return new Diagnosis(verdict, advice, findings, profile, plan);
  }

  private static Finding paceChanged(Measurements.Change change) {
    return new Finding(
        Finding.Severity.HINT,
        "pace-changed",
        "",
        "the pace changed during the run, from %s to %s elements/s: what is said holds for the later part%s"
            .formatted(
                DiagnosisText.rate(change.before()),
                DiagnosisText.rate(change.after()),
                change.isOver() ? "" : ", and as it goes on changing, predictions may not hold"),
        List.of(),
        change.isOver() ? "" : "Measure longer, or over a part of the data that is alike.");
  }

  /** For people. */
  @Override
  public String toString() {
    return DiagnosisText.of(this);
  }
}
