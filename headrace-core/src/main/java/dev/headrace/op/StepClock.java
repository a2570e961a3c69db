package dev.headrace.op;

import dev.headrace.spi.TransferMeter;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long the consumer's stream works on batches: from where it was ready for it to where
 * it was through with it, less what it waited for the batch itself.
 *
 * <p><b>Threading:</b> of the consumer's thread.
 *
 * <p><b>Ownership:</b> holds the marks it is given until they are measured, or it is closed.
 */
final class StepClock implements AutoCloseable {
  /** More steps than this are not waited for: the stream is far behind, and others will do. */
  private static final int MOST_PENDING = 32;

  /** A mark costs a small step a good part of its time, so they are not made for every one. */
  private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(500);

  private record Step(Mark start, Mark end, Transfer batch) {}

  private final ArrayDeque<Step> pending = new ArrayDeque<>();
  private @Nullable Mark latest;
  private @Nullable Transfer batch;
  private long latestNs = System.nanoTime() - PAUSE_NS;

  /** Whether the step that begins is to be measured, though that needs a mark of its own. */
  boolean wantsAnother() {
    return System.nanoTime() - latestNs >= PAUSE_NS;
  }

  /**
   * The stream will work on this batch.
   *
   * @param ended where it was through with the batch before, if that is known
   * @param ready where it is ready for this one; null if that is not to be measured
   */
  void begins(Transfer next, @Nullable Mark ended, @Nullable Mark ready, TransferMeter meter) {
    Mark start = latest;
    Transfer before = batch;
    if (start != null) {
      if (ended != null && before != null && pending.size() < MOST_PENDING) {
        pending.addLast(new Step(start, ended.held(), before));
      } else {
        start.close();
      }
    }
    if (ended != null) {
      ended.close();
    }
    latest = ready;
    latestNs = ready == null ? latestNs : System.nanoTime();
    batch = next;
    count(meter);
  }

  private void count(TransferMeter meter) {
    while (!pending.isEmpty()) {
      Step step = pending.peekFirst();
      if (!step.batch.isSettled() || !Transfer.hasArrived(step.end.event())) {
        return;
      }
      long ns = step.end.event().nanosSince(step.start.event());
      meter.stepped(Math.max(0, ns - step.batch.waitedNs()));
      drop(pending.removeFirst());
    }
  }

  private static void drop(Step step) {
    step.start.close();
    step.end.close();
  }

  @Override
  public void close() {
    pending.forEach(StepClock::drop);
    pending.clear();
    if (latest != null) {
      latest.close();
      latest = null;
    }
    batch = null;
  }
}
