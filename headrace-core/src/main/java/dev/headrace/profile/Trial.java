package dev.headrace.profile;

/**
 * A change that was made and measured.
 *
 * @param before how it was, and {@code after} how it is with the change
 */
public record Trial(Advice advice, Diagnosis before, Diagnosis after) {
  /** Two measurements of the same differ by as much. */
  private static final double CHANCE = 0.02;

  /** How many times as fast it became. */
  public double measured() {
    return after.profile().rate() / before.profile().rate();
  }

  /** How many times as fast it was predicted to become. */
  public double predicted() {
    return advice.speedup();
  }

  /**
   * Whether the change is worth keeping: it made the pipeline faster, or took out something without
   * making it slower.
   */
  public boolean helped() {
    return measured() >= (advice.action() == Advice.Action.REMOVE ? 1 - CHANCE : 1 + CHANCE);
  }

  /** How far off the prediction was: 0.1 where it was a tenth too high, −0.1 too low. */
  public double error() {
    return predicted() / measured() - 1;
  }
}
