package dev.headrace.runtime;

import dev.headrace.data.Account;
import dev.headrace.data.HeapLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

/**
 * The memory of all pipelines of this process: the accounts that theirs are parts of.
 *
 * <p>The limits are those that are set outside of code, or their defaults. A pipeline that was
 * given more in code raises them as long as it is open: what somebody wrote for it is meant. Large
 * arrays take more of a G1 heap than their size, so once there are any, less than half of the heap
 * is lent, unless more was asked for.
 *
 * <p><b>Threading:</b> safe.
 */
final class ProcessMemory {
  private static final Account TOGETHER = Account.ofProcess("memory", Long.MAX_VALUE);
  static final Account HEAP = Account.ofProcess("heap", Long.MAX_VALUE, TOGETHER);
  static final Account OFF_HEAP = Account.ofProcess("native", Long.MAX_VALUE, TOGETHER);

  static final Overdraft.Turns TURNS = new Overdraft.Turns(HEAP, System::nanoTime);

  /** What the next chunks of all consumers are expected to take. */
  private static final AtomicLong NEXT_BYTES = new AtomicLong();

  /** What the open pipelines may take, and the process because of what is set. */
  private static final List<Settings> OPEN = new ArrayList<>();

  private ProcessMemory() {}

  /** Makes room for what a pipeline may take. */
  static synchronized void opened(Settings settings) {
    OPEN.add(settings);
    limit();
  }

  /** Ends that. */
  static synchronized void closed(Settings settings) {
    for (int i = 0; i < OPEN.size(); i++) {
      if (OPEN.get(i) == settings) {
        OPEN.remove(i);
        break;
      }
    }
    limit();
  }

  static {
    HeapLayout.whenLargeSeen(ProcessMemory::limit);
  }

  /**
   * What a pipeline that reads ahead leaves free for the consumers of others, which may ask at any
   * moment; at most half of what there is, because they may as well be idle.
   */
  static long nextBytesBut(long own) {
    return Math.clamp(NEXT_BYTES.get() - own, 0, HEAP.limitBytes() / 2);
  }

  static void addNextBytes(long bytes) {
    NEXT_BYTES.addAndGet(bytes);
  }

  private static synchronized void limit() {
    HEAP.limit(largest(ProcessMemory::heapLimit));
    OFF_HEAP.limit(largest(s -> Math.max(s.process().offHeap(), s.nativeBudget())));
    TOGETHER.limit(largest(s -> Math.max(s.process().together(), s.memoryBudget())));
  }

  private static long heapLimit(Settings settings) {
    long most = Math.max(settings.process().heap(), settings.heapBudget());
    long half = Runtime.getRuntime().maxMemory() / 2;
    boolean isGiven = settings.heapBudget() > settings.process().heap() || most > half;
    return isGiven ? most : Math.min(most, (long) (half / HeapLayout.largestTake()));
  }

  private static long largest(ToLongFunction<Settings> budget) {
    long largest = 0;
    for (Settings settings : OPEN) {
      largest = Math.max(largest, budget.applyAsLong(settings));
    }
    return OPEN.isEmpty() ? Long.MAX_VALUE : largest;
  }
}
