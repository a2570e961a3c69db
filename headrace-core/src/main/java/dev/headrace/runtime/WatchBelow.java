package dev.headrace.runtime;

import dev.headrace.spi.Op;
import dev.headrace.spi.OpCounters;
import dev.headrace.spi.OpCounters.Spent;
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
  private Map<String, OpCounters> before;
  private long ownElements;
  private long ownNs;
  private volatile boolean hasSeenPassesDiffer;

  WatchBelow(Engine engine, String key) {
    this.engine = engine;
    this.key = key;
    this.before = engine.countersFrom(key);
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
    Map<String, OpCounters> now = engine.countersFrom(key);
    Map<String, Double> waited = new HashMap<>();
    now.forEach(
        (place, counts) ->
            waited.merge(
                threadThatPulls(place, now),
                (double) since(place, counts).crew().pulls().waits().ns(),
                Double::sum));
    double inside = (double) pullingNs - ownNs;
    thread(OWN).did(elements - ownElements, inside - waited.getOrDefault(OWN, 0.0));
    now.forEach(
        (place, counts) -> {
          Spent handled = since(place, counts).crew().work();
          double ns = handled.ns();
          if (!counts.crew().onlyPulls() && pullsInput(counts)) {
            ns += pulledNs(place + ".0", now);
          }
          thread(place).did(handled.count(), ns - waited.getOrDefault(place, 0.0));
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

  /** What was counted at an operator since the last look. */
  private OpCounters since(String place, OpCounters now) {
    OpCounters then = before.get(place);
    return then == null ? now : now.minus(then);
  }

  /** Whether an operator has workers now who pull its input. */
  private static boolean pullsInput(OpCounters counters) {
    OpCounters.Threads threads = counters.crew().threads();
    return threads != null && threads.pullsInput();
  }

  private Doer thread(String place) {
    return threads.computeIfAbsent(place, k -> new Doer());
  }

  /** Whose thread it is that pulls from an operator. */
  private String threadThatPulls(String place, Map<String, OpCounters> now) {
    String above = place;
    while (!above.equals(key)) {
      above = above.substring(0, above.lastIndexOf('.'));
      OpCounters puller = now.get(above);
      if (puller != null && pullsInput(puller)) {
        return above;
      }
    }
    return OWN;
  }

  /** How long somebody was inside an operator, from the calls that were timed. */
  private double pulledNs(String place, Map<String, OpCounters> now) {
    OpCounters counters = now.get(place);
    if (counters == null) {
      return 0;
    }
    OpCounters.Calls since = since(place, counters).calls();
    OpCounters.Timed timed =
        since.timed().elements() > 0 ? since.timed() : counters.calls().timed();
    double each = timed.elements() > 0 ? (double) timed.ns() / timed.elements() : 0;
    return each * since.elements();
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
