package dev.headrace.runtime;

import dev.headrace.profile.Snapshot;
import dev.headrace.spi.Op;
import dev.headrace.spi.Recurring;
import dev.headrace.spi.Watch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sums up what the operators below one take, from their counters.
 *
 * <p><b>Threading:</b> plans may be opened by any thread; the rest is one thread's.
 */
final class WatchBelow implements Watch {
  private final Engine engine;
  private final String key;
  private final Map<String, Seen> operators = new HashMap<>();
  private volatile boolean hasSeenPassesDiffer;

  WatchBelow(Engine engine, String key) {
    this.engine = engine;
    this.key = key;
    engine.countersFrom(key).forEach(op -> operators.put(op.key(), new Seen(op)));
  }

  /** What was seen of an operator. What it takes is what it took when it last did something. */
  private static final class Seen {
    final Snapshot.Op first;
    Snapshot.Op last;
    double pullNs;
    double workNs;

    Seen(Snapshot.Op first) {
      this.first = first;
      this.last = first;
    }
  }

  @Override
  public double nsPerElement(long elements) {
    List<Snapshot.Op> now = engine.countersFrom(key);
    Map<String, Snapshot.Op> byKey = new HashMap<>();
    now.forEach(op -> byKey.put(op.key(), op));
    double ns = 0;
    for (Snapshot.Op op : now) {
      Seen seen = operators.computeIfAbsent(op.key(), k -> new Seen(op));
      look(seen, op, isPulledFirst(op.key(), byKey));
      ns += seen.pullNs * (op.elements() - seen.first.elements());
      ns += seen.workNs * (worked(op) - worked(seen.first));
    }
    return ns / Math.max(1, elements);
  }

  /*
   * Each thread is counted once: at the operator that it pulls first, with everything that this one
   * pulls on the same thread, less the time that any of them was blocked, because what it waited
   * for is counted where that was done; and what workers do to chunks in hand.
   */
  private void look(Seen seen, Snapshot.Op op, boolean isPulledFirst) {
    Snapshot.Op then = seen.last;
    long elements = op.elements() - then.elements();
    if (elements > 0 && !op.key().equals(key)) {
      seen.pullNs = (isPulledFirst ? pulledEachNs(op, then) : 0) - blockedNs(op, then) / elements;
    }
    long works = worked(op) - worked(then);
    if (works > 0) {
      seen.workNs = (workedNs(op) - workedNs(then)) / works;
    }
    seen.last = op;
  }

  private boolean isPulledFirst(String operator, Map<String, Snapshot.Op> now) {
    int dot = operator.lastIndexOf('.');
    String above = dot < 0 ? "" : operator.substring(0, dot);
    Snapshot.Op puller = now.get(above);
    Snapshot.Crew crew = puller == null ? null : puller.crew();
    return above.equals(key) || (crew != null && crew.pullsInput());
  }

  private static double pulledEachNs(Snapshot.Op op, Snapshot.Op then) {
    long timed = op.timedElements() - then.timedElements();
    return timed > 0
        ? (double) (op.timedNs() - then.timedNs()) / timed
        : op.timedElements() > 0 ? (double) op.timedNs() / op.timedElements() : 0;
  }

  private static double blockedNs(Snapshot.Op op, Snapshot.Op then) {
    Snapshot.Crew crew = op.crew();
    Snapshot.Crew earlier = then.crew();
    return crew == null ? 0 : crew.waitNs() - (earlier == null ? 0 : earlier.waitNs());
  }

  private static long worked(Snapshot.Op op) {
    Snapshot.Crew crew = working(op);
    return crew == null ? 0 : crew.workElements();
  }

  private static double workedNs(Snapshot.Op op) {
    Snapshot.Crew crew = working(op);
    return crew == null ? 0 : crew.workNs();
  }

  /** Those who do something to elements, and do not only pull them. */
  private static Snapshot.@Nullable Crew working(Snapshot.Op op) {
    Snapshot.Crew crew = op.crew();
    return crew == null || crew.onlyPulls() ? null : crew;
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
