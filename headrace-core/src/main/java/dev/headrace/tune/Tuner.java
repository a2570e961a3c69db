package dev.headrace.tune;

import dev.headrace.profile.Forecast;
import dev.headrace.profile.KnobChange;
import dev.headrace.profile.OpNode;
import dev.headrace.profile.Snapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Gives operators threads that the user did not ask for, where the diagnosis' model says that it
 * pays, one at a time; then measures, and takes them away again where it did not.
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

  /** Elements that take so many times as long as without threads are worth a trial without. */
  private static final double SLOWER = 1.05;

  /** Handing over costs too much where as much as is handed over at once takes less than this. */
  private static final double LEAST_PULL_NS = 60_000;

  private static final double MOST_AT_ONCE = 512;

  private final Decisions decisions;
  private final Map<String, Patience> patience = new HashMap<>();
  private @Nullable Snapshot from;
  private @Nullable Trial trial;
  private final ArrayDeque<Doubt> doubts = new ArrayDeque<>();
  private long firstNs = -1;

  /** What an element took when there were no threads yet; 0 where that was not seen. */
  private double withoutNs;

  private long nextLookNs = Long.MAX_VALUE;

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
    } else if (!settleDoubt(now, nsEach) && !takeAllAway(now, looked, nsEach, switches)) {
      consider(start, now, nsEach, nodes, cores, switches);
    }
    if (looked >= LONGEST_LOOK_NS) {
      from = now; // what happens now matters, not what happened long ago
    }
  }

  /** Whether a change is being measured, or will be. */
  public boolean isMeasuring() {
    return trial != null || !doubts.isEmpty() || (withoutNs > 0 && nextLookNs < Long.MAX_VALUE);
  }

  /**
   * Takes all threads away for a while, where an element takes longer than before there were any:
   * each may have seemed to help while something else changed. What was slower stays away.
   */
  private boolean takeAllAway(
      Snapshot now, long looked, double nsEach, List<? extends Switch> switches) {
    List<Switch> on = new ArrayList<>();
    for (Switch each : switches) {
      if (each.isOn()) {
        on.add(each);
      }
    }
    if (on.isEmpty()) {
      withoutNs = nsEach;
      nextLookNs = now.atNs() + FIRST_PATIENCE_NS;
      return false;
    }
    if (looked < LONGEST_LOOK_NS || now.atNs() < nextLookNs || nsEach < SLOWER * withoutNs) {
      return false;
    }
    nextLookNs = now.atNs() + LONGEST_PATIENCE_NS;
    Switch all = new Together(on);
    int decision =
        decisions.turned(
            all.operator(),
            KnobChange.THREADS,
            1,
            0,
            "elements take longer than before there were any: are they faster without?",
            0);
    all.turn(false);
    trial = new Trial(all, false, nsEach, decision, now.atNs() + SETTLING_NS);
    from = now;
    return true;
  }

  /** All threads that were given, as one. */
  private record Together(List<Switch> all) implements Switch {
    @Override
    public String key() {
      return all.getFirst().key();
    }

    @Override
    public String operator() {
      return all.stream().map(Switch::operator).collect(Collectors.joining(", "));
    }

    @Override
    public boolean onlyReadsAhead() {
      return all.stream().allMatch(Switch::onlyReadsAhead);
    }

    @Override
    public boolean isOn() {
      return all.getFirst().isOn();
    }

    @Override
    public void turn(boolean on) {
      all.forEach(each -> each.turn(on));
    }
  }

  private void judge(Trial done, double nsAfter, Snapshot now) {
    double gain = done.on ? done.nsBefore / nsAfter : nsAfter / done.nsBefore;
    boolean helped = gain >= HELPED;
    List<Switch> all = done.what instanceof Together some ? some.all() : List.of(done.what);
    if (helped) {
      all.forEach(each -> patience.remove(each.key()));
      done.what.turn(true);
      boolean early = now.atNs() - firstNs < WARM_UP_NS && nsAfter < LONG_ELEMENT_NS;
      if (done.on && (early || gain < CLEARLY)) {
        doubts.addLast(new Doubt(done.what, done.decision, now.atNs() + DOUBT_NS));
      }
    } else {
      done.what.turn(false);
      for (Switch each : all) {
        Patience before = patience.get(each.key());
        long length =
            before == null ? FIRST_PATIENCE_NS : Math.min(LONGEST_PATIENCE_NS, 2 * before.lengthNs);
        patience.put(each.key(), new Patience(now.atNs() + length, length));
      }
    }
    boolean isTakenAway = done.what instanceof Together;
    decisions.measured(done.decision, isTakenAway ? 1 / gain : gain, helped != isTakenAway);
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
    if (switches.stream().allMatch(Switch::isOn)) {
      return;
    }
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
            : "one thread calls its function, and it is the bottleneck";
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
