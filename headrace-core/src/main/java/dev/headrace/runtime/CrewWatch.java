package dev.headrace.runtime;

import dev.headrace.tune.Growth;
import dev.headrace.tune.Levels;
import dev.headrace.tune.SecondLook;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Finds the number of workers for one AUTOTUNE crew from how its workers spend their time.
 *
 * <p>CPU time is measured; the share of time spent waiting is found by looking, again and again,
 * whether a worker that is inside its function waits. Time without a core is neither, so a loaded
 * machine does not make a computing function look like a waiting one.
 */
final class CrewWatch {
  private static final int LOOKS_PER_VISIT = 4;

  /** So many looks are enough where most saw waiting, so many where fewer did. */
  private static final double LEAST_LOOKS = 8;

  private static final double LEAST_LOOKS_IF_MIXED = 18;
  private static final double MOSTLY = 0.5;

  private static final double QUEUED = 0.4;

  /** Less waiting than this is what collectors and compilers do to any function. */
  private static final double TOO_LITTLE = 0.15;

  /** How fast old observations lose weight. */
  private static final double DECAY = 0.92;

  /** Idle workers go after so long; later, if they were wanted again soon after they had gone. */
  private static final long FIRST_PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

  private static final long REGRET_NS = TimeUnit.SECONDS.toNanos(3);

  private static final long LONGEST_PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

  /** Calls that are not over by then wait long: it takes many of them. */
  private static final long LONG_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final long SETTLING_NS = TimeUnit.MILLISECONDS.toNanos(50);

  /** More virtual threads must bring this, or they go again. */
  private static final double HELPED = 1.15;

  /** How long it counts that more workers did not help. */
  private static final long CAP_NS = TimeUnit.SECONDS.toNanos(10);

  private final WorkerCrew crew;
  private final Engine engine;
  private double busyNs;
  private double cpuNs;
  private double looks;
  private double blocked;
  private double parked;
  private int turn;
  private int lowVisits;
  private int stuckVisits;
  private final Levels levels = new Levels();
  private final Growth growth = new Growth();
  private final SecondLook secondLook = new SecondLook();
  private long visitedNs;
  private CrewMeter.Progress seen = CrewMeter.Progress.NONE;
  private long unwantedSince;
  private double busySum;
  private int busyLooks;
  private long patienceNs = FIRST_PATIENCE_NS;
  private long gaveBackNs;

  /**
   * How many there were before some went because nobody waited; they are wanted if somebody does.
   */
  private int wantedAgain;

  private long changedNs;
  private CrewMeter.Progress changedAt = CrewMeter.Progress.NONE;
  private long measuredFrom;
  private CrewMeter.Progress measuredAt = CrewMeter.Progress.NONE;
  private double rateBefore;
  private int beforeGrowing;
  private long platformUntil;
  private int cap;
  private long cappedUntil;

  CrewWatch(WorkerCrew crew, Engine engine) {
    this.crew = crew;
    this.engine = engine;
  }

  WorkerCrew crew() {
    return crew;
  }

  void visit(long now) {
    long since = now - visitedNs;
    CrewMeter.Progress progress = crew.meter().progress();
    long done = progress.elements() - seen.elements();
    double busy = (double) (progress.workNs() - seen.workNs()) / Math.max(1, since);
    long waited = progress.waitNs() - seen.waitNs();
    boolean isWaitedFor = crew.isWaitedFor();
    boolean wasWaitedFor = progress.waits() > seen.waits() || isWaitedFor;
    boolean isFirst = visitedNs == 0;
    visitedNs = now;
    seen = progress;
    if (isFirst) {
      changedNs = now;
      changedAt = progress;
    }
    if (crew.isVirtual()) {
      visitVirtual(now, progress, wasWaitedFor);
      return;
    }
    look(now);
    if (!isFirst && wasWaitedFor) {
      unwantedSince = 0;
      if (waited > MOSTLY * since) { // else it could have done more
        levels.saw(crew.target(), done, since, now);
      }
    }
    if (!wasWaitedFor && giveBack(now, busy)) {
      return;
    }
    if (wantedAgain > crew.target() && isWaitedFor) {
      takeBack(now);
      return;
    }
    if (isWaitedFor && looksAgain(now, busy, progress)) {
      return;
    }
    double waiting = looks == 0 ? 0 : blocked / looks;
    if (looks < leastLooks(waiting) || busyNs < 2e6) {
      return; // too little seen to judge
    }
    Settings settings = engine.settings();
    int before = crew.target();
    boolean tooLittle = waiting < TOO_LITTLE && before <= settings.cpuBudget();
    double share = tooLittle ? 1 : WorkerRule.cpuShare(cpuNs, busyNs * waiting);
    int wished = WorkerRule.workers(share, settings.cpuBudget(), settings.virtualLimit());
    boolean wouldUnmount = blocked > 0 && parked >= 0.75 * blocked;
    // Calls that were begun together wait together: some must be over before they can be judged.
    boolean someAreOver = progress.elements() > 2L * before;
    boolean allWaitLong = progress.elements() == 0 && now - changedNs > LONG_WAIT_NS;
    boolean goVirtual =
        wouldUnmount
            && wished > settings.threadLimit()
            && before >= settings.threadLimit() / 2
            && now >= platformUntil
            && (someAreOver || allWaitLong);
    int most = Math.min(wished, goVirtual ? settings.virtualLimit() : settings.threadLimit());
    int after = now < cappedUntil ? Math.min(most, cap) : most;
    // Where most of the time is spent ready, but without a core, more workers cannot help; nor can
    // it be seen well how much of it they wait.
    boolean hasCores = busyNs * (1 - waiting) - cpuNs < QUEUED * busyNs;
    boolean isComputing = share >= WorkerRule.COMPUTING;
    if (after > before * 1.2) {
      lowVisits = 0;
      boolean mayGrow = growth.mayGrow(now, progress.elements(), progress.workNs());
      if (isWaitedFor && hasCores && mayGrow) {
        growth.grew(now, progress.elements(), progress.workNs());
        secondLook.grew(now);
        learnPatience(now);
        change(before, Math.min(after, Math.max(before * 4, before + 2)), goVirtual, share);
        if (goVirtual) {
          changedNs = now;
          changedAt = progress;
          measuredFrom = 0;
          rateBefore = 0;
          beforeGrowing = 0;
        }
      }
    } else if ((isComputing && after < before) || (hasCores && after < before * 0.7)) {
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

  /** Begins anew with as many workers as cores, where it is time to. */
  private boolean looksAgain(long now, double busy, CrewMeter.Progress progress) {
    int before = crew.target();
    int cores = engine.settings().cpuBudget();
    double share = busyNs == 0 ? 0 : cpuNs / busyNs;
    double computeNs = share * progress.workNs() / Math.max(1, progress.elements());
    if (!secondLook.isDue(now, before, cores, busy * share, computeNs)) {
      return false;
    }
    looks = 0;
    blocked = 0;
    parked = 0;
    busyNs = 0;
    cpuNs = 0;
    lowVisits = 0;
    wantedAgain = 0;
    growth.shrank();
    crew.resize(cores, false, crew.cpuShare());
    engine.knobTurned(
        crew.operator(),
        "workers",
        before,
        cores,
        "a second look, now that code is compiled: how much of its time does it wait?");
    return true;
  }

  /** How many looks are enough; of few workers there are never many, because old ones fade. */
  private double leastLooks(double waiting) {
    double ever = Math.min(LOOKS_PER_VISIT, crew.target()) / (1 - DECAY);
    return Math.min(waiting > MOSTLY ? LEAST_LOOKS : LEAST_LOOKS_IF_MIXED, 0.8 * ever);
  }

  /** Lets workers go that nobody has waited for in a while, and that were mostly idle. */
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
    crew.resize(enough, false, crew.cpuShare());
    engine.knobTurned(
        crew.operator(),
        "workers",
        before,
        enough,
        "nobody waits for it, and %.1f were busy".formatted(mean));
    return true;
  }

  /** Lets those come back at once that went when nobody waited: a pause is over. */
  private void takeBack(long now) {
    int before = crew.target();
    int after = now < cappedUntil ? Math.min(wantedAgain, cap) : wantedAgain;
    wantedAgain = 0;
    if (after > before) {
      learnPatience(now);
      growth.shrank();
      crew.resize(after, false, crew.cpuShare());
      engine.knobTurned(
          crew.operator(), "workers", before, after, "it is waited for again, as before");
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
      crew.resize(better.workers(), false, share);
      engine.knobTurned(crew.operator(), "workers", before, better.workers(), better.why());
    }
  }

  /** Visits a few of the workers, others each time. */
  private void look(long now) {
    List<Worker> workers = crew.snapshot();
    busyNs *= DECAY;
    cpuNs *= DECAY;
    looks *= DECAY;
    blocked *= DECAY;
    parked *= DECAY;
    for (int i = 0; i < Math.min(LOOKS_PER_VISIT, workers.size()); i++) {
      turn = turn + 1 >= workers.size() ? 0 : turn + 1;
      Worker.Visit visit = workers.get(turn).visit(now);
      busyNs += visit.busyNs();
      cpuNs +=
          CpuClock.isAvailable()
              ? Math.min(visit.cpuNs(), visit.busyNs())
              : visit.blocked() ? 0 : visit.busyNs();
      if (visit.working()) {
        looks++;
        blocked += visit.blocked() ? 1 : 0;
        parked += visit.blocked() && visit.parked() ? 1 : 0;
      }
    }
  }

  private void visitVirtual(long now, CrewMeter.Progress progress, boolean wasWaitedFor) {
    Settings settings = engine.settings();
    int before = crew.target();
    double atOnce = (progress.workNs() - changedAt.workNs()) / Math.max(1.0, now - changedNs);
    stuckVisits = VirtualThreads.holdCarriers(atOnce) ? stuckVisits + 1 : 0;
    if (stuckVisits >= 3) {
      stuckVisits = 0;
      change(before, settings.threadLimit(), false, crew.cpuShare());
      return;
    }
    long done = progress.elements() - changedAt.elements();
    if (done == 0) {
      if (wasWaitedFor && before < settings.virtualLimit()) {
        grow(now, progress, before, 0);
      }
      return;
    }
    double each = (double) (progress.workNs() - changedAt.workNs()) / done;
    long settledNs = changedNs + (long) each + SETTLING_NS;
    if (now < settledNs) {
      return;
    }
    if (measuredFrom == 0) {
      measuredFrom = now;
      measuredAt = progress;
      return;
    }
    double looked = now - measuredFrom;
    if (looked < Math.max(each, SETTLING_NS) || !wasWaitedFor) {
      return;
    }
    double rate = (progress.elements() - measuredAt.elements()) / looked;
    if (rateBefore == 0 || rate > HELPED * rateBefore) {
      if (before < settings.virtualLimit()) {
        grow(now, progress, before, rate);
      } else {
        rateBefore = rate;
      }
    } else if (beforeGrowing > 0 && beforeGrowing < before) {
      int fewer = beforeGrowing;
      beforeGrowing = 0;
      rateBefore = rate;
      measuredFrom = 0;
      changedNs = now;
      changedAt = progress;
      boolean onPlatform = fewer <= settings.threadLimit();
      platformUntil = now + CAP_NS;
      crew.resize(fewer, !onPlatform, crew.cpuShare());
      engine.knobTurned(
          crew.operator(), "workers", before, fewer, "as fast as with four times as many");
    }
  }

  /** Tries four times as many virtual threads; {@code rate} is what those that are there do. */
  private void grow(long now, CrewMeter.Progress progress, int before, double rate) {
    beforeGrowing = before;
    rateBefore = rate;
    measuredFrom = 0;
    changedNs = now;
    changedAt = progress;
    int after = Math.min(engine.settings().virtualLimit(), before * 4);
    change(before, after, true, crew.cpuShare());
  }

  private void change(int before, int after, boolean virtual, double share) {
    crew.resize(after, virtual, share);
    engine.knobTurned(
        crew.operator(),
        "workers",
        before,
        after,
        "its function computes %.0f %% of its time%s"
            .formatted(100 * share, virtual ? ": virtual threads" : ""));
  }
}
