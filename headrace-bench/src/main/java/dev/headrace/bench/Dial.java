package dev.headrace.bench;

/**
 * Makes something cost more or less while it runs.
 *
 * <p><b>Threading:</b> turned by one thread, read by any.
 */
final class Dial {
  private volatile double factor = 1;

  void turnTo(double times) {
    factor = times;
  }

  double factor() {
    return factor;
  }
}
