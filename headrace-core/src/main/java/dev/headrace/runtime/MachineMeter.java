package dev.headrace.runtime;

import dev.headrace.profile.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads what the computer and the collector have done so far, as far as they tell. */
final class MachineMeter {
  private static final Path STAT = Path.of("/proc/stat");
  private static final int LONGEST_LINE = 200;
  private static final long TICK_NS = 10_000_000;
  private static final int IDLE = 4;
  private static final int IOWAIT = 5;
  private static final int STEAL = 8;

  private record Reading(long atNs, Snapshot.Machine machine) {}

  private static volatile @Nullable Reading latest;

  private MachineMeter() {}

  /** Reads, or returns what was read a moment ago: these clocks tick a hundred times a second. */
  static Snapshot.Machine read() {
    long now = System.nanoTime();
    Reading reading = latest;
    if (reading == null || now - reading.atNs >= TICK_NS) {
      reading = new Reading(now, readNow());
      latest = reading;
    }
    return reading.machine;
  }

  private static Snapshot.Machine readNow() {
    try {
      long gcMs = 0;
      long collections = 0;
      for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
        if (!bean.getName().endsWith("Cycles")) { // those go on beside the program
          gcMs += Math.max(0, bean.getCollectionTime());
        }
        collections += Math.max(0, bean.getCollectionCount());
      }
      return new Snapshot.Machine(
          busyNs(), Extended.processNs(), gcMs * 1_000_000, collections, Extended.liveBytes());
    } catch (LinkageError e) {
      return new Snapshot.Machine(busyNs(), 0, 0, 0, 0); // a runtime without java.management
    }
  }

  /** How large the heap may become. */
  static long heapBytes() {
    return Runtime.getRuntime().maxMemory();
  }

  /** Computing by anybody on all cores so far; −1 where it is not told, or not of our cores. */
  private static long busyNs() {
    int cores = Runtime.getRuntime().availableProcessors();
    try (InputStream in = Files.newInputStream(STAT)) {
      // A line for all, one for each core, and the beginning of what comes then, which is long.
      byte[] head = in.readNBytes((cores + 2) * LONGEST_LINE);
      return busyNs(new String(head, StandardCharsets.ISO_8859_1), cores);
    } catch (IOException | RuntimeException e) {
      return -1;
    }
  }

  static long busyNs(String stat, int cores) {
    String[] lines = stat.split("\n");
    int told = 0;
    while (told + 1 < lines.length && lines[told + 1].startsWith("cpu")) {
      told++;
    }
    if (told != cores) {
      return -1; // the machine's cores are not ours alone to use
    }
    String[] fields = lines[0].split(" +");
    long ticks = 0;
    for (int i = 1; i <= STEAL; i++) {
      ticks += i == IDLE || i == IOWAIT ? 0 : Long.parseLong(fields[i]);
    }
    return ticks * TICK_NS;
  }

  /** What only some virtual machines tell; a class of its own, so that it may be missing. */
  private static final class Extended {
    static long processNs() {
      try {
        return ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system
            ? system.getProcessCpuTime()
            : 0;
      } catch (LinkageError e) {
        return 0;
      }
    }

    /** Bytes in use after the latest collection; 0 before the first. */
    static long liveBytes() {
      try {
        long latest = -1;
        long live = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
          if (bean instanceof com.sun.management.GarbageCollectorMXBean collector) {
            com.sun.management.GcInfo info = collector.getLastGcInfo();
            if (info != null && info.getEndTime() > latest) {
              latest = info.getEndTime();
              live = 0;
              for (var pool : info.getMemoryUsageAfterGc().entrySet()) {
                MemoryUsage usage = pool.getValue();
                live += isHeap(pool.getKey()) ? usage.getUsed() : 0;
              }
            }
          }
        }
        return live;
      } catch (LinkageError e) {
        return 0;
      }
    }

    private static boolean isHeap(String pool) {
      return !pool.startsWith("Code") && !pool.contains("Metaspace") && !pool.contains("Class");
    }
  }
}
