package dev.headrace.cli;

import dev.headrace.data.Plural;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Treatment;
import dev.headrace.profile.Trial;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** What the doctor says, for people. */
final class DoctorText {
  private final String name;
  private final Style style;
  private final PrintWriter out;

  DoctorText(String name, Style style, PrintWriter out) {
    this.name = name;
    this.style = style;
    this.out = out;
  }

  /** The diagnosis of the only pipeline. */
  void diagnosis(Examination examination) {
    if (!examination.diagnoses().isEmpty()) {
      print(name, examination.diagnoses().getFirst());
    }
  }

  /** A pipeline of a program. */
  void pipeline(PipelineWatch.Seen seen) {
    print(
        String.format(
            Locale.ROOT,
            "%s, pipeline %d (%s in %.1f s)",
            name,
            seen.number(),
            Plural.of(seen.stats().elements(), "element"),
            seen.seconds()),
        seen.diagnosis());
  }

  private void print(String title, Diagnosis diagnosis) {
    List<String> lines = diagnosis.toString().lines().toList();
    String verdict = lines.getFirst();
    out.println();
    out.println(style.bold(title));
    out.println(
        Gate.isFine(diagnosis.verdict().kind()) ? style.good(verdict) : style.doubtful(verdict));
    lines.stream().skip(1).forEach(out::println);
    out.flush();
  }

  /** A change that was made. */
  void trial(Trial trial) {
    out.println();
    out.println(style.bold("Tried: " + trial.advice().title()));
    out.println("  " + trial.advice().code());
    out.printf(
        Locale.ROOT,
        "  predicted %.2f times as fast, measured %.2f times: the prediction was %s%n",
        trial.predicted(),
        trial.measured(),
        off(trial.error()));
    out.printf(
        Locale.ROOT,
        "  %,.1f elements/s before, %,.1f now; the loop waited %.0f %% of its time before, %.0f %%"
            + " now%n",
        trial.before().profile().rate(),
        trial.after().profile().rate(),
        100 * trial.before().verdict().waitShare(),
        100 * trial.after().verdict().waitShare());
    out.println(
        trial.helped()
            ? "  Now: " + trial.after().verdict().sentence()
            : "  It did not help, and was taken back.");
    out.flush();
  }

  private static String off(double error) {
    return Math.abs(error) < 0.005
        ? "right"
        : String.format(
            Locale.ROOT, "%.0f %% too %s", 100 * Math.abs(error), error > 0 ? "high" : "low");
  }

  /** What is left to say. */
  void end(Examination examination, List<String> reasons) {
    if (examination.trials().size() > 1) {
      Treatment treatment = examination.treatment();
      out.println();
      out.printf(
          Locale.ROOT,
          "All in all %.2f times as fast, %,.1f elements/s before and %,.1f now: %s.%n",
          treatment.gain(),
          treatment.before().profile().rate(),
          treatment.after().profile().rate(),
          treatment.summary());
    }
    if (examination.diagnoses().isEmpty()) {
      out.println(name + ": no pipeline gave an element, so there is nothing to tell.");
    }
    if (examination.untold() > 0) {
      out.println();
      out.printf(
          "%d more pipeline%s ran too shortly to be examined.%n",
          examination.untold(), examination.untold() == 1 ? "" : "s");
    }
    for (String reason : reasons) {
      out.println();
      out.println(style.bad("FAILED by " + reason));
    }
  }
}
