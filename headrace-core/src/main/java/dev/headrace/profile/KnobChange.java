package dev.headrace.profile;

import java.util.Locale;

/**
 * One decision of the engine about a number it may turn.
 *
 * @param atNs since the pipeline was opened
 * @param predicted how many times as fast the whole would be, or 0 where that was not predicted
 * @param measured how many times as fast it was then, or 0 where that was not measured (yet)
 * @param isKept whether it was left so, and not taken back
 */
public record KnobChange(
    long atNs,
    String operator,
    String knob,
    int before,
    int after,
    String why,
    double predicted,
    double measured,
    boolean isKept) {

  /** The knob of operators that have threads only where that was found to help. */
  public static final String THREADS = "threads";

  /** In words: "map (Train.java:17): workers 2 → 8, because …; predicted 2.10, measured 1.95". */
  @Override
  public String toString() {
    String came =
        measured == 0
            ? ""
            : String.format(
                Locale.ROOT,
                "; %s%.2f times as fast%s",
                foretold(),
                measured,
                isKept ? "" : ": taken back");
    String what =
        knob.equals(THREADS)
            ? after > 0 ? "threads of its own" : "no threads of its own"
            : String.format(Locale.ROOT, "%s %,d → %,d", knob, before, after);
    return operator + ": " + what + ", because " + why + came;
  }

  private String foretold() {
    return predicted == 0
        ? "measured "
        : String.format(Locale.ROOT, "predicted %.2f, measured ", predicted);
  }

  /** The same, with what came of it. */
  public KnobChange measured(double gain, boolean kept) {
    return new KnobChange(atNs, operator, knob, before, after, why, predicted, gain, kept);
  }
}
