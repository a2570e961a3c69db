package dev.headrace.runtime;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One thread of a crew, with what it knows of its own time.
 *
 * <p><b>Threading:</b> times are written by the worker and read by the governor, which can live with
 * values that are a moment old.
 */
final class Worker implements Runnable {
  private final WorkerCrew crew;
  final int generation;
  final boolean isVirtual;
  private final Thread thread;
  private volatile long taskId = -1;

  /** When the work in hand began; 0 between works. */
  private volatile long workingSince;

  private volatile long busyNs;

  /** What the governor saw at its last visit. */
  private long seenBusyNs;

  private long seenCpuNs;
  private long seenQueuedNs;

  Worker(WorkerCrew crew, int generation, boolean isVirtual, String name) {
    this.crew = crew;
    this.generation = generation;
    this.isVirtual = isVirtual;
    this.thread =
        isVirtual
            ? Thread.ofVirtual().name(name).unstarted(this)
            : Thread.ofPlatform().name(name).daemon(true).unstarted(this);
  }

  void start() {
    thread.start();
  }

  Thread thread() {
    return thread;
  }

  @Override
  public void run() {
    if (!isVirtual && ThreadTimes.AVAILABLE) {
      taskId = ThreadTimes.currentTaskId();
    }
    crew.work(this);
  }

  void workBegins(long now) {
    workingSince = now;
  }

  void workEnds(long now) {
    long since = workingSince;
    if (since != 0) {
      busyNs = busyNs + (now - since); // one writer
      workingSince = 0;
    }
  }

  boolean isWorking() {
    return workingSince != 0;
  }

  long workingForNs(long now) {
    long since = workingSince;
    return since == 0 ? 0 : now - since;
  }

  /** How this worker spent its working time since the governor's last visit. */
  ThreadTimes visit(long now) {
    long since = workingSince;
    long busy = busyNs + (since == 0 ? 0 : now - since);
    ThreadTimes times = isVirtual ? ThreadTimes.NONE : ThreadTimes.of(thread, taskId);
    ThreadTimes spent =
        new ThreadTimes(
            Math.max(0, busy - seenBusyNs),
            Math.max(0, times.cpuNs() - seenCpuNs),
            Math.max(0, times.queuedNs() - seenQueuedNs));
    seenBusyNs = busy;
    seenCpuNs = times.cpuNs();
    seenQueuedNs = times.queuedNs();
    return spent;
  }

  /** A worker's times: in its functions, computing, and waiting for a core. */
  record ThreadTimes(long busyNs, long cpuNs, long queuedNs) {
    static final ThreadTimes NONE = new ThreadTimes(0, 0, 0);

    /** Whether the scheduler's own account can be read, which knows waiting for a core apart. */
    static final boolean AVAILABLE = Files.isReadable(Path.of("/proc/thread-self/schedstat"));

    static long currentTaskId() {
      try {
        return Long.parseLong(
            Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString());
      } catch (java.io.IOException | RuntimeException e) {
        return -1;
      }
    }

    static ThreadTimes of(Thread thread, long taskId) {
      if (taskId >= 0) {
        try {
          String line = Files.readString(Path.of("/proc/self/task/" + taskId + "/schedstat"));
          int first = line.indexOf(' ');
          int second = line.indexOf(' ', first + 1);
          return new ThreadTimes(
              0,
              Long.parseLong(line.substring(0, first)),
              Long.parseLong(line.substring(first + 1, second)));
        } catch (java.io.IOException | RuntimeException e) {
          return NONE; // the thread has just ended
        }
      }
      return new ThreadTimes(0, Math.max(0, CpuClock.cpuNs(thread)), 0);
    }
  }
}
