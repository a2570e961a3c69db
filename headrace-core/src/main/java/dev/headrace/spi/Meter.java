package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/**
 * What one running operator has done so far.
 *
 * <p>Counts are exact; times are those of the calls that were timed, scaled up. Of tiny calls few
 * are timed, drawn at random, so that measuring costs at most about half a percent.
 *
 * <p><b>Threading:</b> written by the thread that runs the cursor; others may read values that are
 * a moment old.
 */
public final class Meter {
  /*
   * Two reads of the clock cost about 50 ns, so that one call in a stretch of several is timed:
   * few enough that the clock stays under half a percent of the time. Which call of the stretch is
   * timed is drawn at random before the stretch begins, and the call counts as often as the stretch
   * is long. Whether a call is timed thus never depends on how long it takes, and the sums are
   * right on average for any mixture of short and long calls.
   */
  private static final long TIMED_ALWAYS_NS = 10_000;
  private static final int LONGEST_STRETCH = 256;

  /** The first elements are weighed, and then one timed call in so many. */
  private static final int FIRST_SIZED = 16;

  private static final int SIZED_EVERY = 32;

  private static final int SIZES_PER_DOUBLING = 4;
  private static final int SIZE_CLASSES = 48 * SIZES_PER_DOUBLING;

  /** Set to make every cursor run without timing, to measure what timing costs. */
  public static final boolean OFF = Boolean.getBoolean("headrace.meters.off");

  private long elements;
  private long failures;
  private long calls;
  private long timedCalls;
  private long timedElements;
  private long timedNs;
  private long timedWaitNs;
  private final Stretch stretch = new Stretch(TIMED_ALWAYS_NS, LONGEST_STRETCH);
  private int untimed;
  private final CpuSample cpu = new CpuSample();
  private final CpuSample laterCpu = new CpuSample();
  private long laterNs;
  private long sizedBytes;
  private long sized;
  private int unsized;
  private int @Nullable [] sizes;

  boolean wantsTime() {
    return !OFF && --untimed < 0;
  }

  boolean wantsSize() {
    return --unsized < 0;
  }

  void size(long bytes, int elements) {
    sizedBytes += bytes;
    sized += elements;
    int[] counts = sizes;
    if (counts == null) {
      counts = new int[SIZE_CLASSES];
      sizes = counts;
    }
    counts[sizeClass(bytes / Math.max(1, elements))] += elements;
    unsized = sized < FIRST_SIZED ? 0 : SIZED_EVERY;
  }

  CpuSample cpu() {
    return cpu;
  }

  /** How many calls the one that is timed now stands for. */
  int timedFor() {
    return stretch.length();
  }

  /**
   * Around computing, inside a call, what the function of another operator left to be computed
   * later.
   */
  public long beginLater() {
    laterCpu.begin();
    return System.nanoTime();
  }

  public void endLater(long begun) {
    long ns = System.nanoTime() - begun;
    long _ = laterCpu.end(ns);
    laterNs += ns;
  }

  void count(int added, int failed) {
    calls++;
    elements += added;
    failures += failed;
  }

  /**
   * Takes note of a call that was timed.
   *
   * @param waitedNs of it waiting for other threads of the pipeline
   */
  void time(long ns, long waitedNs, int added) {
    int calls = stretch.length();
    timedCalls += calls;
    timedElements += (long) calls * added;
    timedNs += calls * ns;
    timedWaitNs += calls * waitedNs;
    stretch.saw(ns, calls);
    untimed = stretch.next();
  }

  /** What was counted so far. A timed call counts as many times as the calls it stands for. */
  public OpCounters.Calls read() {
    return new OpCounters.Calls(
        elements,
        failures,
        totalNs(),
        new OpCounters.Timed(timedElements, timedNs, timedWaitNs),
        cpu.read(),
        new OpCounters.Later(laterNs, laterCpu.read()),
        new OpCounters.Sizes(sized, sizedBytes, bytesP99()));
  }

  /** The bytes that 99 of 100 elements do not pass, to about a fifth; 0 if none was weighed. */
  private long bytesP99() {
    int[] counts = sizes;
    if (counts == null) {
      return 0;
    }
    long above = 0;
    for (int i = SIZE_CLASSES - 1; i >= 0; i--) {
      above += counts[i];
      if (above * 100 > sized) {
        return Math.round(Math.pow(2, (i + 1.0) / SIZES_PER_DOUBLING));
      }
    }
    return 0;
  }

  private static int sizeClass(long bytes) {
    double log2 = Math.log(Math.max(1, bytes)) / Math.log(2);
    return (int) Math.min(SIZE_CLASSES - 1, log2 * SIZES_PER_DOUBLING);
  }

  /** Time spent in this operator and in those it pulled from, on the thread that called it. */
  private long totalNs() {
    if (timedElements > 0) {
      return Math.round((double) timedNs * Math.max(elements, timedElements) / timedElements);
    }
    return timedCalls == 0 ? 0 : Math.round((double) timedNs * calls / timedCalls);
  }
}
