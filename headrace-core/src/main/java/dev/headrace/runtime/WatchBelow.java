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
 * Sums up what the operators below one have done, from their counters.
 *
 * <p><b>Threading:</b> plans may be opened by any thread; the rest is one thread's.
 */
final class WatchBelow implements Watch {
  private final Engine engine;
  private final String key;
  private Map<String, Snapshot.Op> before;
  private volatile boolean hasSeenPassesDiffer;

  WatchBelow(Engine engine, String key) {
    this.engine = engine;
    this.key = key;
    this.before = byKey(engine.countersFrom(key));
  }

  private static Map<String, Snapshot.Op> byKey(List<Snapshot.Op> counters) {
    Map<String, Snapshot.Op> map = new HashMap<>();
    counters.forEach(op -> map.put(op.key(), op));
    return map;
  }

  /*
   * Each thread is counted once: at the operator that it pulls first, with everything that this one
   * pulls on the same thread, less the time it was blocked, because what it waited for is counted
   * where that was done; and what workers do to chunks in hand.
   */
  @Override
  public long workedNs() {
    Map<String, Snapshot.Op> now = byKey(engine.countersFrom(key));
    double ns = 0;
    for (Snapshot.Op op : now.values()) {
      Snapshot.Op then = before.get(op.key());
      if (!op.key().equals(key)) {
        ns += (isPulledFirst(op.key(), now) ? inclusiveNs(op, then) : 0) - blockedNs(op, then);
      }
      ns += workNs(op, then);
    }
    before = now;
    return Math.max(0, Math.round(ns));
  }

  private boolean isPulledFirst(String operator, Map<String, Snapshot.Op> now) {
    String above = operator.substring(0, operator.lastIndexOf('.'));
    Snapshot.Op puller = now.get(above);
    Snapshot.Crew crew = puller == null ? null : puller.crew();
    return above.equals(key) || (crew != null && crew.pullsInput());
  }

  private static double inclusiveNs(Snapshot.Op op, Snapshot.@Nullable Op then) {
    long timed = op.timedElements() - (then == null ? 0 : then.timedElements());
    long timedNs = op.timedNs() - (then == null ? 0 : then.timedNs());
    long elements = op.elements() - (then == null ? 0 : then.elements());
    double each =
        timed > 0
            ? (double) timedNs / timed
            : op.timedElements() > 0 ? (double) op.timedNs() / op.timedElements() : 0;
    return each * elements;
  }

  private static double blockedNs(Snapshot.Op op, Snapshot.@Nullable Op then) {
    Snapshot.Crew crew = op.crew();
    Snapshot.Crew earlier = then == null ? null : then.crew();
    return crew == null ? 0 : crew.waitNs() - (earlier == null ? 0 : earlier.waitNs());
  }

  private static double workNs(Snapshot.Op op, Snapshot.@Nullable Op then) {
    Snapshot.Crew crew = op.crew();
    Snapshot.Crew earlier = then == null ? null : then.crew();
    return crew == null || crew.onlyPulls()
        ? 0
        : crew.workNs() - (earlier == null ? 0 : earlier.workNs());
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
