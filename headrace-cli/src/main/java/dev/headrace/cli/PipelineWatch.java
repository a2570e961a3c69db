package dev.headrace.cli;

import dev.headrace.Pipeline;
import dev.headrace.data.Plural;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.PipelineStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Looks at every pipeline that is opened while it is there.
 *
 * <p><b>Threading:</b> pipelines are opened and closed by any thread; the rest is for the
 * command's.
 */
final class PipelineWatch implements AutoCloseable {
  /**
   * One pipeline, as it was when it closed, or last.
   *
   * @param number from 1, in the order of opening
   */
  record Seen(int number, PipelineStats stats, Diagnosis diagnosis) {
    /** How long it was asked for elements. */
    double seconds() {
      return stats.time().elapsedNs() / 1e9;
    }
  }

  private final Consumer<Seen> closed;
  private final AutoCloseable watching;
  private final List<Pipeline<?>> open = new ArrayList<>();
  private final List<Pipeline<?>> all = new ArrayList<>();
  private final List<Seen> seen = new ArrayList<>();

  /**
   * Begins to watch.
   *
   * @param closed told of each pipeline that closes, by the thread that closes it
   */
  PipelineWatch(Consumer<Seen> closed) {
    this.closed = closed;
    this.watching = Pipeline.watchAll(this::opened, this::closing);
  }

  private synchronized void opened(Pipeline<?> pipeline) {
    open.add(pipeline);
    all.add(pipeline);
  }

  private void closing(Pipeline<?> pipeline) {
    Seen one;
    synchronized (this) {
      if (!open.removeIf(each -> each == pipeline)) {
        return;
      }
      one = lookAt(pipeline);
    }
    if (one.stats().elements() + one.stats().failures() > 0) {
      closed.accept(one);
    }
  }

  private Seen lookAt(Pipeline<?> pipeline) {
    PipelineStats stats = pipeline.stats();
    int number = 1;
    while (all.get(number - 1) != pipeline) {
      number++;
    }
    Seen one = new Seen(number, stats, pipeline.diagnose());
    seen.add(one);
    return one;
  }

  private synchronized List<Pipeline<?>> open() {
    return List.copyOf(open);
  }

  /** What the pipelines that are open have done so far. */
  List<PipelineStats> stats() {
    return open().stream().map(Pipeline::stats).toList();
  }

  /** A line of progress. */
  String line() {
    List<PipelineStats> now = stats();
    return now.isEmpty() ? "no pipeline is open" : line(now);
  }

  private static String line(List<PipelineStats> now) {
    PipelineStats stats = now.getLast();
    return String.format(
        Locale.ROOT,
        "epoch %d: %s, %s/s, waited %.0f %% of the time%s%s",
        Math.max(0, stats.epoch()),
        Plural.of(stats.elements(), "element"),
        rate(stats),
        100 * stats.waitShare(),
        stats.failures() == 0 ? "" : String.format(Locale.ROOT, ", %,d failed", stats.failures()),
        now.size() == 1
            ? ""
            : " (and %d more %s)"
                .formatted(now.size() - 1, Plural.word(now.size() - 1, "pipeline")));
  }

  /** Elements a second, for people. */
  static String rate(PipelineStats stats) {
    double rate = stats.rate();
    return String.format(Locale.ROOT, rate < 100 ? "%.1f" : "%,.0f", rate);
  }

  /** All pipelines that gave something, including those that were never closed. */
  synchronized List<Seen> finish() {
    for (Pipeline<?> left : List.copyOf(open)) {
      open.remove(left);
      lookAt(left);
    }
    return seen.stream()
        .filter(one -> one.stats().elements() + one.stats().failures() > 0)
        .sorted((a, b) -> Integer.compare(a.number(), b.number()))
        .toList();
  }

  @Override
  public void close() {
    try {
      watching.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
