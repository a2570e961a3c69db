package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/**
 * A running operator: it is pulled for chunks, tells its position, and can be put at one.
 *
 * <p>Operators write {@link #produce}, {@link #position} and {@link #moveTo}; the final methods
 * around them do the counting and timing, so that operators are bare.
 *
 * <p><b>Threading:</b> pulled, saved and closed by one thread at a time; the engine sees to it.
 *
 * <p><b>Ownership:</b> a cursor owns its inputs and closes them.
 */
public abstract class Cursor implements AutoCloseable {
  /** What the engine offers to this cursor. */
  protected final Context context;

  private final Meter meter;
  private @Nullable Chunk scratch;

  /** How many elements are still to be passed over, because an interrupt stopped {@link #skip}. */
  private long owed;

  protected Cursor(Context context) {
    this.context = context;
    this.meter = context.meter();
  }

  /** A cursor behind its operator's own, whose elements are not counted as the operator's. */
  protected Cursor(Context context, Meter meter) {
    this.context = context;
    this.meter = meter;
  }

  /** What was done at this cursor's place so far, in this pass and earlier ones. */
  public final Meter meter() {
    return meter;
  }

  /**
   * Replaces the content of {@code out} by between one and {@code max} elements, or by none at the
   * end. May give fewer than {@code max} when more would mean waiting.
   */
  public final void fill(Chunk out, int max) {
    if (max < 1) {
      throw new IllegalArgumentException("fill: expected at least 1 element, but got " + max);
    }
    out.clear();
    context.checkPull();
    while (owed > 0) {
      long count = owed;
      owed = 0;
      skip(count);
      context.checkPull();
    }
    if (meter.wantsTime()) {
      CpuSample cpu = meter.cpu();
      cpu.begin();
      long waited = ThreadClock.waitedNs();
      long start = System.nanoTime();
      give(out, max);
      long ns = System.nanoTime() - start;
      long _ = cpu.end(ns, meter.timedFor());
      meter.time(ns, ThreadClock.waitedNs() - waited, out.size());
      if (meter.wantsSize() && !out.isEmpty()) {
        meter.size(Weigher.aboutBytesOf(out) + Leases.bytesOf(out), out.size());
      }
    } else {
      give(out, max);
    }
    meter.count(out.size(), out.failures());
  }

  private void give(Chunk out, int max) {
    try {
      produce(out, max);
    } catch (Cancelled e) {
      if (!e.isPlaceKept()) {
        throw e;
      }
      if (!context.keepsPlace()) {
        throw new Cancelled(String.valueOf(e.getMessage()), false);
      }
      if (out.isEmpty()) {
        throw e;
      } // else what is there is complete, and the next pull is stopped
    }
  }

  /**
   * Appends between one and {@code max} elements to the empty {@code out}, or none at the end, and
   * again none when asked after the end. Between two calls the cursor must stand at a position that
   * {@link #position} can tell.
   */
  protected abstract void produce(Chunk out, int max);

  /** The position after the last chunk handed out. */
  public final State save() {
    return owed > 0 ? State.skipping(owed, position()) : position();
  }

  /**
   * The position after the last chunk handed out. An operator that gives one element for one may
   * give its input's; any other must wrap it, because a position may say "skip so many elements",
   * and those are counted where the position is restored. At its end, too, an operator tells its
   * inputs' positions: a cache among them says there what it holds.
   */
  protected abstract State position();

  /** Puts a fresh cursor at a saved position. */
  public final void restore(State saved) {
    State state = saved.settled();
    if (state.isSkip()) {
      restore(state.skipFrom());
      skip(state.skipCount());
    } else if (!state.isStart()) {
      context.asOne(() -> moveTo(state));
    }
  }

  /**
   * Puts a fresh cursor at a position that {@link #position} gave. An operator that keeps a
   * position of its input asks the input for it, after having put it there: the one it was given
   * tells nothing of the order met from now on.
   */
  protected abstract void moveTo(State state);

  /**
   * Passes over {@code count} elements; operators override it where that is cheaper than running.
   * It is never stopped halfway: what an interrupt keeps it from passing is passed by the next
   * pull.
   */
  public void skip(long count) {
    runOver(count);
  }

  /** Leaves so many elements to be passed over by the next pull. */
  protected final void owe(long count) {
    owed += count;
  }

  /** Passes over {@code count} elements by making and dropping them. */
  protected final void runOver(long count) {
    Chunk passed = new Chunk(); // not the scratch, which produce may use
    for (long left = count; left > 0; left -= passed.size()) {
      try {
        fill(passed, (int) Math.min(left, 1024));
      } catch (Cancelled e) {
        if (!e.isPlaceKept()) {
          throw e;
        }
        owe(left);
        return;
      } finally {
        Leases.giveBack(passed, "it was passed over");
        passed.letGo();
      }
      if (passed.isEmpty()) {
        break;
      }
    }
  }

  /**
   * Whether {@link #skip} leaves out calls of functions that were not declared pure. A resumed
   * pipeline may leave them out, because they were made before; one that runs may not.
   */
  public boolean leavesOutCalls() {
    return false;
  }

  /**
   * Passes over {@code count} elements in the course of a run: by {@link #skip}, or by making and
   * dropping them where that would leave out calls.
   */
  public final void passOver(long count) {
    if (leavesOutCalls()) {
      runOver(count);
    } else {
      skip(count);
    }
  }

  /**
   * Whether a pull would give something, or the end, without waiting for another thread. Asking
   * starts nothing, see {@link #start}.
   */
  public boolean isReady() {
    return true;
  }

  /** Begins to read ahead, where threads do that, without waiting for the first pull. */
  public void start() {}

  /** The cursor that reads ahead for this one: itself, unless an operator put one behind it. */
  public Cursor readingAhead() {
    return this;
  }

  /** A chunk of this cursor's own, for input that is not handed on as it is. */
  protected final Chunk scratch() {
    Chunk own = scratch;
    if (own == null) {
      own = new Chunk();
      scratch = own;
    }
    return own;
  }

  /** Closes this cursor and its inputs. */
  @Override
  public abstract void close();
}
