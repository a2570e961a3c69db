package dev.headrace.runtime;

import dev.headrace.spi.OpCounters.Spent;
import dev.headrace.tune.Growth;
import dev.headrace.tune.Levels;
import dev.headrace.tune.SecondLook;
import java.util.concurrent.TimeUnit;

/**
 * Finds the number of workers for one AUTOTUNE crew from how its workers spend their time.
 *
 * <p>CPU time is measured; the share of time spent waiting is found by looking, again and again,
 * whether a worker that is inside its function waits. Time without a core is neither, so a loaded
 * machine does not make a computing function look like a waiting one.
 */
final class CrewWatch {
  /** Less waiting than this is what collectors and compilers do to any function. */
  private static final double TOO_LITTLE = 0.15;

  /** Waited for most of the time, the crew could not have done more. */
  private static final double MOSTLY = 0.5;

  /** Idle workers go after so long; later, if they were wanted again soon after they had gone. */
  private static final long FIRST_PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

  private static final long REGRET_NS = TimeUnit.SECONDS.toNanos(3);

  private static final long LONGEST_PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

  /** Calls that are not over by then wait long: it takes many of them. */
  private static final long LONG_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(50);

  /** How long it counts that more workers did not help. */
  private static final long CAP_NS = TimeUnit.SECONDS.toNanos(10);

  private final WorkerCrew crew;
  private final Engine engine;
  private final Looks looks;
  private final VirtualWatch virtual;
  private int lowVisits;
  private final Levels levels = new Levels();
  private final Growth growth = new Growth();
  private final SecondLook secondLook = new SecondLook();
  private long visitedNs;
  private Spent workSeen = Spent.NONE;
  private Spent waitsSeen = Spent.NONE;
  private long unwantedSince;
  private double busySum;
  private int busyLooks;
  private long patienceNs = FIRST_PATIENCE_NS;
  private long gaveBackNs;

  /**
   * How many there were before some went because nothing waited for them. They are wanted again
   * when something waits.
   */
  private int wantedAgain;

  private int cap;
  private long cappedUntil;

  CrewWatch(WorkerCrew crew, Engine engine) {
    this.crew = crew;
    this.engine = engine;
    this.looks = new Looks(crew);
    this.virtual = new VirtualWatch(this, crew, engine.settings());
  }

  WorkerCrew crew() {
    return crew;
  }

  void visit(long now) {
    long since = now - visitedNs;
    Spent work = crew.meter().work();
    Spent waits = crew.meter().waits();
    Spent done = work.minus(workSeen);
    Spent waited = waits.minus(waitsSeen);
    double busy = (double) done.ns() / Math.max(1, since);
    boolean isWaitedFor = crew.isWaitedFor();
    boolean wasWaitedFor = waited.count() > 0 || isWaitedFor;
    boolean isFirst = visitedNs == 0;
    visitedNs = now;
    workSeen = work;
    waitsSeen = waits;
    if (isFirst) {
      virtual.changed(now, work);
    }
    if (crew.isVirtual()) {
      virtual.visit(now, work, wasWaitedFor);
      return;
    }
    looks.look(now);
    if (!isFirst && wasWaitedFor) {
      unwantedSince = 0;
      if (waited.ns() > MOSTLY * since) { // else it could have done more
        levels.saw(crew.target(), done.count(), since, now);
      }
    }
    if (!wasWaitedFor && giveBack(now, busy)) {
      return;
    }
    if (wantedAgain > crew.target() && isWaitedFor) {
      takeBack(now);
      return;
    }
    if (isWaitedFor && looksAgain(now, busy, work)) {
      return;
    }
    if (looks.suffice()) {
      judge(now, work, isWaitedFor);
    }
  }

  /** Gives the crew as many workers as the looks say it needs. */
  private void judge(long now, Spent work, boolean isWaitedFor) {
    Settings settings = engine.settings();
    int before = crew.target();
    boolean tooLittle = looks.waiting() < TOO_LITTLE && before <= settings.cpuBudget();
    double share = tooLittle ? 1 : looks.cpuShare();
    int wished =
        Math.min(
            WorkerRule.workers(share, settings.cpuBudget(), settings.virtualLimit()),
            WorkerRule.besideLocks(before, looks.locked(), settings.cpuBudget()));
    // Calls that were begun together wait together: some must be over before they can be judged.
    boolean someAreOver = work.count() > 2L * before;
    boolean allWaitLong = work.count() == 0 && virtual.sinceChangeNs(now) > LONG_WAIT_NS;
    boolean goVirtual =
        looks.wouldUnmount()
            && wished > settings.threadLimit()
            && before >= settings.threadLimit() / 2
            && virtual.mayBegin(now)
            && (someAreOver || allWaitLong);
    int most = Math.min(wished, goVirtual ? settings.virtualLimit() : settings.threadLimit());
    int after = now < cappedUntil ? Math.min(most, cap) : most;
    boolean haveCores = looks.haveCores();
    boolean isComputing = share >= WorkerRule.COMPUTING;
    if (after > before * 1.2) {
      lowVisits = 0;
      boolean mayGrow = growth.mayGrow(now, work.count(), work.ns());
      if (isWaitedFor && haveCores && mayGrow) {
        growth.grew(now, work.count(), work.ns());
        secondLook.grew(now);
        learnPatience(now);
        change(before, Math.min(after, Math.max(before * 4, before + 2)), goVirtual, share);
        if (goVirtual) {
          virtual.begins(now, work);
        }
      }
    } else if ((isComputing && after < before) || (haveCores && after < before * 0.7)) {
      if (++lowVisits >= 5) {
        growth.shrank();
        wantedAgain = 0;
        change(before, Math.max(after, before * 3 / 4), false, share);
      }
    } else {
      lowVisits = 0;
      leaveThoseWhoDoNotHelp(now, before, after, share);
    }
  }

  /** Starts again with as many workers as cores, where it is time to. */
  private boolean looksAgain(long now, double busy, Spent work) {
    int before = crew.target();
    int cores = engine.settings().cpuBudget();
    double share = looks.computing();
    double computeNs = share * work.ns() / Math.max(1, work.count());
    if (!secondLook.isDue(now, before, cores, busy * share, computeNs)) {
      return false;
    }
    looks.forget();
    lowVisits = 0;
    wantedAgain = 0;
    growth.shrank();
    resize(
        before,
        cores,
        false,
        crew.cpuShare(),
        "a second look, now that code is compiled: how much of its time does it wait?");
    return true;
  }

  /** Lets workers go that nothing has waited for in a while, and that were mostly idle. */
  private boolean giveBack(long now, double busy) {
    if (unwantedSince == 0) {
      unwantedSince = now;
      busySum = 0;
      busyLooks = 0;
    }
    busySum += busy;
    busyLooks++;
    int before = crew.target();
    double mean = busySum / busyLooks;
    int enough = (int) Math.ceil(2 * mean) + 1;
    if (now - unwantedSince < patienceNs) {
      return false;
    }
    if (enough >= before) {
      unwantedSince = 0;
      return false;
    }
    unwantedSince = 0;
    gaveBackNs = now;
    wantedAgain = Math.max(wantedAgain, before);
    growth.shrank();
    resize(
        before,
        enough,
        false,
        crew.cpuShare(),
        "nobody waits for it, and %.1f were busy".formatted(mean));
    return true;
  }

  /** Brings back at once the workers that went when nothing waited for them: a pause is over. */
  private void takeBack(long now) {
    int before = crew.target();
    int after = now < cappedUntil ? Math.min(wantedAgain, cap) : wantedAgain;
    wantedAgain = 0;
    if (after > before) {
      learnPatience(now);
      growth.shrank();
      resize(before, after, false, crew.cpuShare(), "it is waited for again, as before");
    }
  }

  private void learnPatience(long now) {
    boolean tooEarly = gaveBackNs != 0 && now - gaveBackNs < REGRET_NS;
    patienceNs = tooEarly ? Math.min(LONGEST_PATIENCE_NS, 2 * patienceNs) : FIRST_PATIENCE_NS;
  }

  /** Goes back to fewer workers that were seen to be faster; and back, where they are not. */
  private void leaveThoseWhoDoNotHelp(long now, int before, int wished, double share) {
    int worthATrial = wished < before * 0.7 ? Math.max(wished, before * 3 / 4) : before;
    Levels.Better better = levels.better(before, worthATrial, now);
    if (better != null) {
      wantedAgain = 0;
      cap = better.workers();
      cappedUntil = better.workers() < before ? now + CAP_NS : 0;
      resize(before, better.workers(), false, share, better.why());
    }
  }

  /** Gives the crew as many workers as follow from the share of time its function computes. */
  void change(int before, int after, boolean asVirtual, double share) {
    resize(
        before,
        after,
        asVirtual,
        share,
        "its function computes %.0f %% of its time%s"
            .formatted(100 * share, asVirtual ? ": virtual threads" : ""));
  }

  /** Gives the crew so many workers, and notes why. */
  void resize(int before, int after, boolean asVirtual, double share, String why) {
    crew.resize(after, asVirtual, share);
    engine.knobTurned(crew.operator(), "workers", before, after, why);
  }
}
