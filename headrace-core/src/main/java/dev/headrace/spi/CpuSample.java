package dev.headrace.spi;

/**
 * What share of some calls was computing, from reading the thread's clock around few of them.
 *
 * <p><b>Threading:</b> one writer; others may read values that are a moment old.
 */
public final class CpuSample {
  /* Two readings cost about a microsecond: this keeps them under half a percent. */
  private static final long ALWAYS_NS = 250_000;
  private static final int LONGEST_STRETCH = 4096;

  private final Stretch stretch = new Stretch(ALWAYS_NS, LONGEST_STRETCH);
  private int unread;
  private int weight = 1;
  private long begunAt = -1;
  private long wallNs;
  private long cpuNs;

  /** Reads the clock, if it is time to. */
  public void begin() {
    begunAt = --unread < 0 && !Meter.OFF ? ThreadClock.cpuNs() : -1;
  }

  /**
   * Reads it again after a call that took {@code ns}, if {@link #begin} did.
   *
   * @return how much of the call was computing, or −1 if it was not sampled
   */
  public long end(long ns) {
    return end(ns, 1);
  }

  /**
   * As {@link #end(long)}, of a call that stands for several.
   *
   * @param calls how many it stands for
   */
  long end(long ns, int calls) {
    stretch.saw(ns, 1);
    long before = begunAt;
    if (before < 0) {
      return -1;
    }
    begunAt = -1;
    long cpu = Math.clamp(ThreadClock.cpuNs() - before, 0, Math.max(0, ns));
    weight = stretch.length() * calls;
    wallNs += weight * ns;
    cpuNs += weight * cpu;
    unread = stretch.next();
    return cpu;
  }

  /** How many calls the one that was read last stands for. */
  public int weight() {
    return weight;
  }

  /** The calls whose clock was read, each as often as it counts. */
  public OpCounters.Sampled read() {
    return new OpCounters.Sampled(wallNs, cpuNs);
  }
}
