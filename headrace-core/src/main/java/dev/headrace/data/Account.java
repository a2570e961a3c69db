package dev.headrace.data;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A named budget of bytes — heap, native or pinned — and how much of it is in use.
 *
 * <p><b>Threading:</b> safe for any number of threads; lock-free.
 */
public final class Account {
  private final String name;
  private final long limitBytes;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong peak = new AtomicLong();

  /** An empty account that {@link #tryReserve} fills up to {@code limitBytes}. */
  public Account(String name, long limitBytes) {
    if (limitBytes < 0) {
      throw new IllegalArgumentException(
          "account " + name + ": expected a limit of 0 bytes or more, but got " + limitBytes);
    }
    this.name = name;
    this.limitBytes = limitBytes;
  }

  /** Reserves {@code bytes} if they fit below the limit, and says whether they did. */
  public boolean tryReserve(long bytes) {
    checkAmount("reserve", bytes);
    long before = used.get();
    while (bytes <= limitBytes - before) {
      long seen = used.compareAndExchange(before, before + bytes);
      if (seen == before) {
        raisePeak(before + bytes);
        return true;
      }
      before = seen;
    }
    return false;
  }

  /** Reserves {@code bytes} even beyond the limit: the oldest element of a stage always passes. */
  public void reserve(long bytes) {
    checkAmount("reserve", bytes);
    raisePeak(used.addAndGet(bytes));
  }

  /** Gives reserved bytes back. Giving back more than is reserved is an error. */
  public void release(long bytes) {
    checkAmount("release", bytes);
    long before = used.get();
    while (bytes <= before) {
      long seen = used.compareAndExchange(before, before - bytes);
      if (seen == before) {
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
