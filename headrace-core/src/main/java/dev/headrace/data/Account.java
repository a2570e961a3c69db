package dev.headrace.data;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A named budget of bytes — heap, native or pinned — and how much of it is in use.
 *
 * <p>Part of what is used may be spare: held because there is room, and given back at once when
 * somebody else needs it.
 *
 * <p><b>Threading:</b> safe for any number of threads; lock-free, as long as spare memory is not
 * asked back.
 */
public final class Account {
  /** Somebody who holds memory that he can do without. */
  public interface SpareHolder {
    /**
     * Releases at least {@code bytes}, or all that he holds if that is less; called by whoever
     * needs them, from any thread.
     */
    void giveBack(long bytes);
  }

  private final String name;
  private final long limitBytes;
  private final @Nullable Account whole;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong buffered = new AtomicLong();
  private final AtomicLong peak = new AtomicLong();
  private final List<SpareHolder> spareHolders = new CopyOnWriteArrayList<>();

  /** An empty account that {@link #tryReserve} fills up to {@code limitBytes}. */
  public Account(String name, long limitBytes) {
    this(name, limitBytes, null);
  }

  /** An empty account that shares the budget of another, {@code whole}, with others. */
  public Account(String name, long limitBytes, @Nullable Account whole) {
    if (limitBytes < 0) {
      throw new IllegalArgumentException(
          "account " + name + ": expected a limit of 0 bytes or more, but got " + limitBytes);
    }
    this.name = name;
    this.limitBytes = limitBytes;
    this.whole = whole;
  }

  /**
   * Reserves {@code bytes} if they fit below the limit, and says whether they did. Spare memory is
   * asked back for it, and buffers do not count: they empty by themselves.
   */
  public boolean tryReserve(long bytes) {
    if (tryReserveSpare(bytes)) {
      return true;
    }
    boolean fitsHere = bytes <= limitBytes - used.get();
    for (SpareHolder holder : whole != null && fitsHere ? whole.spareHolders : spareHolders) {
      holder.giveBack(bytes - freeBytes());
      if (tryReserveSpare(bytes)) {
        return true;
      }
    }
    if (bytes <= freeBytes() + buffered.get()) {
      reserve(bytes); // buffers empty, and are not filled again before there is room
      return true;
    }
    return false;
  }

  /**
   * As {@link #tryReserve}, where {@code roomBytes} more are free then, for who cannot do without.
   */
  public boolean tryReserveLeaving(long bytes, long roomBytes) {
    long wanted = bytes + roomBytes;
    for (SpareHolder holder : whole == null ? spareHolders : whole.spareHolders) {
      long missing = wanted - freeBytes() - buffered.get();
      if (missing <= 0) {
        break;
      }
      holder.giveBack(missing);
    }
    return wanted <= freeBytes() + buffered.get() && tryReserve(bytes);
  }

  /** Has {@code holder} asked for its memory whenever a reservation would not fit otherwise. */
  public void addSpareHolder(SpareHolder holder) {
    spareHolders.add(holder);
    if (whole != null) {
      whole.addSpareHolder(holder);
    }
  }

  /** Ends that: the holder holds nothing any more. */
  public void removeSpareHolder(SpareHolder holder) {
    spareHolders.remove(holder);
    if (whole != null) {
      whole.removeSpareHolder(holder);
    }
  }

  /** Reserves {@code bytes} if they are free, for something that will be given back when asked. */
  public boolean tryReserveSpare(long bytes) {
    checkAmount("reserve", bytes);
    long now = tryAdd(bytes);
    if (now < 0) {
      return false;
    }
    if (whole != null && !whole.tryReserveSpare(bytes)) {
      used.addAndGet(-bytes);
      return false;
    }
    raisePeak(now);
    return true;
  }

  /** What is used then, or −1 if it does not fit. */
  private long tryAdd(long bytes) {
    long before = used.get();
    while (bytes <= limitBytes - before) {
      long seen = used.compareAndExchange(before, before + bytes);
      if (seen == before) {
        return before + bytes;
      }
      before = seen;
    }
    return -1;
  }

  /** Reserves {@code bytes} even beyond the limit: the oldest element of a stage always passes. */
  public void reserve(long bytes) {
    checkAmount("reserve", bytes);
    raisePeak(used.addAndGet(bytes));
    if (whole != null) {
      whole.reserve(bytes);
    }
  }

  /**
   * Reserves {@code bytes}, even beyond the limit, for what flows through a buffer: whoever must
   * hold something does not fail because of it, but passes the limit for a while.
   */
  public void buffer(long bytes) {
    reserve(bytes);
    buffered.addAndGet(bytes);
  }

  /** Gives back what was reserved for a buffer. */
  public void unbuffer(long bytes) {
    buffered.addAndGet(-bytes);
    release(bytes);
  }

  /** What of it flows through buffers. */
  public long bufferedBytes() {
    return buffered.get();
  }

  /** Gives reserved bytes back. Giving back more than is reserved is an error. */
  public void release(long bytes) {
    checkAmount("release", bytes);
    long before = used.get();
    while (bytes <= before) {
      long seen = used.compareAndExchange(before, before - bytes);
      if (seen == before) {
        if (whole != null) {
          whole.release(bytes);
        }
        return;
      }
      before = seen;
    }
    throw new IllegalStateException(
        ("account %s: expected to release at most the %d bytes in use, but got %d;"
                + " release each reservation once")
            .formatted(name, before, bytes));
  }

  /** The account's name, as it appears in messages. */
  public String name() {
    return name;
  }

  /** The bytes reserved now; above the limit while an oldest element passes. */
  public long usedBytes() {
    return used.get();
  }

  /** The most bytes that were ever reserved at once. */
  public long peakBytes() {
    return peak.get();
  }

  /** The budget. */
  public long limitBytes() {
    return limitBytes;
  }

  /** What is in use of the limit, for messages. */
  public String fill() {
    boolean isSmall = limitBytes < 16L << 20;
    return isSmall
        ? "%,d kB of %,d kB".formatted(usedBytes() >> 10, limitBytes >> 10)
        : "%,d MB of %,d MB".formatted(usedBytes() >> 20, limitBytes >> 20);
  }

  /** The option that would make room, as messages name it. */
  public String option() {
    Account shared = whole != null && whole.limitBytes < Long.MAX_VALUE ? whole : this;
    return "options.%sBudget".formatted(shared.name);
  }

  /** What may still be reserved; negative while an oldest element passes beyond the limit. */
  public long freeBytes() {
    long own = limitBytes - used.get();
    return whole == null ? own : Math.min(own, whole.freeBytes());
  }

  private void raisePeak(long now) {
    if (now > peak.get()) {
      peak.accumulateAndGet(now, Math::max);
    }
  }

  private void checkAmount(String verb, long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          "account " + name + ": expected to " + verb + " 0 bytes or more, but got " + bytes);
    }
  }

  @Override
  public String toString() {
    return "%s: %d of %d bytes".formatted(name, usedBytes(), limitBytes);
  }
}
