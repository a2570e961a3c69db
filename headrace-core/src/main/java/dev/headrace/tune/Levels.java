package dev.headrace.tune;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * How fast a crew was with so many workers, as far as that was seen: what contention costs is
 * learned, not guessed.
 */
public final class Levels {
  private static final double ENOUGH_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final double ENOUGH_ELEMENTS = 20;
  private static final long STALE_NS = TimeUnit.SECONDS.toNanos(5);

  /** Old times lose half of their weight with so much new. */
  private static final double MEMORY_NS = TimeUnit.SECONDS.toNanos(1);

  /** Fewer workers are better if they did so much more. */
  private static final double FASTER = 1.02;

  private final TreeMap<Integer, Seen> seen = new TreeMap<>();

  private record Seen(double elements, double ns, long lastNs) {
    double rate() {
      return elements / ns;
    }

    boolean isEnough(long nowNs) {
      return ns >= ENOUGH_NS && elements >= ENOUGH_ELEMENTS && nowNs - lastNs < STALE_NS;
    }
  }

  /** So many workers did so many elements in so long, while somebody waited for them. */
  public void saw(int workers, double elements, double ns, long nowNs) {
    Seen before = seen.get(workers);
    double keep = before == null ? 0 : Math.pow(0.5, ns / MEMORY_NS);
    seen.put(
        workers,
        before == null
            ? new Seen(elements, ns, nowNs)
            : new Seen(before.elements * keep + elements, before.ns * keep + ns, nowNs));
  }

  /** The fewest workers that were faster than these; these themselves where none were. */
  public int fewerAndFaster(int workers, long nowNs) {
    Seen current = seen.get(workers);
    if (current == null || !current.isEnough(nowNs)) {
      return workers;
    }
    for (Map.Entry<Integer, Seen> fewer : seen.headMap(workers).entrySet()) {
      if (fewer.getValue().isEnough(nowNs) && fewer.getValue().rate() >= FASTER * current.rate()) {
        return fewer.getKey();
      }
    }
    return workers;
  }

  /** How many elements a second so many workers did; 0 where that was not seen. */
  public double rate(int workers) {
    Seen of = seen.get(workers);
    return of == null ? 0 : 1e9 * of.rate();
  }
}
