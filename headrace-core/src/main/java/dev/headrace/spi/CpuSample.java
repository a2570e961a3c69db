package dev.headrace.spi;

/**
 * What share of some calls was computing, from reading the thread's clock around few of them.
 *
 * <p><b>Threading:</b> one writer; others may read values that are a moment old.
 */
public final class CpuSample {
  /* Two readings cost about a microsecond: this keeps them under half a percent. */
  private static final long ALWAYS_NS = 250_000;
  private static final int MOST_UNREAD = 4095;

  private int unread;
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
   * @return how much of the call was computing, or −1 if nobody looked
   */
  public long end(long ns) {
    long before = begunAt;
    if (before < 0) {
      return -1;
    }
    begunAt = -1;
    long cpu = Math.clamp(ThreadClock.cpuNs() - before, 0, Math.max(0, ns));
    wallNs += ns;
    cpuNs += cpu;
    unread = (int) Math.min(MOST_UNREAD, ALWAYS_NS / (ns + 1));
    return cpu;
  }

  /** The wall time of the calls that were read, and {@link #cpuNs} what of it was computing. */
  public long wallNs() {
    return wallNs;
  }

  public long cpuNs() {
    return cpuNs;
  }
}
