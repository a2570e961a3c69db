package dev.headrace.tune;

import dev.headrace.profile.Forecast;
import dev.headrace.profile.KnobChange;
import dev.headrace.profile.OpNode;
import dev.headrace.profile.Snapshot;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives operators threads that nobody asked for, where the diagnosis' model says that it pays, one
 * at a time; then measures, and takes them away again where it did not.
 *
 * <p><b>Threading:</b> for one thread, which is not the consumer's.
 */
public final class Tuner {
  private static final long SHORTEST_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(150);
  private static final long TRIAL_NS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final long LONGEST_LOOK_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long SETTLING_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long FIRST_PATIENCE_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long LONGEST_PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

  /** So much is worth a thread and its hand-overs. */
  private static final double WORTH_IT = 1.08;

  /** What a change must have brought at least, so that it was not chance. */
  private static final double HELPED = 1.03;

  /** A gain like this is no chance. */
  private static final double CLEARLY = 1.3;

  /** Before, code is being compiled, and whatever is changed seems to help. */
  private static final long WARM_UP_NS = TimeUnit.SECONDS.toNanos(1);

  /** Elements that take longer do so because of what they do, not because of how it is compiled. */
  private static final double LONG_ELEMENT_NS = 300_000;

  private static final long DOUBT_NS = TimeUnit.MILLISECONDS.toNanos(1_500);

  private static final int ENOUGH_DELIVERED = 8;

  /** Handing over costs too much where as much as is handed over at once takes less than this. */
  private static final double LEAST_PULL_NS = 60_000;

  private static final double MOST_AT_ONCE = 512;

  private final Decisions decisions;
  private final Map<String, Patience> patience = new HashMap<>();
  private @Nullable Snapshot from;
  private @Nullable Trial trial;
  private final ArrayDeque<Doubt> doubts = new ArrayDeque<>();
  private long firstNs = -1;

  /** A change that is being measured: threads given, or taken away to see whether they help. */
  private record Trial(Switch what, boolean on, double nsBefore, int decision, long settledNs) {}

  /** Threads that seemed to help, but by so little, or so early, that it may have been chance. */
  private record Doubt(Switch what, int decision, long untilNs) {}

  /** How long to leave a knob alone that was turned in vain. */
  private record Patience(long untilNs, long lengthNs) {}

  public Tuner(Decisions decisions) {
    this.decisions = decisions;
  }

  /**
   * Looks at what was measured, and may turn one knob.
   *
   * @param now what everybody has done so far
   * @param switches what may be turned
   */
  public void visit(
      Snapshot now, List<OpNode> nodes, double cores, List<? extends Switch> switches) {
    firstNs = firstNs < 0 ? now.atNs() : firstNs;
    Snapshot start = from;
    if (start == null || start.operators().size() != now.operators().size()) {
      from = now;
      return;
    }
    Trial running = trial;
    if (running != null && start.atNs() < running.settledNs) {
      from = now.atNs() >= running.settledNs ? now : start; // measured from when it has settled
      return;
    }
    long looked = now.atNs() - start.atNs();
    long delivered = now.delivered() - start.delivered();
    long needed = running == null ? SHORTEST_LOOK_NS : TRIAL_NS;
    boolean enough =
        looked >= needed && delivered >= ENOUGH_DELIVERED
            || looked >= LONGEST_LOOK_NS && delivered >= 2;
    if (!enough) {
      return;
    }
    double nsEach = (double) looked / delivered;
    if (running != null) {
      trial = null;
      judge(running, nsEach, now);
    } else if (!settleDoubt(now, nsEach)) {
      consider(start, now, nsEach, nodes, cores, switches);
    }
    if (looked >= LONGEST_LOOK_NS) {
      from = now; // what happens now matters, not what happened long ago
    }
  }

  /** Whether a change is being measured, or will be. */
  public boolean isMeasuring() {
    return trial != null || !doubts.isEmpty();
  }

  private void judge(Trial done, double nsAfter, Snapshot now) {
    double gain = done.on ? done.nsBefore / nsAfter : nsAfter / done.nsBefore;
    boolean helped = gain >= HELPED;
    String key = done.what.key();
    if (helped) {
      patience.remove(key);
      done.what.turn(true);
      boolean early = now.atNs() - firstNs < WARM_UP_NS && nsAfter < LONG_ELEMENT_NS;
      if (done.on && (early || gain < CLEARLY)) {
        doubts.addLast(new Doubt(done.what, done.decision, now.atNs() + DOUBT_NS));
      }
    } else {
      done.what.turn(false);
      Patience before = patience.get(key);
      long length =
          before == null ? FIRST_PATIENCE_NS : Math.min(LONGEST_PATIENCE_NS, 2 * before.lengthNs);
      patience.put(key, new Patience(now.atNs() + length, length));
    }
    decisions.measured(done.decision, gain, helped);
    from = now;
  }

  /** Takes threads away for a moment, to measure whether they help, now that code is compiled. */
  private boolean settleDoubt(Snapshot now, double nsEach) {
    Doubt open = doubts.peekFirst();
    if (open == null || now.atNs() < open.untilNs) {
      return false;
    }
    doubts.removeFirst();
    open.what.turn(false);
    trial = new Trial(open.what, false, nsEach, open.decision, now.atNs() + SETTLING_NS);
    from = now;
    return true;
  }

  private void consider(
      Snapshot start,
      Snapshot now,
      double nsEach,
      List<OpNode> nodes,
      double cores,
      List<? extends Switch> switches) {
    Forecast asItIs = Forecast.of(nodes, start, now, cores);
    Switch best = null;
    double most = WORTH_IT;
    for (Switch candidate : switches) {
      int operator = indexOf(candidate.key(), nodes);
      Patience left = patience.get(candidate.key());
      if (candidate.isOn() || operator < 0 || (left != null && now.atNs() < left.untilNs)) {
        continue;
      }
      if (MOST_AT_ONCE * asItIs.nsOfOne(operator) < LEAST_PULL_NS) {
        continue;
      }
      Forecast changed =
          candidate.onlyReadsAhead() ? asItIs.readingAhead(operator) : asItIs.withThreads(operator);
      double gain = asItIs.ns() / changed.ns();
      if (gain > most) {
        most = gain;
        best = candidate;
      }
    }
    if (best == null) {
      return;
    }
    String why =
        best.onlyReadsAhead()
            ? String.format(
                Locale.ROOT,
                "reading and the consumer's own %.1f ms follow each other; side by side they take"
                    + " less",
                asItIs.stepNs() / 1e6)
            : "one thread calls its function, and that is what everybody waits for";
    int decision = decisions.turned(best.operator(), KnobChange.THREADS, 0, 1, why, most);
    best.turn(true);
    trial = new Trial(best, true, nsEach, decision, now.atNs() + SETTLING_NS);
    from = now;
  }

  private static int indexOf(String key, List<OpNode> nodes) {
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.get(i).key().equals(key)) {
        return i;
      }
    }
    return -1;
  }
}
