package dev.headrace.profile;

import dev.headrace.data.Plural;
import java.util.List;
import java.util.Locale;

/** A diagnosis in words. */
final class DiagnosisText {
  private static final int MOST_ADVICE = 5;
  private static final int MOST_DECISIONS = 8;

  private DiagnosisText() {}

  static String of(Diagnosis diagnosis) {
    StringBuilder text = new StringBuilder();
    Verdict verdict = diagnosis.verdict();
    Profile profile = diagnosis.profile();
    line(text, "%s", verdict.sentence());
    for (String evidence : verdict.evidence()) {
      line(text, "  %s", evidence);
    }
    line(
        text,
        "  %s elements/s; the training loop waited %.0f %% of its time (accelerator utilisation"
            + " %.0f %%)",
        rate(profile.rate()),
        100 * verdict.waitShare(),
        100 * verdict.utilisation());
    List<Advice> advice = diagnosis.advice();
    if (advice.isEmpty()) {
      line(text, "No change to the pipeline would make it faster.");
    } else {
      line(text, "What to change:");
      int number = 1;
      for (Advice each : advice.subList(0, Math.min(MOST_ADVICE, advice.size()))) {
        line(text, "  %d. %s: %s", number++, each.title(), gain(each));
        line(text, "     %s", each.code());
        for (String why : each.why()) {
          line(text, "     %s", why);
        }
      }
    }
    List<KnobChange> decisions = diagnosis.decisions();
    if (!decisions.isEmpty()) {
      line(text, "What the engine has changed by itself:");
      int left = Math.max(0, decisions.size() - MOST_DECISIONS);
      if (left > 0) {
        line(text, "  %d %s before these", left, Plural.word(left, "change"));
      }
      decisions.subList(left, decisions.size()).forEach(each -> line(text, "  %s", each));
    }
    for (Finding finding : diagnosis.findings()) {
      line(
          text,
          "%s: %s",
          finding.severity() == Finding.Severity.NOTE ? "Note" : "Also",
          finding.operator().isEmpty()
              ? finding.message()
              : finding.operator() + ": " + finding.message());
      if (!finding.advice().isEmpty()) {
        line(text, "  %s", finding.advice());
      }
    }
    return text.toString();
  }

  /** "2.1 times as fast, 40 MB; then the training step would be the limit". */
  static String gain(Advice advice) {
    String memory =
        advice.bytes() == 0
            ? ""
            : String.format(
                Locale.ROOT,
                ", %s %s of memory",
                advice.bytes() > 0 ? "takes" : "gives back",
                bytes(Math.abs(advice.bytes())));
    String faster =
        advice.speedup() >= 1.005
            ? String.format(Locale.ROOT, "%.2f times as fast", advice.speedup())
            : "as fast as before";
    return faster + memory + (advice.next().isEmpty() ? "" : "; then " + advice.next());
  }

  static String bytes(double bytes) {
    String[] units = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    double value = bytes;
    while (value >= 1000 && unit + 1 < units.length) {
      value /= 1000;
      unit++;
    }
    return String.format(
        Locale.ROOT, value < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", value, units[unit]);
  }

  static String time(double ns) {
    if (ns < 1e3) {
      return String.format(Locale.ROOT, "%.0f ns", ns);
    }
    if (ns < 1e6) {
      return String.format(Locale.ROOT, "%.1f µs", ns / 1e3);
    }
    return ns < 1e9
        ? String.format(Locale.ROOT, ns < 1e7 ? "%.2f ms" : "%.1f ms", ns / 1e6)
        : String.format(Locale.ROOT, "%.2f s", ns / 1e9);
  }

  static String rate(double rate) {
    return String.format(Locale.ROOT, rate < 100 ? "%.1f" : "%,.0f", rate);
  }

  private static void line(StringBuilder text, String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments)).append(System.lineSeparator());
  }
}
