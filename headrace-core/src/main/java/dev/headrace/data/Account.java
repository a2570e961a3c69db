package dev.headrace.data;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

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
     * Releases at least {@code bytes}, or all that it holds if that is less. Called by the thread
     * that needs them, which may be any thread.
     */
    void giveBack(long bytes);

    /** About what he could release. */
    default long spareBytes() {
      return Long.MAX_VALUE;
    }
  }

  /** In {@link #inWholes} once the wholes were left. */
  private static final long LEFT = Long.MIN_VALUE;

  private static final Account[] NONE = {};

  private final String name;
  private final boolean isProcessWide;
  private final Account[] parents; // an array: walking it must not allocate
  private volatile long limitBytes;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong buffered = new AtomicLong();
  private final AtomicLong peak = new AtomicLong();

  /*
   * What of it is in use in the wholes. A thread that is stuck may reserve and release while the
   * wholes are left, so what is given back there is taken out of these first: by that thread or by
   * who leaves, never by both.
   */
  private final AtomicLong inWholes = new AtomicLong();
  private final AtomicLong bufferedInWholes = new AtomicLong();
  private final List<SpareHolder> spareHolders = new CopyOnWriteArrayList<>();

  /**
   * An empty account that {@link #tryReserve} fills up to {@code limitBytes}.
   *
   * @param wholes accounts that it is a part of, whose budgets it shares with other parts
   */
  public Account(String name, long limitBytes, Account... wholes) {
    this(name, limitBytes, false, wholes.clone());
  }

  private Account(String name, long limitBytes, boolean isProcessWide, Account[] wholes) {
    this.name = name;
    this.isProcessWide = isProcessWide;
    this.parents = wholes;
    limit(limitBytes);
  }

  /** The account of all pipelines of this process, as messages call it. */
  public static Account ofProcess(String name, long limitBytes, Account... wholes) {
    return new Account(name, limitBytes, true, wholes.clone());
  }

  /** The accounts it is a part of; none once it has left them. */
  private Account[] wholes() {
    return inWholes.get() == LEFT ? NONE : parents;
  }

  /** Adds to what is in the wholes; false, and nothing added, if they were left. */
  private static boolean addUnlessLeft(AtomicLong counter, long bytes) {
    long before = counter.get();
    while (before != LEFT) {
      long seen = counter.compareAndExchange(before, before + bytes);
      if (seen == before) {
        return true;
      }
      before = seen;
    }
    return false;
  }

  /** Changes the limit; what is in use stays so. */
  public void limit(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          "account " + name + ": expected a limit of 0 bytes or more, but got " + bytes);
    }
    limitBytes = bytes;
  }

  /**
   * Reserves {@code bytes} if they fit below the limit, and says whether they did. Spare memory is
   * asked back for it, and buffers do not count: they empty by themselves.
   */
  public boolean tryReserve(long bytes) {
    return tryReserveSpare(bytes)
        || tryReserveInsteadOfSpare(bytes)
        || tryReserve(bytes, true); // buffers empty, and are not filled again before there is room
  }

  private boolean tryReserveInsteadOfSpare(long bytes) {
    Account full = fullest(bytes);
    for (SpareHolder holder : full.spareHolders) {
      holder.giveBack(bytes - freeBytes());
      if (tryReserveSpare(bytes)) {
        return true;
      }
    }
    return false;
  }

  /**
   * As {@link #tryReserve}, where {@code roomBytes} more are free then, for who cannot do without.
   */
  public boolean tryReserveLeaving(long bytes, long roomBytes) {
    long wanted = bytes + roomBytes;
    if (!mayFit(wanted, true)) {
      Account full = fullest(wanted);
      if (full.spareBytes() < wanted - full.freeBytes() - full.buffered.get()) {
        return false; // spare memory would not make room for it either
      }
      for (SpareHolder holder : full.spareHolders) {
        holder.giveBack(wanted - full.freeBytes() - full.buffered.get());
        if (mayFit(wanted, true)) {
          break;
        }
      }
    }
    return mayFit(wanted, true) && tryReserve(bytes);
  }

  /** What all who hold spare memory could release. */
  private long spareBytes() {
    long bytes = 0;
    for (SpareHolder holder : spareHolders) {
      bytes += Math.min(holder.spareBytes(), Long.MAX_VALUE - bytes);
    }
    return bytes;
  }

  /** The account in whose way {@code bytes} are: this one, or the first whole without room. */
  private Account fullest(long bytes) {
    if (bytes > limitBytes - used.get()) {
      return this;
    }
    for (Account whole : wholes()) {
      if (bytes > whole.freeBytes()) {
        return whole.fullest(bytes);
      }
    }
    return this;
  }

  /** Has {@code holder} asked for its memory whenever a reservation would not fit otherwise. */
  public void addSpareHolder(SpareHolder holder) {
    spareHolders.add(holder);
    for (Account whole : wholes()) {
      whole.addSpareHolder(holder);
    }
  }

  /** Ends that: the holder holds nothing any more. */
  public void removeSpareHolder(SpareHolder holder) {
    spareHolders.remove(holder);
    for (Account whole : parents) {
      whole.removeSpareHolder(holder);
    }
  }

  /** Reserves {@code bytes} if they are free, for something that will be given back when asked. */
  public boolean tryReserveSpare(long bytes) {
    return tryReserve(bytes, false);
  }

  /** Reserves here and in every whole, or nowhere. */
  private boolean tryReserve(long bytes, boolean insteadOfBuffers) {
    checkAmount("reserve", bytes);
    if (!mayFit(bytes, insteadOfBuffers)) {
      return false; // no other is refused because of what is taken back again
    }
    long now = tryAdd(bytes, insteadOfBuffers);
    if (now < 0) {
      return false;
    }
    Account[] all = wholes();
    for (int i = 0; i < all.length; i++) {
      if (!all[i].tryReserve(bytes, insteadOfBuffers)) {
        for (int done = 0; done < i; done++) {
          all[done].release(bytes);
        }
        used.addAndGet(-bytes);
        return false;
      }
    }
    isInWholes(all, bytes);
    raisePeak(now);
    return true;
  }

  /** Takes note of bytes that were reserved in the wholes, or gives them back if it left them. */
  private void isInWholes(Account[] all, long bytes) {
    if (all.length > 0 && !addUnlessLeft(inWholes, bytes)) {
      for (Account whole : all) {
        whole.release(bytes);
      }
    }
  }

  private boolean mayFit(long bytes, boolean insteadOfBuffers) {
    boolean fits = bytes <= limitBytes - used.get() + (insteadOfBuffers ? buffered.get() : 0);
    for (Account whole : wholes()) {
      fits &= whole.mayFit(bytes, insteadOfBuffers);
    }
    return fits;
  }

  /** What is used then, or −1 if it does not fit. */
  private long tryAdd(long bytes, boolean insteadOfBuffers) {
    long before = used.get();
    while (bytes <= limitBytes - before + (insteadOfBuffers ? buffered.get() : 0)) {
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
    Account[] all = wholes();
    for (Account whole : all) {
      whole.reserve(bytes);
    }
    isInWholes(all, bytes);
  }

  /**
   * Reserves {@code bytes}, even beyond the limit, for what flows through a buffer: a holder does
   * not fail because of it, but passes the limit for a while.
   */
  public void buffer(long bytes) {
    reserve(bytes);
    isBuffered(bytes);
  }

  /** The same if they are free; says whether they are. */
  public boolean tryBuffer(long bytes) {
    if (bytes == 0) {
      return true; // else a stage that needs none would be refused while the account is passed
    }
    if (!tryReserveSpare(bytes)) {
      return false;
    }
    isBuffered(bytes);
    return true;
  }

  private void isBuffered(long bytes) {
    buffered.addAndGet(bytes);
    if (parents.length > 0 && addUnlessLeft(bufferedInWholes, bytes)) {
      for (Account whole : parents) {
        whole.isBuffered(bytes);
      }
    }
  }

  /** Gives back what was reserved for a buffer. */
  public void unbuffer(long bytes) {
    isBuffered(-bytes);
    release(bytes);
  }

  /** What of it flows through buffers. */
  public long bufferedBytes() {
    return buffered.get();
  }

  /**
   * Leaves the wholes: what is still in use here, for instance by a thread that is stuck, is not in
   * use there.
   */
  public void leaveWholes() {
    long ofBuffers = bufferedInWholes.getAndSet(LEFT);
    long all = inWholes.getAndSet(LEFT);
    if (all == LEFT) {
      return;
    }
    for (Account whole : parents) {
      whole.isBuffered(-ofBuffers);
      whole.release(all);
    }
  }

  /** Gives reserved bytes back. Giving back more than is reserved is an error. */
  public void release(long bytes) {
    checkAmount("release", bytes);
    long before = used.get();
    while (bytes <= before) {
      long seen = used.compareAndExchange(before, before - bytes);
      if (seen == before) {
        if (parents.length > 0 && addUnlessLeft(inWholes, -bytes)) {
          for (Account whole : parents) {
            whole.release(bytes);
          }
        }
        return;
      }
      before = seen;
    }
    throw new IllegalStateException(
        ("account %s: expected to release at most the %d %s in use, but got %d;"
                + " release each reservation once")
            .formatted(name, before, Plural.word(before, "byte"), bytes));
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

  /** The most that could ever be reserved here: its limit, or that of a whole that has less. */
  public long mostBytes() {
    long most = limitBytes;
    for (Account whole : wholes()) {
      most = Math.min(most, whole.mostBytes());
    }
    return most;
  }

  /** How full it is, for messages. */
  public String holds() {
    return "the %s account holds %s".formatted(name, fill());
  }

  /** What is in use of the limit, of this account or of a whole that is fuller; for messages. */
  public String fill() {
    Account full = tightest();
    long limit = full.limitBytes;
    boolean isSmall = limit < 16L << 20;
    String unit = isSmall ? "kB" : "MB";
    int shift = isSmall ? 10 : 20;
    return "%,d %s of %,d %s%s"
        .formatted(
            full.usedBytes() >> shift, unit, limit >> shift, unit, full == this ? "" : full.of());
  }

  private String of() {
    return isProcessWide ? " for all pipelines of this process" : " for heap and batches";
  }

  /** The option that would make room, as messages name it. */
  public String option() {
    Account full = tightest();
    return full.isProcessWide
        ? "-Dheadrace.%s.budget".formatted(full.name)
        : "options.%sBudget".formatted(full.name);
  }

  /** This account, or the whole that has less room. */
  private Account tightest() {
    Account tightest = this;
    long least = limitBytes - used.get();
    for (Account whole : wholes()) {
      Account full = whole.tightest();
      long room = full.limitBytes - full.used.get();
      if (room < least || (room == least && !full.isProcessWide)) {
        tightest = full;
        least = room;
      }
    }
    return tightest;
  }

  /** What may still be reserved; negative while an oldest element passes beyond the limit. */
  public long freeBytes() {
    long free = limitBytes - used.get();
    for (Account whole : wholes()) {
      free = Math.min(free, whole.freeBytes());
    }
    return free;
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
    return "%s: %d of %d %s"
        .formatted(name, usedBytes(), limitBytes, Plural.word(limitBytes, "byte"));
  }
}
