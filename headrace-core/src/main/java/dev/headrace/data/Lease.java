package dev.headrace.data;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The right to the memory of one batch, until it is given back, or kept and closed.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 *
 * <p><b>Ownership:</b> the consumer's until the pipeline gives it back at the next {@code next()};
 * after {@link #keep()} the caller's until {@link #close()}, even beyond the life of the pool.
 */
public final class Lease implements AutoCloseable {
  /* A slab is lent many times, each time under a lease object of its own, and a tensor holds the
   * lease it was made from: the lease is the generation. Once ended it never lives again, so a
   * stale tensor cannot be mistaken for the slab's next batch.
   *
   * A read checks the lease before and after it touches memory, as a sequence lock does: ending
   * happens before the slab can be lent again, so a read that raced with reuse sees the end and
   * throws its bytes away. */

  private enum State {
    LIVE,
    KEPT,
    ENDED
  }

  private final SlabPool pool;
  private final SlabPool.Slab slab;
  private final MemorySegment memory;
  private final long number;
  private final String owner;
  private volatile State state = State.LIVE;
  private String ending = "";
  private int retained;
  private @Nullable Arena guard;
  private @Nullable MemorySegment guarded;

  Lease(SlabPool pool, SlabPool.Slab slab, long bytes, long number, String owner) {
    this.pool = pool;
    this.slab = slab;
    this.memory = slab.memory().asSlice(0, bytes);
    this.number = number;
    this.owner = owner;
  }

  /** The lease's number, counted by its pool from 0; messages say "batch 17". */
  public long number() {
    return number;
  }

  /** Who asked for the memory, as leak reports name it. */
  public String owner() {
    return owner;
  }

  /** The bytes that were asked for. */
  public long byteSize() {
    return memory.byteSize();
  }

  /** Whether the memory may be touched: it was neither given back nor closed. */
  public boolean isLive() {
    return state != State.ENDED;
  }

  /** Whether {@link #keep()} made it the caller's. */
  public boolean isKept() {
    return state == State.KEPT;
  }

  /** Where the memory begins, also when the lease has ended: the slab's name, so to speak. */
  public long address() {
    return memory.address();
  }

  /**
   * The memory, writable, for the stage that fills the batch. It is not checked after this call:
   * hold it no longer than the lease. A new lease's memory holds whatever was there before.
   */
  public MemorySegment memory() {
    check();
    return memory;
  }

  /** A tensor over part of the memory; every touch of it, its slices and views is checked. */
  public Tensor tensor(DType dtype, Shape shape, long offset) {
    check();
    return Tensor.leased(dtype, shape, memory, offset, this, pool.place());
  }

  /**
   * Ends the lease, unless it is kept, and returns the slab to its pool. From now on touching its
   * tensors throws.
   *
   * @param why what happened, completing "was given back when …": {@code next() was called}
   * @return whether this call ended it; false when it is kept or has ended already
   */
  public synchronized boolean giveBack(String why) {
    if (state != State.LIVE) {
      return false;
    }
    end("was given back when " + why + "; use keep() to hold a batch longer");
    if (retained > 0) {
      pool.letGo(this, slab);
    } else {
      pool.takeBack(this, slab);
    }
    return true;
  }

  /**
   * Holds the memory back from its next use, even after the lease has ended, until what is returned
   * is closed: for other libraries that read the same memory by its address. Tensors over it throw
   * from the end of the lease on, as ever.
   */
  public synchronized Retention retain() {
    check();
    retained++;
    return new Retention(this);
  }

  private synchronized void release() {
    retained--;
    if (retained == 0 && state == State.ENDED) {
      pool.adopt(this, slab);
    }
  }

  /**
   * Makes the memory the caller's: it stays valid until {@link #close()}, whatever happens to
   * pipeline and pool, and no longer counts against the pool's account.
   */
  public synchronized Lease keep() {
    check();
    if (state == State.LIVE) {
      state = State.KEPT;
      pool.letGo(this, slab);
    }
    return this;
  }

  /** Ends the lease, kept or not. Closing again does nothing. */
  @Override
  public synchronized void close() {
    if (state == State.ENDED) {
      return;
    }
    boolean wasKept = state == State.KEPT;
    end("was closed; do not touch a batch after close()");
    if (retained > 0) {
      if (!wasKept) {
        pool.letGo(this, slab);
      }
    } else if (wasKept) {
      pool.adopt(this, slab);
    } else {
      pool.takeBack(this, slab);
    }
  }

  private void end(String how) {
    if (guard != null) {
      closeGuard(guard);
    }
    ending = how;
    state = State.ENDED;
  }

  private void closeGuard(Arena arena) {
    try {
      arena.close();
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          this
              + ": expected no native call on its memory when it ends, but one is running;"
              + " let it return before asking for the next batch",
          e);
    }
    guard = null;
    guarded = null;
  }

  /** Throws if the lease has ended. Loads before this call are not reordered after it. */
  void check() {
    VarHandle.acquireFence();
    if (state == State.ENDED) {
      throw new IllegalStateException("batch " + number + " " + ending);
    }
  }

  /**
   * A read-only view of {@code part} that becomes inaccessible when the lease ends.
   *
   * <p>The slab outlives its leases, so the view needs a lifetime of its own. A confined arena is
   * cheap to close, but only by the thread that opened it; batches are given back by the thread
   * that calls {@code next()} or {@code close()}. A shared arena closes from anywhere and costs a
   * handshake of all threads, so it is opened only for a batch whose segment is asked for.
   */
  @SuppressWarnings("restricted") // same address and size, shorter life
  synchronized MemorySegment guarded(MemorySegment part) {
    check();
    if (guarded == null) {
      guard = Arena.ofShared();
      guarded = memory.reinterpret(guard, null).asReadOnly();
    }
    return guarded.asSlice(part.address() - memory.address(), part.byteSize());
  }

  /**
   * Calls {@code action} once for each lease that holds memory of {@code element}: a tensor, also a
   * deferred one that has yet to read its sources, or a structure of tensors. Other objects hold
   * none.
   */
  public static void forEachLease(Object element, Consumer<? super Lease> action) {
    Structure.find(element)
        .ifPresent(
            structure -> {
              List<Lease> distinct = new ArrayList<>();
              for (Tensor leaf : leaves(structure, element)) {
                leaf.forEachLease(
                    lease -> {
                      if (!distinct.contains(lease)) {
                        distinct.add(lease);
                      }
                    });
              }
              distinct.forEach(action);
            });
  }

  /** The tensors of an element; none where it lacks a part, and so was never batched. */
  private static Tensor[] leaves(Structure<Object> structure, Object element) {
    try {
      return structure.leaves(element);
    } catch (IllegalArgumentException e) {
      return new Tensor[0];
    }
  }

  /**
   * One reader of a lease's memory outside Headrace.
   *
   * <p><b>Threading:</b> may be closed by any thread; closing again does nothing.
   */
  public static final class Retention implements AutoCloseable {
    private final AtomicReference<@Nullable Lease> lease;

    private Retention(Lease lease) {
      this.lease = new AtomicReference<>(lease);
    }

    @Override
    public void close() {
      Lease held = lease.getAndSet(null);
      if (held != null) {
        held.release();
      }
    }
  }

  @Override
  public String toString() {
    return "batch %d (%s, %d %s)"
        .formatted(number, owner, byteSize(), Plural.word(byteSize(), "byte"));
  }
}
