package dev.headrace.data;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The slabs of a pipeline: native memory for batches, taken once and lent again and again.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 *
 * <p><b>Ownership:</b> owns its slabs, free and lent, until {@link #close()}; a kept lease's slab
 * belongs to its keeper.
 */
public final class SlabPool implements Account.SpareHolder, AutoCloseable {
  /* Each slab has a shared arena of its own. One arena for the pool could not let a kept batch
   * outlive it, and automatic arenas leave freeing to the collector, which does not see native
   * memory run short. Closing a shared arena is slow (a handshake of all threads), but it happens
   * once per slab, at close or trim; lending and giving back never close one.
   *
   * Lock order: a lease's monitor, then the pool's lock. An account asks other pools for their
   * free slabs while one is locked, so a pool that is busy gives none. */

  private static final long ALIGNMENT = 64;

  /** Batches below this size are cheaper as garbage than as leases. */
  private static final long LEAST_WORTH_BYTES = 4096;

  /** A lease makes what is known of larger ones fade by one part of so many. */
  private static final int LARGEST_FADES = 32;

  /** Where slabs come from. */
  @FunctionalInterface
  public interface Source {
    /** Memory of {@code bytes} bytes, 64-byte aligned, that is freed when {@code arena} closes. */
    MemorySegment allocate(Arena arena, long bytes);
  }

  /**
   * Who is told of leases that come back, by the thread that brings them and without the pool's
   * lock. It must not touch other leases.
   */
  public interface Returns {
    /** A lease has ended, given back or kept and closed; its memory is not lent again yet. */
    default void returning(Lease lease) {}

    /** A lease was given back, and its memory may have been lent again; or it was kept. */
    default void returned(Lease lease) {}
  }

  /** Plain native memory. */
  public static final Source PLAIN = (arena, bytes) -> arena.allocate(bytes, ALIGNMENT);

  /** One piece of memory and the arena that frees it. */
  record Slab(Arena arena, MemorySegment memory) {
    long bytes() {
      return memory.byteSize();
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Account account;
  private final Source source;
  private final @Nullable Place place;
  private final Returns returns;
  private final long leastBytes;
  private final ArrayDeque<Slab> free = new ArrayDeque<>();
  private final SequencedMap<Long, Lease> live = new LinkedHashMap<>();
  private long leasesMade;
  private long keptBytes;
  private volatile long largestBytes;
  private final AtomicLong freeBytes = new AtomicLong();
  private boolean closed;

  /** A pool of plain native memory on {@code account}. */
  public SlabPool(Account account) {
    this(account, PLAIN);
  }

  /** A pool of memory from {@code source}, such as pinned memory, on {@code account}. */
  public SlabPool(Account account, Source source) {
    this(account, source, null, new Returns() {});
  }

  /** The same for batches of any size, so that one that is held too long is found out. */
  public static SlabPool ofEveryBatch(Account account, Source source) {
    return new SlabPool(account, source, null, new Returns() {}, 1);
  }

  /**
   * A pool of memory from {@code source}.
   *
   * @param place where the memory is, if the host cannot read it
   * @param returns is told of leases that come back
   */
  public SlabPool(Account account, Source source, @Nullable Place place, Returns returns) {
    this(account, source, place, returns, LEAST_WORTH_BYTES);
  }

  private SlabPool(
      Account account, Source source, @Nullable Place place, Returns returns, long leastBytes) {
    this.leastBytes = leastBytes;
    this.account = account;
    this.source = source;
    this.place = place;
    this.returns = returns;
  }

  /**
   * Lends {@code bytes} of memory, even if the account is full: the oldest batch always passes.
   *
   * @param owner who asks, as leak reports name it
   */
  public Lease lease(long bytes, String owner) {
    Lease lease = lease(bytes, owner, true);
    if (lease == null) {
      throw new AssertionError("a lease beyond the budget was refused");
    }
    return lease;
  }

  /** Lends {@code bytes} of memory, or returns null when the account has no room for them. */
  public @Nullable Lease tryLease(long bytes, String owner) {
    return lease(bytes, owner, false);
  }

  private @Nullable Lease lease(long bytes, String owner, boolean beyondBudget) {
    lock.lock();
    try {
      return locked(bytes, owner, beyondBudget);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Lease locked(long bytes, String owner, boolean beyondBudget) {
    if (bytes < 0 || bytes > Long.MAX_VALUE - ALIGNMENT) {
      throw new IllegalArgumentException(
          "slab pool: expected a lease of 0 bytes or more, but got " + bytes + " for " + owner);
    }
    if (closed) {
      throw new IllegalStateException(
          "slab pool: expected to be open, but it was closed before "
              + owner
              + " asked for memory");
    }
    Slab slab = takeFree(bytes);
    if (slab == null) {
      slab = allocate(bytes, beyondBudget);
    }
    if (slab == null) {
      return null;
    }
    largestBytes = Math.max(slab.bytes(), largestBytes - largestBytes / LARGEST_FADES);
    Lease lease = new Lease(this, slab, bytes, leasesMade++, owner);
    live.put(lease.number(), lease);
    return lease;
  }

  /** Takes the smallest free slab that fits and wastes at most half of itself. */
  private @Nullable Slab takeFree(long bytes) {
    long capacity = capacity(bytes);
    Slab best =
        free.stream()
            .filter(slab -> slab.bytes() >= capacity && slab.bytes() / 2 <= capacity)
            .min(Comparator.comparingLong(Slab::bytes))
            .orElse(null);
    if (best != null) {
      free.remove(best);
      freeBytes.addAndGet(-best.bytes());
    }
    return best;
  }

  private @Nullable Slab allocate(long bytes, boolean beyondBudget) {
    long capacity = capacity(bytes);
    boolean fits = account.tryReserve(capacity);
    while (!fits && !free.isEmpty()) { // none of them fits
      releaseFirstFree();
      fits = account.tryReserve(capacity);
    }
    if (!fits && !beyondBudget) {
      return null;
    }
    if (!fits) {
      account.reserve(capacity);
    }
    Arena arena = Arena.ofShared();
    try {
      return new Slab(arena, source.allocate(arena, capacity));
    } catch (RuntimeException | Error e) {
      account.release(capacity);
      arena.close();
      throw e;
    }
  }

  private void releaseFirstFree() {
    Slab slab = free.removeFirst();
    freeBytes.addAndGet(-slab.bytes());
    release(slab);
  }

  /** Frees slabs that are not lent, so many bytes of them or all; none while it is busy. */
  @Override
  public void giveBack(long bytes) {
    if (!lock.tryLock()) {
      return;
    }
    try {
      releaseFree(bytes);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long spareBytes() {
    return freeBytes.get();
  }

  private void releaseFree(long bytes) {
    long before = freeBytes.get();
    while (!free.isEmpty() && before - freeBytes.get() < bytes) {
      releaseFirstFree();
    }
  }

  private void addFree(Slab slab) {
    free.addFirst(slab);
    freeBytes.addAndGet(slab.bytes());
  }

  private static long capacity(long bytes) {
    return Math.max(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  }

  private void release(Slab slab) {
    account.release(slab.bytes());
    slab.arena().close();
  }

  @Nullable Place place() {
    return place;
  }

  /** A lease ended: its slab is free, or freed when the pool is closed. */
  void takeBack(Lease lease, Slab slab) {
    returns.returning(lease);
    lock.lock();
    try {
      live.remove(lease.number());
      if (closed) {
        release(slab);
      } else {
        addFree(slab);
      }
    } finally {
      lock.unlock();
    }
    returns.returned(lease);
  }

  /** A lease is kept: its slab is the keeper's. */
  void letGo(Lease lease, Slab slab) {
    lock.lock();
    try {
      live.remove(lease.number());
      account.release(slab.bytes());
      keptBytes += slab.bytes();
    } finally {
      lock.unlock();
    }
    returns.returned(lease);
  }

  /** A kept lease was closed: its slab is free again if there is room, else freed. */
  void adopt(Lease lease, Slab slab) {
    returns.returning(lease);
    lock.lock();
    try {
      adopt(slab);
    } finally {
      lock.unlock();
    }
  }

  private void adopt(Slab slab) {
    keptBytes -= slab.bytes();
    if (!closed && account.tryReserve(slab.bytes())) {
      addFree(slab);
    } else {
      slab.arena().close();
    }
  }

  /** The leases that are neither given back nor kept, oldest first. */
  public List<Lease> liveLeases() {
    lock.lock();
    try {
      return List.copyOf(live.values());
    } finally {
      lock.unlock();
    }
  }

  /** The bytes of slabs that callers keep. */
  public long keptBytes() {
    lock.lock();
    try {
      return keptBytes;
    } finally {
      lock.unlock();
    }
  }

  /** The bytes of slabs that wait to be lent again. */
  public long freeBytes() {
    return freeBytes.get();
  }

  /** Batches that take less are not worth a lease. */
  public long leastBytes() {
    return leastBytes;
  }

  /** About the size of the largest slab that was lent recently; 0 before the first. */
  public long largestBytes() {
    return largestBytes;
  }

  /** What a single slab may take at most, were there no others. */
  public long mostBytes() {
    return account.mostBytes();
  }

  /** How full the account is, for messages. */
  public String holds() {
    return account.holds();
  }

  /** What to raise so that there is room, for messages. */
  public String option() {
    return account.option();
  }

  /** What slabs may take in all. */
  public long limitBytes() {
    return account.limitBytes();
  }

  /** Frees the slabs that are not lent. */
  public void trim() {
    lock.lock();
    try {
      releaseFree(Long.MAX_VALUE);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Frees all slabs but the kept ones, after which no lease is valid but the kept ones. Closing
   * again does nothing.
   *
   * @throws LeakException if a lease was neither given back nor kept; its memory is freed even so,
   *     unless a native call is using it
   */
  @Override
  public void close() {
    List<Lease> out;
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      trim();
      out = List.copyOf(live.values());
    } finally {
      lock.unlock();
    }
    List<Lease> leaked = new ArrayList<>();
    List<RuntimeException> failures = new ArrayList<>();
    for (Lease lease : out) {
      try {
        if (lease.giveBack("its pipeline was closed")) {
          leaked.add(lease);
        }
      } catch (RuntimeException e) {
        leaked.add(lease);
        failures.add(e);
      }
    }
    if (!leaked.isEmpty()) {
      LeakException leak = new LeakException(leaked);
      failures.forEach(leak::addSuppressed);
      throw leak;
    }
  }
}
