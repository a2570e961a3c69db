package dev.headrace.testing;

import dev.headrace.TrainingStep;
import dev.headrace.data.Plural;
import dev.headrace.data.RandomStream;
import dev.headrace.data.Seed;
import dev.headrace.spi.NanoClock;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A training step of a known time, as MLPerf Storage has it: to see whether a pipeline keeps up
 * with an accelerator that is not there.
 *
 * <pre>{@code
 * SyntheticStep accelerator = SyntheticStep.waiting(Duration.ofMillis(224)); // ResNet-50 on an H100
 * Training.fit(accelerator, train, epochs(5));
 * System.out.println(accelerator.utilisation()); // 1: it never waited for a batch
 * }</pre>
 *
 * <p>An interruption does not shorten a step; it is kept for the caller.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
public final class SyntheticStep implements TrainingStep<Object> {
  /** How late a sleeping thread may be woken; the rest is waited for awake. */
  private static final long AWAKE_NS = 120_000;

  private final long meanNs;
  private final double variation;
  private final @Nullable Seed seed;
  private final NanoClock clock;
  private final Pastime pastime;

  private long steps;
  private long askedNs;
  private long firstNs;
  private long lastNs;

  /** A way of spending a time, in one call. */
  @FunctionalInterface
  interface Pastime {
    void pass(long ns);
  }

  SyntheticStep(
      Duration time, double variation, @Nullable Seed seed, NanoClock clock, Pastime pastime) {
    this(checked(time), variation, seed, clock, pastime);
  }

  private SyntheticStep(
      long meanNs, double variation, @Nullable Seed seed, NanoClock clock, Pastime pastime) {
    this.meanNs = meanNs;
    this.variation = variation;
    this.seed = seed;
    this.clock = clock;
    this.pastime = pastime;
  }

  private static long checked(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(
          "SyntheticStep: expected a time of 0 or more, but got " + time);
    }
    return time.toNanos();
  }

  /** A step on an accelerator: this thread sleeps, and computes nothing. */
  public static SyntheticStep waiting(Duration time) {
    return new SyntheticStep(time, 0, null, NanoClock.SYSTEM, SyntheticStep::sleep);
  }

  /** A step on the CPU: this thread computes so long, and longer where it has to share its core. */
  public static SyntheticStep computing(Duration time) {
    return new SyntheticStep(time, 0, null, NanoClock.SYSTEM, SyntheticStep::compute);
  }

  /**
   * The same with times that differ from step to step: lognormal, with the same mean and this ratio
   * of standard deviation to mean. The time of a step depends on the seed and its number only.
   */
  public SyntheticStep withJitter(double coefficientOfVariation, Seed jitterSeed) {
    if (!(coefficientOfVariation >= 0 && coefficientOfVariation < Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "SyntheticStep.withJitter: expected a ratio of 0 or more, but got "
              + coefficientOfVariation);
    }
    return new SyntheticStep(meanNs, coefficientOfVariation, jitterSeed, clock, pastime);
  }

  @Override
  public void step(Object batch) {
    long ns = timeOf(steps);
    if (steps == 0) {
      firstNs = clock.nanoTime();
    }
    pastime.pass(ns);
    lastNs = clock.nanoTime();
    steps++;
    askedNs += ns;
  }

  /** How long step {@code number}, from 0, is to take. */
  private long timeOf(long number) {
    if (seed == null || variation == 0) {
      return meanNs;
    }
    double variance = Math.log1p(variation * variation);
    double normal = RandomStream.of(seed, 0, number).nextGaussian();
    return Math.round(meanNs * Math.exp(Math.sqrt(variance) * normal - variance / 2));
  }

  // ---- what it saw ------------------------------------------------------------------------------

  public long steps() {
    return steps;
  }

  /** The time that all steps were to take. */
  public Duration asked() {
    return Duration.ofNanos(askedNs);
  }

  /** From the start of the first step to the end of the last. */
  public Duration elapsed() {
    return Duration.ofNanos(lastNs - firstNs);
  }

  /**
   * Accelerator utilisation: the time that steps were to take, as a share of the time since the
   * first batch had come. What makes a step longer than asked counts against it.
   */
  public double utilisation() {
    long elapsed = lastNs - firstNs;
    return elapsed <= 0 ? 0 : Math.min(1, (double) askedNs / elapsed);
  }

  @Override
  public String toString() {
    return "%d %s of %s: accelerator utilisation %.1f %%"
        .formatted(
            steps, Plural.word(steps, "step"), Duration.ofNanos(meanNs), 100 * utilisation());
  }

  // ---- passing time -----------------------------------------------------------------------------

  private static void sleep(long ns) {
    long end = System.nanoTime() + ns;
    boolean wasInterrupted = false;
    for (long left = ns; left > 0; left = end - System.nanoTime()) {
      if (left > AWAKE_NS) {
        LockSupport.parkNanos(left - AWAKE_NS);
        wasInterrupted |= Thread.interrupted(); // or the next park would return at once
      } else {
        Thread.onSpinWait();
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void compute(long ns) {
    long start = CpuTime.ns();
    long x = start | 1;
    while (CpuTime.ns() - start < ns) {
      for (int i = 0; i < 2_000; i++) {
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
      }
    }
    if (x == 0) {
      throw new AssertionError("never 0; read so that the loop is not left out");
    }
  }

  /** How long this thread has computed; where the JVM does not tell, the time of day. */
  private static final class CpuTime {
    private static final boolean KNOWN = isKnown();

    private static boolean isKnown() {
      try {
        return ManagementFactory.getThreadMXBean().isCurrentThreadCpuTimeSupported();
      } catch (LinkageError e) {
        return false; // a runtime image without java.management
      }
    }

    static long ns() {
      long cpu =
          KNOWN && !Thread.currentThread().isVirtual()
              ? ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime()
              : -1;
      return cpu < 0 ? System.nanoTime() : cpu;
    }
  }
}
