package dev.headrace.tune;

import dev.headrace.data.Plural;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How fast a crew was with so many workers, as far as that was seen: what contention costs is
 * learned, not guessed.
 *
 * <p>Fewer workers may have been faster because the world was another one then: there were more
 * cores, or the function was not yet so slow. So going back to them is a trial: they are measured
 * again, and if they do not do more than those that went, those come back.
 */
public final class Levels {
  private static final double ENOUGH_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final double ENOUGH_ELEMENTS = 20;
  private static final long STALE_NS = TimeUnit.SECONDS.toNanos(5);

  /** Old times lose half of their weight with so much new. */
  private static final double MEMORY_NS = TimeUnit.SECONDS.toNanos(1);

  /** Fewer workers are better if they did so much more. */
  private static final double FASTER = 1.02;

  /** A trial is over at once if fewer workers do so little of what more did. */
  private static final double MUCH_SLOWER = 0.9;

  private static final double TRIAL_NS = TimeUnit.MILLISECONDS.toNanos(700);

  /** No other trial for so long after one that failed; twice as long after the next. */
  private static final long FIRST_HOLD_NS = TimeUnit.SECONDS.toNanos(10);

  private static final long LONGEST_HOLD_NS = TimeUnit.MINUTES.toNanos(5);

  private final TreeMap<Integer, Seen> seen = new TreeMap<>();
  private @Nullable Trial trial;
  private long heldUntilNs = Long.MIN_VALUE;
  private long holdNs = FIRST_HOLD_NS;

  private record Trial(int fewer, int before, double rateBefore) {}

  private record Seen(double elements, double ns, long lastNs) {
    double rate() {
      return elements / ns;
    }

    /** Whether it was seen long enough, and not too long ago. */
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

  /** Another number of workers, and why it is better. */
  public record Better(int workers, String why) {}

  /**
   * How many workers are better than these: the fewest that were faster, or those that went, if it
   * turns out that the fewer are not; null where nothing better is known.
   *
   * @param worthATrial fewer that may do as well, though they were never measured; or as many
   */
  public @Nullable Better better(int workers, int worthATrial, long nowNs) {
    Seen current = seen.get(workers);
    Trial running = trial;
    if (running != null && running.fewer != workers) {
      trial = null; // somebody else has changed the number
    }
    if (current == null) {
      return null;
    }
    if (running != null && running.fewer == workers) {
      return judged(running, current, nowNs);
    }
    if (nowNs < heldUntilNs || !current.isEnough(nowNs)) {
      return null;
    }
    Better faster = fewerAndFaster(workers, current, nowNs);
    if (faster == null && worthATrial < workers) {
      begin(worthATrial, workers, current);
      return new Better(worthATrial, "a trial: most of their time they are ready, without a core");
    }
    return faster;
  }

  private void begin(int fewer, int workers, Seen current) {
    trial = new Trial(fewer, workers, current.rate());
    seen.remove(fewer); // it is measured again
  }

  private @Nullable Better fewerAndFaster(int workers, Seen current, long nowNs) {
    for (Map.Entry<Integer, Seen> fewer : seen.headMap(workers).entrySet()) {
      Seen then = fewer.getValue();
      if (then.isEnough(nowNs) && then.rate() >= FASTER * current.rate()) {
        int less = fewer.getKey();
        begin(less, workers, current);
        return new Better(less, why(then.rate(), less, current.rate(), workers));
      }
    }
    return null;
  }

  private @Nullable Better judged(Trial running, Seen current, long nowNs) {
    double gain = current.rate() / running.rateBefore;
    boolean isClear = current.isEnough(nowNs) && gain < MUCH_SLOWER;
    if (!isClear && current.ns < TRIAL_NS) {
      return null; // too early to say
    }
    trial = null;
    if (gain >= FASTER) {
      holdNs = FIRST_HOLD_NS;
      return null;
    }
    heldUntilNs = nowNs + holdNs;
    holdNs = Math.min(LONGEST_HOLD_NS, 2 * holdNs);
    return new Better(
        running.before,
        "tried: " + why(current.rate(), running.fewer, running.rateBefore, running.before));
  }

  private static String why(double fewerRate, int fewer, double rate, int workers) {
    return "%,.0f %s a second with %d, %,.0f with %d"
        .formatted(
            1e9 * fewerRate,
            Plural.word(Math.round(1e9 * fewerRate), "element"),
            fewer,
            1e9 * rate,
            workers);
  }
}
