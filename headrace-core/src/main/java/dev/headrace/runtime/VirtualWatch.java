package dev.headrace.runtime;

import dev.headrace.spi.OpCounters.Spent;
import java.util.concurrent.TimeUnit;

/**
 * Finds how many virtual threads an AUTOTUNE crew should have: four times as many as long as that
 * brings something, back to those before where it does not, and platform threads again where they
 * hold their carriers.
 *
 * <p><b>Threading:</b> one thread, the governor's.
 */
final class VirtualWatch {
  private static final long SETTLING_NS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Three visits in a row, or it was chance. */
  private static final int STUCK_VISITS = 3;

  /** More virtual threads must bring this, or they go again. */
  private static final double HELPED = 1.15;

  /** How long it counts that more did not help. */
  private static final long NOT_AGAIN_NS = TimeUnit.SECONDS.toNanos(10);

  private final CrewWatch watch;
  private final WorkerCrew crew;
  private final Settings settings;
  private int stuckVisits;
  private long changedNs;
  private Spent changedAt = Spent.NONE;
  private long measuredFrom;
  private Spent measuredAt = Spent.NONE;
  private double rateBefore;
  private int beforeGrowing;
  private long notBeforeNs;

  VirtualWatch(CrewWatch watch, WorkerCrew crew, Settings settings) {
    this.watch = watch;
    this.crew = crew;
    this.settings = settings;
  }

  /** Whether virtual threads may be tried. */
  boolean mayBegin(long now) {
    return now >= notBeforeNs;
  }

  /** Takes note that from now on, and with so much done, there are other virtual threads. */
  void changed(long now, Spent work) {
    changedNs = now;
    changedAt = work;
    measuredFrom = 0;
  }

  /** The time since virtual threads last changed, or since the first visit. */
  long sinceChangeNs(long now) {
    return now - changedNs;
  }

  /** Begins with virtual threads of which nothing is known. */
  void begins(long now, Spent work) {
    changed(now, work);
    rateBefore = 0;
    beforeGrowing = 0;
  }

  /** Looks at what was done since the last visit, and changes the crew where that is due. */
  void visit(long now, Spent work, boolean wasWaitedFor) {
    int before = crew.target();
    Spent done = work.minus(changedAt);
    double atOnce = done.ns() / Math.max(1.0, now - changedNs);
    stuckVisits = VirtualThreads.holdCarriers(atOnce) ? stuckVisits + 1 : 0;
    if (stuckVisits >= STUCK_VISITS) {
      stuckVisits = 0;
      watch.change(before, settings.threadLimit(), false, crew.cpuShare());
      return;
    }
    if (done.count() == 0) {
      if (wasWaitedFor && before < settings.virtualLimit()) {
        grow(now, work, before, 0);
      }
      return;
    }
    double each = done.each();
    if (now < changedNs + (long) each + SETTLING_NS) {
      return;
    }
    if (measuredFrom == 0) {
      measuredFrom = now;
      measuredAt = work;
      return;
    }
    double looked = now - measuredFrom;
    if (looked < Math.max(each, SETTLING_NS) || !wasWaitedFor) {
      return;
    }
    double rate = work.minus(measuredAt).count() / looked;
    if (rateBefore == 0 || rate > HELPED * rateBefore) {
      if (before < settings.virtualLimit()) {
        grow(now, work, before, rate);
      } else {
        rateBefore = rate;
      }
    } else if (beforeGrowing > 0 && beforeGrowing < before) {
      goBack(now, work, before, rate);
    }
  }

  /** Tries four times as many; {@code rate} is what those that are there do. */
  private void grow(long now, Spent work, int before, double rate) {
    beforeGrowing = before;
    rateBefore = rate;
    changed(now, work);
    watch.change(before, Math.min(settings.virtualLimit(), before * 4), true, crew.cpuShare());
  }

  private void goBack(long now, Spent work, int before, double rate) {
    int fewer = beforeGrowing;
    beforeGrowing = 0;
    rateBefore = rate;
    changed(now, work);
    notBeforeNs = now + NOT_AGAIN_NS;
    watch.resize(
        before,
        fewer,
        fewer > settings.threadLimit(),
        crew.cpuShare(),
        "as fast as with four times as many");
  }
}
