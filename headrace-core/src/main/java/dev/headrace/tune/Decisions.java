package dev.headrace.tune;

/** Where the tuner says what it does. */
public interface Decisions {
  /**
   * A knob was turned.
   *
   * @param predicted how many times as fast the whole would be, or 0 where that is not known
   * @return a number to tell the outcome by
   */
  int turned(String operator, String knob, int before, int after, String why, double predicted);

  /**
   * What came of it.
   *
   * @param gain how many times as fast the whole was afterwards
   * @param kept whether it was left so
   */
  void measured(int decision, double gain, boolean kept);
}
