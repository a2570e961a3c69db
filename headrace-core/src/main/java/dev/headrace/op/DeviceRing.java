package dev.headrace.op;

import dev.headrace.data.Account;
import dev.headrace.data.Lease;
import dev.headrace.data.SlabPool;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceMemoryException;
import dev.headrace.device.DeviceStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The device batches of one operator, which are lent, given back and lent again for as long as the
 * pipeline lives; and pinned host memory for what has to be copied aside first.
 *
 * <p><b>Threading:</b> {@link #lent} is guarded by the lock, which all passes of the operator
 * share. Lock order: a lease's monitor, then this lock; leases are not touched while it is held.
 *
 * <p><b>Ownership:</b> owns the device memory, but for batches that were kept.
 */
final class DeviceRing implements AutoCloseable, SlabPool.Returns {
  /** The longest nap while the collector frees batches that are not given back; naps double. */
  private static final long LONGEST_NAP_MS = 256;

  /** After this long, a thread that waits for memory looks whether the pipeline still goes on. */
  private static final long LOOK_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(20);

  /** More batches ahead than this never helped. */
  static final int LONGEST = 8;

  /** How long closing waits for a consumer whose stream still works on batches. */
  private static final long LONGEST_STEP_NS = TimeUnit.SECONDS.toNanos(30);

  final Device device;

  /** So many batches may be under way or with the consumer; guarded by the lock. */
  int size;

  private final boolean isTuned;

  /** Whether a batch had to wait for a place since the ring grew. */
  private boolean wasFull;

  final ReentrantLock lock = new ReentrantLock();

  /** Told when a batch came back, the consumer asked for one, or a pass was closed. */
  final Condition changed = lock.newCondition();

  /** Batches that are under way or with the consumer. */
  int lent;

  /** How often memory came back; guarded by the lock. */
  private long returns;

  private boolean isShortOfRoom;

  private final SlabPool pool;
  private final SlabPool pinned;

  /** How many leases of a batch are out, by each of them; guarded by the lock. */
  private final Map<Lease, Holding> holdings = new IdentityHashMap<>();

  /** Memory that is given back without the consumer having had it; guarded by the lock. */
  private final Set<Lease> unseen = Collections.newSetFromMap(new IdentityHashMap<>());

  /** What the consumer's stream must have done before memory is used again, by its address. */
  private final Map<Long, Mark> lastUses = new HashMap<>();

  /** Where the consumer's stream was when the latest batch came back; guarded by the lock. */
  private @Nullable Mark latestUse;

  private boolean canPin = true;

  /**
   * A ring of that many places.
   *
   * @param isTuned whether it may grow, where that helps
   */
  DeviceRing(Device device, int size, boolean isTuned) {
    this.device = device;
    this.size = size;
    this.isTuned = isTuned;
    Account account = new Account("device " + device.name(), device.memoryBytes());
    this.pool = new SlabPool(account, device::allocate, device.place(), this);
    this.pinned =
        new SlabPool(
            new Account("pinned", Runtime.getRuntime().maxMemory()), device::allocatePinned);
  }

  /** The device memory of one batch: its place in the ring is free when all of it came back. */
  static final class Holding {
    private int leases;
    private boolean isWithConsumer;
    private boolean hasLeft;
    private @Nullable Mark use;
  }

  /** A batch had to wait for a place. */
  void foundFull() {
    wasFull = true;
  }

  /**
   * The consumer had to wait for a batch. If the ring was full before, it ran empty because
   * something varies, and a longer one helps: it grows, within an eighth of what the device has.
   *
   * @return the size before, or 0 if it did not grow
   */
  int foundEmpty(long batchBytes) {
    lock.lock();
    try {
      boolean fits = (size + 1) * batchBytes <= device.memoryBytes() / 8;
      if (!isTuned || !wasFull || size >= LONGEST || !fits || isShortOfRoom) {
        return 0;
      }
      wasFull = false;
      size++;
      changed.signalAll();
      return size - 1;
    } finally {
      lock.unlock();
    }
  }

  /** Another batch may take the place of this one, if no memory of it is out. */
  void leave(Holding holding) {
    lock.lock();
    try {
      if (holding.leases == 0 && !holding.hasLeft) {
        holding.hasLeft = true;
        lent--;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Device memory that is to be given back. Where there is no room for as many batches as the ring
   * has places, it has fewer from now on, and waits for one to come back.
   *
   * @param mayComeBack whether another batch may still be given back; throws when the memory is no
   *     longer needed
   */
  Lease lease(long bytes, String owner, Holding holding, BooleanSupplier mayComeBack) {
    Lease lease = null;
    while (lease == null) {
      long seen = returns();
      try {
        lease = pool.lease(bytes, owner);
      } catch (DeviceMemoryException e) {
        lease = afterTrimming(bytes, owner);
        if (lease == null && !awaitRoom(bytes, seen, mayComeBack)) {
          throw e;
        }
      }
    }
    lock.lock();
    try {
      holdings.put(lease, holding);
      holding.leases++;
    } finally {
      lock.unlock();
    }
    return lease;
  }

  /**
   * Memory without slabs of another size, which may have been in the way; null if there is none.
   */
  private @Nullable Lease afterTrimming(long bytes, String owner) {
    pool.trim();
    try {
      return pool.lease(bytes, owner);
    } catch (DeviceMemoryException e) {
      return null;
    }
  }

  private long returns() {
    lock.lock();
    try {
      return returns;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until memory has come back since; false where none will, or all there is is too small.
   */
  private boolean awaitRoom(long bytes, long seen, BooleanSupplier mayComeBack) {
    if (bytes > device.memoryBytes() || !hasFewerPlaces(seen)) {
      return false;
    }
    while (returns() == seen) {
      if (!mayComeBack.getAsBoolean()) {
        return takeBackFromConsumer();
      }
      lock.lock();
      try {
        boolean _ = changed.await(LOOK_AGAIN_NS, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        boolean _ = mayComeBack.getAsBoolean(); // closing is seen there; else it was left behind
      } finally {
        lock.unlock();
      }
    }
    return true;
  }

  /** Makes do with as many batches as there are beside the one that finds no room, if there are. */
  private boolean hasFewerPlaces(long seen) {
    lock.lock();
    try {
      if (lent <= 1 && returns == seen) {
        return false;
      }
      isShortOfRoom = true;
      size = Math.max(1, Math.min(size, lent - 1));
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The consumer asks whether there is another batch, and still has the one before: there is no
   * room for both, and it does not work on that one meanwhile. Whether one came back.
   */
  private boolean takeBackFromConsumer() {
    List<Lease> had = new ArrayList<>();
    lock.lock();
    try {
      holdings.forEach(
          (lease, holding) -> {
            if (holding.isWithConsumer) {
              had.add(lease);
            }
          });
    } finally {
      lock.unlock();
    }
    boolean any = false;
    for (Lease lease : had) {
      any |= lease.giveBack("another was asked for, and the device has no room for both");
    }
    return any;
  }

  /** Whether the device has no room for as many batches as the ring should have. */
  boolean isShortOfRoom() {
    lock.lock();
    try {
      return isShortOfRoom;
    } finally {
      lock.unlock();
    }
  }

  /** The consumer has the batch: its stream may work on it until it comes back. */
  void handOver(Holding holding) {
    lock.lock();
    try {
      holding.isWithConsumer = true;
    } finally {
      lock.unlock();
    }
  }

  /** Makes a stream wait until the consumer is done with what this memory was lent for before. */
  void awaitLastUse(Lease lease, DeviceStream stream) {
    Mark lastUse;
    lock.lock();
    try {
      lastUse = lastUses.remove(lease.memory().address());
    } finally {
      lock.unlock();
    }
    if (lastUse != null) {
      try (lastUse) {
        stream.waitFor(lastUse.event());
      }
    }
  }

  /** Gives back memory that the consumer has never seen, and nothing works on any more. */
  void giveBackUnseen(Lease lease, String why) {
    lock.lock();
    try {
      unseen.add(lease);
    } finally {
      lock.unlock();
    }
    lease.giveBack(why);
  }

  /** What is queued on the consumer's stream by now may work on the memory. */
  @Override
  public void returning(Lease lease) {
    DeviceStream consumer = device.consumer();
    if (consumer == null) {
      return;
    }
    lock.lock();
    try {
      Holding holding = holdings.get(lease);
      if (unseen.contains(lease) || (holding != null && !holding.isWithConsumer)) {
        return;
      }
      Mark use = holding == null ? null : holding.use;
      if (use == null) { // else another part of the same batch came back just before
        use = new Mark(consumer.record());
        if (holding != null) {
          holding.use = use.held();
        }
        close(latestUse);
        latestUse = use; // holds it from its making on
      }
      close(lastUses.put(lease.address(), use.held()));
    } catch (DeviceException e) {
      return; // nothing runs on it any more; the next copy reports it
    } finally {
      lock.unlock();
    }
  }

  /** Where the consumer's stream was when the latest batch came back, once; else null. */
  @Nullable Mark takeLatestUse() {
    lock.lock();
    try {
      Mark latest = latestUse;
      latestUse = null;
      return latest;
    } finally {
      lock.unlock();
    }
  }

  private static void close(@Nullable Mark mark) {
    if (mark != null) {
      mark.close();
    }
  }

  @Override
  public void returned(Lease lease) {
    lock.lock();
    try {
      returns++;
      unseen.remove(lease);
      Holding holding = holdings.remove(lease);
      if (holding != null) {
        holding.leases--;
        if (holding.leases == 0) {
          close(holding.use);
          holding.use = null;
        }
        leave(holding);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Pinned host memory, or null where the device knows none and copies everything aside itself. */
  @Nullable Lease stage(long bytes, String owner) {
    if (!canPin) {
      return null;
    }
    Lease lease = pinned.lease(bytes, owner);
    canPin = device.isPinned(lease.memory());
    if (!canPin) {
      lease.giveBack("the device does not pin it");
      return null;
    }
    return lease;
  }

  /**
   * Device memory that is never given back explicitly. The collector does not see a device run
   * short, so it is told.
   *
   * @param checkGoing throws when the memory is no longer needed
   */
  MemorySegment own(long bytes, Runnable checkGoing) {
    for (long napMs = 1; ; napMs *= 2) {
      try {
        return device.allocate(Arena.ofAuto(), bytes);
      } catch (DeviceMemoryException e) {
        if (napMs > LONGEST_NAP_MS || bytes > device.memoryBytes()) {
          throw e;
        }
        System.gc();
        nap(napMs, checkGoing);
      }
    }
  }

  private static void nap(long millis, Runnable checkGoing) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      wasInterrupted(checkGoing);
    }
  }

  private static void wasInterrupted(Runnable checkGoing) {
    Thread.currentThread().interrupt();
    checkGoing.run(); // throws if the interruption is the consumer's
    boolean _ = Thread.interrupted(); // else a function of the user left it behind
  }

  @Override
  public void close() {
    List<Mark> uses;
    lock.lock();
    try {
      uses = new ArrayList<>(lastUses.values());
      lastUses.clear();
      close(latestUse);
      latestUse = null;
    } finally {
      lock.unlock();
    }
    uses.forEach(DeviceRing::awaitLast);
    try {
      pool.close();
    } finally {
      pinned.close();
    }
  }

  private static void awaitLast(Mark use) {
    try (use) {
      boolean _ = use.event().await(LONGEST_STEP_NS);
    } catch (DeviceException e) {
      return; // it works on nothing any more
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
