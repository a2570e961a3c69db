package dev.headrace.bench;

/**
 * What one measured run took.
 *
 * @param cpuNs computed by all threads of the process
 */
public record Spent(double cpuNs, double wallNs) {

  /** What a run takes. */
  public static Spent on(Runnable run) {
    long cpu = CpuClock.processNs();
    long wall = System.nanoTime();
    run.run();
    long wallNs = System.nanoTime() - wall;
    return new Spent(CpuClock.processNs() - cpu, wallNs);
  }

  /** The same for one of {@code elements}. */
  public Spent each(long elements) {
    return new Spent(cpuNs / elements, wallNs / elements);
  }

  /** What this took beyond {@code other}. */
  Spent minus(Spent other) {
    return new Spent(cpuNs - other.cpuNs, wallNs - other.wallNs);
  }

  Spent over(double divisor) {
    return new Spent(cpuNs / divisor, wallNs / divisor);
  }

  static double[] cpu(Spent[] runs) {
    double[] values = new double[runs.length];
    for (int i = 0; i < runs.length; i++) {
      values[i] = runs[i].cpuNs;
    }
    return values;
  }

  static double[] wall(Spent[] runs) {
    double[] values = new double[runs.length];
    for (int i = 0; i < runs.length; i++) {
      values[i] = runs[i].wallNs;
    }
    return values;
  }
}
