package dev.headrace;

import dev.headrace.optimize.Optimised;
import dev.headrace.runtime.PlanShape;

/** A plan for people: as it was written, as it is run, and why. */
final class Explanation {
  private Explanation() {}

  static String of(PlanShape written, Optimised optimised, boolean deterministic) {
    if (optimised.isAsWritten()) {
      return written.explain();
    }
    StringBuilder text = new StringBuilder(written.explain()).append("\nrewritten:");
    PlanShape.of(optimised.plan(), deterministic)
        .explained()
        .forEach(line -> text.append("\n  ").append(line));
    text.append("\nbecause:");
    optimised.rewrites().forEach(rewrite -> text.append("\n  ").append(rewrite));
    return text.toString();
  }
}
