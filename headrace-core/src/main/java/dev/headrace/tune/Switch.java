package dev.headrace.tune;

/**
 * Threads that an operator could have, and can do without: the thread that pulls it then does its
 * work.
 *
 * <p><b>Threading:</b> used by the tuner's thread.
 */
public interface Switch {
  /** The operator's place in the plan that runs. */
  String key();

  /** The operator as users see it. */
  String operator();

  /** Whether the threads would only pull its input, and not call its function. */
  boolean onlyReadsAhead();

  /** Whether it has its threads. */
  boolean isOn();

  /** Gives it its threads, or takes them away. */
  void turn(boolean on);
}
