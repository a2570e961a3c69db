package dev.headrace.spi;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What one operator has copied to a device so far.
 *
 * <p><b>Threading:</b> safe for any number of threads; values read together may be a moment apart.
 */
public final class TransferMeter {
  private final LongAdder bytes = new LongAdder();
  private final LongAdder copies = new LongAdder();
  private final LongAdder copyNs = new LongAdder();
  private final LongAdder stagedNs = new LongAdder();
  private final LongAdder computeNs = new LongAdder();
  private final LongAdder unpinnedCopies = new LongAdder();
  private final LongAdder stepNs = new LongAdder();
  private final LongAdder steps = new LongAdder();
  private final LongAdder waitNs = new LongAdder();
  private final LongAdder roomWaitNs = new LongAdder();
  private final Map<String, Memory> devices = new ConcurrentSkipListMap<>();

  private record Memory(long usedBytes, long limitBytes, boolean isShort) {}

  /**
   * Notes to which device, how much of its memory is in use by now, and how much there is.
   *
   * @param isShort whether it had no room for as many batches as it should hold
   */
  public void on(String deviceName, long usedBytes, long limitBytes, boolean isShort) {
    devices.put(deviceName, new Memory(usedBytes, limitBytes, isShort));
  }

  /** Counts copies that have arrived, and how long the stream took for them. */
  public void arrived(long addedBytes, int addedCopies, long ns) {
    bytes.add(addedBytes);
    copies.add(addedCopies);
    copyNs.add(ns);
  }

  /** Counts how long the device computed on a batch. */
  public void computed(long ns) {
    computeNs.add(ns);
  }

  /** Counts how long the consumer's stream worked on a batch, where it has one. */
  public void stepped(long ns) {
    stepNs.add(ns);
    steps.increment();
  }

  /** Counts a batch that was put into pinned memory first, and how long that took. */
  public void staged(long ns) {
    stagedNs.add(ns);
  }

  /** Counts a copy from memory that is not pinned, and how long it held up the caller. */
  public void unpinned(long ns) {
    unpinnedCopies.increment();
    staged(ns);
  }

  /** Counts how long the consumer, or its stream, waited for batches under way. */
  public void waited(long ns) {
    waitNs.add(ns);
  }

  /** Counts how long the thread that copies waited until a device batch came back. */
  public void waitedForRoom(long ns) {
    roomWaitNs.add(ns);
  }

  /** What was counted so far; null while nothing was copied. */
  public OpCounters.@Nullable Transfer read() {
    return devices.isEmpty()
        ? null
        : new OpCounters.Transfer(
            device(),
            unpinnedCopies.sum() == 0,
            new OpCounters.Copies(copies.sum(), bytes.sum(), copyNs.sum()),
            new OpCounters.Spent(steps.sum(), stepNs.sum()),
            new OpCounters.TransferTimes(
                computeNs.sum(), stagedNs.sum(), waitNs.sum(), roomWaitNs.sum()));
  }

  private OpCounters.Device device() {
    return new OpCounters.Device(
        String.join(", ", devices.keySet()),
        devices.size(),
        devices.values().stream().mapToLong(Memory::usedBytes).sum(),
        devices.values().stream().mapToLong(Memory::limitBytes).sum(),
        devices.values().stream().anyMatch(Memory::isShort));
  }
}
