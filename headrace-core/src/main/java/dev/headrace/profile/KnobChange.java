package dev.headrace.profile;

/**
 * One decision of the engine about a number it may turn.
 *
 * @param predicted how many times as fast the whole would be, or 0 where that was not foretold
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

  /** The same, with what came of it. */
  public KnobChange measured(double gain, boolean kept) {
    return new KnobChange(atNs, operator, knob, before, after, why, predicted, gain, kept);
  }
}
