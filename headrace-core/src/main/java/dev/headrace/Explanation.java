package dev.headrace;

import dev.headrace.optimize.Optimised;
import dev.headrace.optimize.PassedDown;
import dev.headrace.runtime.PlanShape;
import java.util.List;

/** A plan for people: as it was written, as it is run, and why. */
final class Explanation {
  private Explanation() {}

  static String of(PlanShape written, Optimised optimised) {
    PlanShape run = PlanShape.of(optimised.plan(), optimised.origins()::of);
    StringBuilder text = new StringBuilder(String.join("\n", written.explained()));
    add(text, "rewrites:", run.rewrites());
    if (!optimised.isAsWritten()) {
      add(text, "rewritten:", run.explained());
      add(text, "because:", optimised.rewrites());
    }
    add(text, "passed down while running:", PassedDown.lines(optimised.plan()));
    return text.toString();
  }

  private static void add(StringBuilder text, String heading, List<?> lines) {
    if (!lines.isEmpty()) {
      text.append('\n').append(heading);
      lines.forEach(line -> text.append("\n  ").append(line));
    }
  }
}
