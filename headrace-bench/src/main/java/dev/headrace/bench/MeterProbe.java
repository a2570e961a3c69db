package dev.headrace.bench;

import java.util.Locale;

/**
 * Prints the CPU nanoseconds one element takes in a chain of seven operators.
 *
 * <p>A program of its own, because measuring is switched off when a JVM starts; see {@link
 * MeterRows}.
 */
final class MeterProbe {
  private static final int RUNS = 15;

  private MeterProbe() {}

  public static void main(String[] args) {
    Chains.warmUp();
    Measured chain = new Measured(Chains.maps(MeterRows.OPERATORS - 2)).warm().warm().warm();
    double[] cpuNs = new double[RUNS];
    for (int i = 0; i < RUNS; i++) {
      cpuNs[i] = chain.measure().cpuNs();
    }
    System.out.println(String.format(Locale.ROOT, "%.4f", Interval.of(cpuNs).median()));
  }
}
