package dev.headrace.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.StampedLock;

/**
 * Looks at threads as the operating system does, where it lets us: the Java state calls a thread
 * runnable while it sleeps in native code, and a thread without a core looks as if it waited.
 */
final class Tasks {
  private static final boolean LINUX = Files.isReadable(Path.of("/proc/thread-self/stat"));

  private Tasks() {}

  /** The operating system's number of the calling thread, or −1. */
  static long currentId() {
    if (!LINUX) {
      return -1;
    }
    try {
      Path self = Files.readSymbolicLink(Path.of("/proc/thread-self"));
      return Long.parseLong(self.getFileName().toString());
    } catch (IOException | RuntimeException e) {
      return -1;
    }
  }

  /** How long a thread was ready to compute without a core, in all; 0 where that is not told. */
  static long queuedNs(long id) {
    return id < 0 ? 0 : queuedNs(Path.of("/proc/self/task/" + id + "/schedstat"));
  }

  /** The same of the calling thread. */
  static long ownQueuedNs() {
    return LINUX ? queuedNs(Path.of("/proc/thread-self/schedstat")) : 0;
  }

  private static long queuedNs(Path file) {
    try {
      String[] fields = Files.readString(file).split(" ");
      return fields.length < 2 ? 0 : Long.parseLong(fields[1]);
    } catch (IOException | RuntimeException e) {
      return 0; // the thread has just ended, or the kernel does not count
    }
  }

  /**
   * Whether a thread waits for a lock that another one holds: a monitor, or one of {@code
   * java.util.concurrent}. More threads would only queue behind it.
   */
  static boolean waitsForLock(Thread thread) {
    return switch (thread.getState()) {
      case BLOCKED -> true;
      case WAITING, TIMED_WAITING -> {
        Object blocker = LockSupport.getBlocker(thread);
        yield blocker instanceof StampedLock
            || (blocker instanceof AbstractOwnableSynchronizer
                && blocker.getClass().getEnclosingClass() != CountDownLatch.class);
      }
      default -> false;
    };
  }

  /** Whether a thread waits for something other than a core. */
  static boolean isBlocked(long id, Thread thread) {
    if (id >= 0) {
      try {
        String stat = Files.readString(Path.of("/proc/self/task/" + id + "/stat"));
        char state = stat.charAt(stat.lastIndexOf(')') + 2);
        return state != 'R';
      } catch (IOException | RuntimeException e) {
        return false; // the thread has just ended
      }
    }
    return switch (thread.getState()) {
      case WAITING, TIMED_WAITING, BLOCKED -> true;
      default -> false;
    };
  }
}
