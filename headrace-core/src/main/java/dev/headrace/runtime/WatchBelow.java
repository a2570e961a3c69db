package dev.headrace.runtime;

import dev.headrace.spi.Op;
import dev.headrace.spi.Recurring;
import dev.headrace.spi.Watch;
import java.util.HashMap;
import java.util.Map;

/**
 * Sums up what the threads below an operator do, from the counters there.
 *
 * <p><b>Threading:</b> plans may be opened by any thread; the rest is one thread's.
 */
final class WatchBelow implements Watch {
  /*
   * A thread is known by the operator whose crew it is of; the one that pulls the watching operator
   * by "". What a thread is inside of is known exactly, but for what workers pull before they do
   * their work, which is timed now and then. Of all that, waiting for other threads is taken off.
   *
   * Threads read ahead, so they may have done in an earlier time what is pulled in a later one.
   * Therefore what a thread takes is told for each of the elements that it handled itself, and those
   * are counted. It is told from the latest time alone, since everything is slow at first.
   */
  private static final String OWN = "";
  private static final int FEWEST = 8;

  private final Engine engine;
  private final String key;
  private final Map<String, Doer> threads = new HashMap<>();
  private Map<String, Counts> before;
  private long ownElements;
  private long ownNs;
  private volatile boolean hasSeenPassesDiffer;

  WatchBelow(Engine engine, String key) {
    this.engine = engine;
    this.key = key;
    this.before = engine.countsFrom(key);
  }

  /**
   * What is counted at an operator.
   *
   * @param timedNs of calls that gave {@code timedElements}, with what they pulled themselves
   * @param handled elements that its workers read or did something to
   * @param waitNs of those who had to wait for its workers
   * @param onlyPulls whether reading is all that its workers do
   * @param pullsInput whether it has workers now, who pull its input
   */
  record Counts(
      long elements,
      long timedElements,
      long timedNs,
      long handled,
      long handledNs,
      long waitNs,
      boolean onlyPulls,
      boolean pullsInput) {
    static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, false, false);
  }

  /** What a thread, or several alike, did since the watch began, and what it takes. */
  private static final class Doer {
    long handled;
    double eachNs;

    /** What was done since {@link #eachNs} was told. */
    long newly;

    double newlyNs;

    void did(long elements, double ns) {
      handled += Math.max(0, elements);
      newly += Math.max(0, elements);
      newlyNs += ns;
      if (newly >= FEWEST || (newly > 0 && handled == newly)) {
        eachNs = Math.max(0, newlyNs) / newly;
      }
      if (newly >= FEWEST) {
        newly = 0;
        newlyNs = 0;
      }
    }
  }

  @Override
  public double nsPerElement(long elements, long pullingNs) {
    Map<String, Counts> now = engine.countsFrom(key);
    Map<String, Double> waited = new HashMap<>();
    now.forEach(
        (place, counts) ->
            waited.merge(
                threadThatPulls(place, now),
                (double) counts.waitNs - before(place).waitNs,
                Double::sum));
    double inside = (double) pullingNs - ownNs;
    thread(OWN).did(elements - ownElements, inside - waited.getOrDefault(OWN, 0.0));
    now.forEach(
        (place, counts) -> {
          Counts then = before(place);
          double ns = (double) counts.handledNs - then.handledNs;
          if (!counts.onlyPulls && counts.pullsInput) {
            ns += pulledNs(place + ".0", now);
          }
          thread(place).did(counts.handled - then.handled, ns - waited.getOrDefault(place, 0.0));
        });
    before = now;
    ownElements = elements;
    ownNs = pullingNs;
    double ns = 0;
    for (Doer thread : threads.values()) {
      ns += thread.eachNs * thread.handled;
    }
    return ns / Math.max(1, elements);
  }

  private Counts before(String place) {
    return before.getOrDefault(place, Counts.NONE);
  }

  private Doer thread(String place) {
    return threads.computeIfAbsent(place, k -> new Doer());
  }

  /** Whose thread it is that pulls from an operator. */
  private String threadThatPulls(String place, Map<String, Counts> now) {
    String above = place;
    while (!above.equals(key)) {
      above = above.substring(0, above.lastIndexOf('.'));
      Counts puller = now.get(above);
      if (puller != null && puller.pullsInput) {
        return above;
      }
    }
    return OWN;
  }

  /** How long somebody was inside an operator, from the calls that were timed. */
  private double pulledNs(String place, Map<String, Counts> now) {
    Counts counts = now.get(place);
    if (counts == null) {
      return 0;
    }
    Counts then = before(place);
    long timed = counts.timedElements - then.timedElements;
    double each =
        timed > 0
            ? (double) (counts.timedNs - then.timedNs) / timed
            : counts.timedElements > 0 ? (double) counts.timedNs / counts.timedElements : 0;
    return each * (counts.elements - then.elements);
  }

  void opensChild(String at, Op child) {
    if (at.startsWith(key + ".") && !Recurring.isTheSameInEveryPass(child, order -> true)) {
      hasSeenPassesDiffer = true;
    }
  }

  @Override
  public boolean hasSeenPassesDiffer() {
    return hasSeenPassesDiffer;
  }

  @Override
  public void close() {
    engine.endWatch(this);
  }
}
