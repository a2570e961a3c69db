package dev.headrace.bench;

import dev.headrace.Pipeline;
import dev.headrace.data.Plural;
import dev.headrace.profile.KnobChange;
import dev.headrace.profile.OpStats;
import dev.headrace.profile.PipelineStats;
import dev.headrace.spi.Knob;
import dev.headrace.spi.OpCounters;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/**
 * One run of a pipeline, from when it had settled on.
 *
 * @param cores that the whole process used
 * @param tunerNs of CPU that the engine spent on looking after the pipeline
 * @param endedAt the numbers that its operators had at the end, in words
 */
record AutotuneRun(
    double msPerBatch,
    double cores,
    double seconds,
    double tunerNs,
    long heapPeakBytes,
    long nativePeakBytes,
    long memoryPeakBytes,
    List<KnobChange> decisions,
    String endedAt) {
  /** What a tuner may take before it is judged: whichever is over first. */
  private static final double SETTLING_SECONDS = 5;

  private static final long SETTLING_BATCHES = 200;

  /** The names of the threads that look after a pipeline begin like this. */
  private static final String TUNER = "headrace-governor";

  /** With every number left to the engine: the seconds that follow the first 5 s or 200 batches. */
  static AutotuneRun ofTuned(AutotunePipeline pipeline, Burn burn, double seconds) {
    int[] knobs = new int[pipeline.knobs().size()];
    Arrays.fill(knobs, Knob.AUTOTUNE);
    return of(
        pipeline,
        burn,
        knobs,
        seconds,
        (sinceOpenNs, batches) ->
            batches >= SETTLING_BATCHES || sinceOpenNs >= SETTLING_SECONDS * 1e9);
  }

  /** With these numbers, once they have had the time to take effect. */
  static AutotuneRun ofStatic(AutotunePipeline pipeline, Burn burn, double seconds, int... knobs) {
    double settlingNs = Math.min(0.3, seconds / 2) * 1e9;
    return of(
        pipeline,
        burn,
        knobs,
        seconds,
        (sinceOpenNs, batches) ->
            sinceOpenNs >= settlingNs
                && (batches >= pipeline.cycle() || sinceOpenNs > SETTLING_SECONDS * 1e9));
  }

  private interface Settled {
    boolean isSettled(long sinceOpenNs, long batches);
  }

  private static AutotuneRun of(
      AutotunePipeline pipeline, Burn burn, int[] knobs, double seconds, Settled settled) {
    System.gc(); // what earlier runs left behind is not this one's
    double longestNs = Math.max(2 * seconds, 4) * 1e9;
    long openedNs = System.nanoTime();
    try (Pipeline<?> running = pipeline.dataset(burn, knobs).open()) {
      Iterator<?> batches = running.iterator();
      long count = 0;
      Mark from = null;
      while (true) {
        Object batch = batches.next();
        count++;
        long now = System.nanoTime();
        if (from == null) {
          if (settled.isSettled(now - openedNs, count)) {
            from = Mark.now(count);
          }
        } else if (isOver(count - from.batches, now - from.wallNs, pipeline, seconds, longestNs)) {
          return between(from, Mark.now(count), running.stats());
        }
        if (batch != null) {
          pipeline.step().make(burn);
        }
      }
    }
  }

  /** Whole rounds of the costs, so that every run is of the same. */
  private static boolean isOver(
      long batches, long ns, AutotunePipeline pipeline, double seconds, double longestNs) {
    return ns >= seconds * 1e9 && (batches % pipeline.cycle() == 0 || ns >= longestNs);
  }

  private static AutotuneRun between(Mark from, Mark to, PipelineStats stats) {
    double wallNs = to.wallNs - from.wallNs;
    return new AutotuneRun(
        wallNs / 1e6 / (to.batches - from.batches),
        (to.cpuNs - from.cpuNs) / wallNs,
        wallNs / 1e9,
        to.tunerNs - from.tunerNs,
        stats.memory().heapPeakBytes(),
        stats.memory().nativePeakBytes(),
        stats.memory().peakBytes(),
        stats.knobChanges(),
        words(stats));
  }

  private static String words(PipelineStats stats) {
    List<String> words = new ArrayList<>();
    for (OpStats op : stats.operators()) {
      OpCounters.Stage stage = op.stage();
      if (stage != null) {
        String name = op.path().replaceAll(" *[(@].*", "");
        words.addFirst(
            op.word().equals("prefetch")
                ? "%s %d".formatted(name, stage.buffer().capacity())
                : "%s %d".formatted(name, stage.targetWorkers()));
      }
    }
    return String.join(", ", words);
  }

  /** The tuner's CPU time as a share of the time that passed. */
  double tunerOfWall() {
    return tunerNs / (seconds * 1e9);
  }

  /** The tuner's CPU time as a share of the process's. */
  double tunerOfCpu() {
    return tunerNs / (seconds * cores * 1e9);
  }

  /** What both accounts had at once at most, as a share of the budget. */
  double memoryShare() {
    return (double) memoryPeakBytes / AutotunePipeline.BUDGET_BYTES;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%.3f ms/batch (%.1f/s) over %.1f s, %.2f cores; peak %.1f MB heap, %.1f MB native; tuner"
            + " %.2f %% of a core; %d %s; ended at %s",
        msPerBatch,
        1e3 / msPerBatch,
        seconds,
        cores,
        heapPeakBytes / 1e6,
        nativePeakBytes / 1e6,
        100 * tunerOfWall(),
        decisions.size(),
        Plural.word(decisions.size(), "decision"),
        endedAt);
  }

  /** How far a run had come at some moment. */
  private record Mark(long batches, long tunerNs, long cpuNs, long wallNs) {
    static Mark now(long batches) {
      return new Mark(batches, tunerCpuNs(), CpuClock.processNs(), System.nanoTime());
    }

    private static long tunerCpuNs() {
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      long ns = 0;
      for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
        if (thread != null && thread.getThreadName().startsWith(TUNER)) {
          ns += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
        }
      }
      return ns;
    }
  }
}
