package dev.headrace.spi;

import dev.headrace.data.Account;

/**
 * What one operator holds on the heap account of its pipeline: charged when it takes an element,
 * given back when it lets go of it.
 *
 * <p>{@link #take} is the one place where an operator learns that an element does not fit. It then
 * puts the element elsewhere, or ends with a failure that tells {@link #isFull}.
 *
 * <p><b>Threading:</b> by one thread at a time, as its cursor. <b>Ownership:</b> its operator's;
 * closing it gives everything back.
 */
public final class Holding implements AutoCloseable {
  /*
   * Elements are charged one by one, and the account is shared by many threads. So a little is
   * reserved in advance, and given back late: a small part of the budget, so that it holds.
   */
  private static final long MOST_SPARE_BYTES = 64 << 10;
  private static final int SPARE_SHARE = 1024;

  /** What passes even where the account is full: a chunk or two. */
  static final long LITTLE_BYTES = 2 * Chunk.FULL_BYTES;

  private final Account account;
  private final long spareBytes;
  private long heldBytes;
  private long reservedBytes;

  /** Holds nothing yet. */
  public Holding(Account account) {
    this.account = account;
    this.spareBytes = Math.min(MOST_SPARE_BYTES, account.limitBytes() / SPARE_SHARE);
  }

  /** Charges {@code bytes} if they fit, and says whether they did. */
  public boolean take(long bytes) {
    long missing = heldBytes + bytes - reservedBytes;
    if (missing > 0) {
      if (account.tryReserveSpare(missing + spareBytes)) {
        reservedBytes += missing + spareBytes;
      } else if (account.tryReserve(missing)) {
        reservedBytes += missing;
      } else {
        return false;
      }
    }
    heldBytes += bytes;
    return true;
  }

  /**
   * Charges {@code bytes} if they fit and a part of the account stays free, for what cannot be
   * elsewhere; and says whether they did.
   */
  boolean takeLeaving(long bytes, long roomBytes) {
    long missing = heldBytes + bytes - reservedBytes;
    if (missing > 0) {
      if (account.tryReserveLeaving(missing + spareBytes, roomBytes)) {
        reservedBytes += missing + spareBytes;
      } else if (account.tryReserveLeaving(missing, roomBytes)) {
        reservedBytes += missing;
      } else {
        return false;
      }
    }
    heldBytes += bytes;
    return true;
  }

  /**
   * Charges {@code bytes} if they fit, or if all that is held is little: that passes even where the
   * account is full, so that no budget stops a pipeline.
   */
  public boolean takeOrPass(long bytes) {
    if (take(bytes)) {
      return true;
    }
    if (heldBytes + bytes > LITTLE_BYTES) {
      return false;
    }
    takeAnyway(bytes);
    return true;
  }

  /** Charges {@code bytes} even beyond the limit: what was held before a checkpoint, say. */
  public void takeAnyway(long bytes) {
    if (!take(bytes)) {
      long missing = heldBytes + bytes - reservedBytes;
      account.reserve(missing);
      reservedBytes += missing;
      heldBytes += bytes;
    }
  }

  /** Gives back what was charged for something that is not held any more. */
  public void letGo(long bytes) {
    if (bytes < 0 || bytes > heldBytes) {
      throw new IllegalStateException(
          "holding: expected to let go of 0 to %d bytes, but got %d".formatted(heldBytes, bytes));
    }
    heldBytes -= bytes;
    if (reservedBytes - heldBytes > 2 * spareBytes) {
      giveBack(reservedBytes - heldBytes - spareBytes);
    }
  }

  /** Charges {@code after} in the place of {@code before}; false, and nothing changed, if not. */
  public boolean exchange(long before, long after) {
    if (after > before) {
      return take(after - before);
    }
    letGo(before - after);
    return true;
  }

  private void giveBack(long bytes) {
    account.release(bytes);
    reservedBytes -= bytes;
  }

  /** What is held. */
  public long bytes() {
    return heldBytes;
  }

  /** That the account is full, and how full, for messages. */
  public String isFull() {
    return "the %s account is full (%s)".formatted(account.name(), account.fill());
  }

  /** How full the account is, for messages. */
  public String holds() {
    return account.holds();
  }

  /** What to raise so that there is room, for messages. */
  public String option() {
    return account.option();
  }

  /** Gives everything back; doing so again does nothing. */
  @Override
  public void close() {
    heldBytes = 0;
    giveBack(reservedBytes);
  }
}
