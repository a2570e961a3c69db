package dev.headrace.cli;

import dev.headrace.profile.Advice;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Treatment;
import dev.headrace.profile.Trial;
import dev.headrace.profile.Verdict;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;

/** What {@code quickstart} tells, as it goes on. */
final class QuickstartText {
  private static final int COLUMNS = 90;

  private final PrintWriter out;
  private final Style style;
  private final int batch;
  private boolean triedAny;

  QuickstartText(PrintWriter out, Style style, int batch) {
    this.out = out;
    this.style = style;
    this.batch = batch;
  }

  void begin(int photos, long bytes, double stepMs, String decoder) {
    print(
        "%,d photographs (JPEG, %d x %d, %.0f MB) in %d TFRecord files. A small network learns to"
            + " tell their %d kinds apart; a step on %d of them takes %s ms, as on an accelerator.",
        photos,
        QuickstartData.WIDTH,
        QuickstartData.HEIGHT,
        bytes / 1e6,
        QuickstartData.FILES,
        QuickstartData.LABELS,
        batch,
        stepMs == Math.rint(stepMs) ? "%.0f".formatted(stepMs) : Double.toString(stepMs));
    print("Decoder: %s.", decoder);
  }

  void naive(String program) {
    heading("1. The pipeline as one writes it first");
    out.println(program.indent(3).stripTrailing());
    out.println();
    out.flush();
  }

  void before(Diagnosis before) {
    out.printf(Locale.ROOT, "   %s%n", figures(before));
    heading("2. Why it is slow");
    Verdict verdict = before.verdict();
    print("   %s", verdict.sentence());
    for (String evidence : verdict.evidence()) {
      print("   - %s", evidence);
    }
    before.findings().stream()
        .filter(finding -> finding.rule().startsWith("prefetch-cannot-help"))
        .forEach(finding -> print("   - %s", finding.message()));
    out.flush();
  }

  void trial(Trial trial) {
    if (!triedAny) {
      triedAny = true;
      heading("3. What to change, each change made and measured");
    }
    Advice advice = trial.advice();
    out.println(style.bold("   " + advice.code()));
    print("     to %s", advice.title());
    out.printf(
        Locale.ROOT,
        "     predicted %.2f times as fast, measured %.2f times%n",
        trial.predicted(),
        trial.measured());
    out.printf(Locale.ROOT, "     %s%n", figures(trial.after()));
    if (!trial.helped()) {
      out.println("     it did not help, and is taken back");
    }
    out.flush();
  }

  void now(Treatment treatment, double accuracy) {
    heading("4. Now");
    Diagnosis after = treatment.after();
    double factor = treatment.gain();
    out.println(
        style.good(
            String.format(
                Locale.ROOT, "   %.1f times as fast as it was: %s", factor, figures(after))));
    print("   %s", after.verdict().sentence());
    for (String evidence : after.verdict().evidence()) {
      print("   - %s", evidence);
    }
    print(
        "   The network now knows %.0f %% of the photographs before it has learned from them.",
        100 * accuracy);
    heading("5. Or let the engine do it");
    out.println(style.bold("   .options(o -> o.assumePure())"));
    print(
        "     on the first pipeline: a promise that functions give the same result whoever calls"
            + " them, and when");
    out.flush();
  }

  /** What the engine makes of the naive pipeline without any advice. */
  void alone(Treatment treatment, Diagnosis alone) {
    double rate = alone.profile().rate();
    out.printf(Locale.ROOT, "     %s%n", figures(alone));
    out.printf(
        Locale.ROOT,
        "     %.1f times as fast as it was, %.0f %% of what the changes above reach%n",
        rate / treatment.before().profile().rate(),
        100 * rate / treatment.after().profile().rate());
    alone.decisions().stream()
        .filter(decision -> decision.predicted() > 0)
        .forEach(decision -> print("     - %s", decision));
    out.flush();
  }

  void end(Diagnosis before, Path report) {
    out.println();
    device(before);
    out.println();
    out.println("The whole story as a page: " + report);
    out.flush();
  }

  /** The first question that everybody has. */
  private void device(Diagnosis before) {
    double bytes = before.profile().operators().getFirst().bytes();
    double waitedMs = before.profile().consumer().insideNs() / 1e6;
    print(
        "Prefetching to a device could not have done this: it hides the copy of a batch behind a"
            + " step, %.1f MB or about %.1f ms at 10 GB/s, out of the %.0f ms that the loop waited"
            + " for each. The time went into making the batch, before there is anything to copy.",
        bytes / 1e6, bytes / 1e7, waitedMs);
  }

  private String figures(Diagnosis diagnosis) {
    return String.format(
        Locale.ROOT,
        "%,.0f photographs a second; the training loop waits %.0f %% of its time",
        diagnosis.profile().rate() * batch,
        100 * diagnosis.verdict().waitShare());
  }

  private void heading(String text) {
    out.println();
    out.println(style.bold(text));
    out.println();
  }

  /** Prints a paragraph, broken into lines that begin where the first does. */
  private void print(String format, Object... arguments) {
    String text = String.format(Locale.ROOT, format, arguments);
    String indent = " ".repeat(text.length() - text.stripLeading().length());
    String hanging = text.stripLeading().startsWith("- ") ? indent + "  " : indent;
    StringBuilder line = new StringBuilder(indent);
    boolean begun = false;
    for (String word : text.strip().split(" ", -1)) {
      if (begun && line.length() + 1 + word.length() > COLUMNS) {
        out.println(line);
        line = new StringBuilder(hanging);
        begun = false;
      }
      line.append(begun ? " " : "").append(word);
      begun = true;
    }
    out.println(line);
  }
}
