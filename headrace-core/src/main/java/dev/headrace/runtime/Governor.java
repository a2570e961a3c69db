package dev.headrace.runtime;

import dev.headrace.spi.Causes;
import dev.headrace.tune.Tuner;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that watches a pipeline from outside: it gives AUTOTUNE crews as many workers as the
 * CPU share of their functions allows, and reports stalls.
 *
 * <p><b>Threading:</b> one thread a pipeline, started with the first crew, ended by close.
 */
final class Governor implements Runnable {
  private static final long FIRST_TICK_NS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long FIRST_FOR_NS = TimeUnit.MILLISECONDS.toNanos(150);
  private static final long FAST_TICK_NS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long SLOW_TICK_NS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long FAST_FOR_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long CALM_TICK_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long CALM_AFTER_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long PROGRAMS_EVERY_NS = TimeUnit.SECONDS.toNanos(1);

  /** A pipeline that is over sooner does not look at other programs: there may be thousands. */
  private static final long PROGRAMS_FIRST_NS = 100_000_000;

  private static final long SHRINK_EVERY_NS = TimeUnit.SECONDS.toNanos(5);

  private final Engine engine;
  private final Tuner tuner;
  private final List<WorkerCrew> crews = new CopyOnWriteArrayList<>();
  private final List<CrewWatch> watches = new ArrayList<>();
  private volatile @Nullable Thread thread;
  private volatile boolean closed;
  private volatile long watchedSince;
  private volatile boolean anyTuned;

  private long shrunkAt = System.nanoTime();
  private long programsAt = System.nanoTime() - PROGRAMS_EVERY_NS + PROGRAMS_FIRST_NS;
  private long progressSeen = -1;
  private long progressAt;
  private boolean stallSaid;
  private int decisionsSeen = -1;
  private long decidedAt;

  Governor(Engine engine) {
    this.engine = engine;
    this.tuner = new Tuner(engine);
  }

  synchronized void watch(WorkerCrew crew) {
    if (closed) {
      return;
    }
    crews.add(crew);
    watchedSince = System.nanoTime();
    anyTuned |= crew.isTuned();
    if (thread == null) {
      Thread started =
          Thread.ofPlatform()
              .name("headrace-governor-" + engine.number())
              .daemon(true)
              .unstarted(this);
      started.start();
      thread = started;
    } else {
      LockSupport.unpark(thread);
    }
  }

  void forget(WorkerCrew crew) {
    crews.remove(crew);
  }

  /** Whether there is a thread that logs what others must not. */
  boolean isRunning() {
    return thread != null;
  }

  /** Has what waits to be logged logged soon. */
  void wake() {
    LockSupport.unpark(thread);
  }

  @Override
  public void run() {
    Throwable failed = null;
    while (!closed) {
      LockSupport.parkNanos(tickNs(System.nanoTime()));
      if (closed) {
        return;
      }
      try {
        if (failed != null) {
          engine.warn("governor: " + Causes.textOf(failed));
          failed = null;
        }
        engine.sayWhatWaits();
        tick(System.nanoTime());
      } catch (Throwable e) { // watching must never stop what it watches
        failed = e; // said a tick later: there may be no memory for it now
      }
    }
  }

  /** Often while there is much to learn, rarely when nothing has changed for a while. */
  private long tickNs(long now) {
    long age = anyTuned ? now - watchedSince : FAST_FOR_NS;
    if (age < FAST_FOR_NS) {
      return age < FIRST_FOR_NS ? FIRST_TICK_NS : FAST_TICK_NS;
    }
    int decisions = engine.decisionCount();
    if (decisions != decisionsSeen) {
      decisionsSeen = decisions;
      decidedAt = now;
    }
    return now - decidedAt > CALM_AFTER_NS ? CALM_TICK_NS : SLOW_TICK_NS;
  }

  private void tick(long now) {
    watches.removeIf(watch -> !crews.contains(watch.crew()));
    boolean tunes = engine.settings().tunes();
    for (WorkerCrew crew : crews) {
      crew.lookForLocks();
      if (!crew.isTuned() || !tunes || crew.isDormant()) {
        continue;
      }
      CrewWatch watch = null;
      for (CrewWatch known : watches) {
        if (known.crew() == crew) {
          watch = known;
        }
      }
      if (watch == null) {
        watch = new CrewWatch(crew, engine);
        watches.add(watch);
      }
      watch.visit(now);
    }
    if (tunes) {
      switchThreads();
    }
    if (engine.recorder().isMachineBusy() && now - programsAt > PROGRAMS_EVERY_NS) {
      programsAt = now;
      engine.programs().look(now);
    }
    watchForStalls(engine.settings().clock().nanoTime());
    if (tunes && now - shrunkAt > SHRINK_EVERY_NS) {
      shrunkAt = now;
      crews.forEach(WorkerCrew::shrinkUnusedBuffers);
    }
  }

  /** Gives threads to operators that could have some and have none, and measures what it brings. */
  private void switchThreads() {
    List<CrewSwitch> switches = engine.switches();
    boolean anyOff = switches.stream().anyMatch(one -> !one.isOn());
    if (anyOff || tuner.isMeasuring()) {
      tuner.visit(engine.recorder().now(), engine.nodes(), engine.settings().cpuBudget(), switches);
    }
  }

  private void watchForStalls(long now) {
    long progress = engine.progress();
    long waitingSince = engine.consumerWaitingSince();
    if (progress != progressSeen || waitingSince == 0) {
      progressSeen = progress;
      progressAt = now;
      stallSaid = false;
      return;
    }
    long still = now - Math.max(progressAt, waitingSince);
    if (!stallSaid && still > engine.settings().stallAfter().toNanos()) {
      stallSaid = true;
      engine.stalled(StallReport.of(List.copyOf(crews), now - waitingSince));
    }
  }

  void close() {
    Thread running;
    synchronized (this) {
      closed = true;
      running = thread;
    }
    if (running == null) {
      return;
    }
    LockSupport.unpark(running);
    boolean interrupted = false;
    while (running.isAlive() && running != Thread.currentThread()) {
      try {
        running.join(1000);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
