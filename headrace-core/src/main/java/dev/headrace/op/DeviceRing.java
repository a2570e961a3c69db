package dev.headrace.op;

import dev.headrace.data.Account;
import dev.headrace.data.Lease;
import dev.headrace.data.SlabPool;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceMemoryException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The device batches of one operator, which are lent, given back and lent again for as long as the
 * pipeline lives.
 *
 * <p><b>Threading:</b> {@link #lent} is guarded by the lock, which all passes of the operator
 * share. Lock order: a lease's monitor, then this lock; leases are not touched while it is held.
 *
 * <p><b>Ownership:</b> owns the device memory, but for batches that were kept.
 */
final class DeviceRing implements AutoCloseable {
  /** Batches that nobody gives back are waited for until the collector had this time, doubled. */
  private static final long LONGEST_NAP_MS = 256;

  final Device device;
  final int size;
  final ReentrantLock lock = new ReentrantLock();

  /** Told when a batch came back, the consumer asked for one, or a pass was closed. */
  final Condition changed = lock.newCondition();

  /** Batches that are under way or with the consumer. */
  int lent;

  private final SlabPool pool;

  DeviceRing(Device device, int size) {
    this.device = device;
    this.size = size;
    Account account = new Account("device " + device.name(), device.memoryBytes());
    this.pool = new SlabPool(account, device::allocate, device.place(), _ -> leave());
  }

  /** A batch came back, was kept, or was never made: another may take its place. */
  void leave() {
    lock.lock();
    try {
      lent--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Device memory that is to be given back. */
  Lease lease(long bytes, String owner) {
    try {
      return pool.lease(bytes, owner);
    } catch (DeviceMemoryException e) {
      pool.trim(); // slabs of another size may be in the way
      return pool.lease(bytes, owner);
    }
  }

  /**
   * Device memory that nobody gives back. The collector does not see a device run short, so it is
   * told.
   *
   * @param checkGoing throws when nobody needs the memory any more
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
      checkGoing.run(); // else a function of the user left it behind
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
