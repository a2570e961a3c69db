package dev.headrace;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds threads that ask one pipeline for elements at the same time, and functions that ask the
 * pipeline that runs them.
 *
 * <p>Threads may take turns, as long as one has finished before the next begins: what counts is
 * that two are inside at once, not that there are two.
 */
final class OneAtATime {
  /*
   * A lock, or even a mark while a thread is inside, would cost nanoseconds an element. Here the
   * thread that asked last is remembered, and another one has to take over. Two threads that ask at
   * the same time take over all the time; they are found out when both try, when one holds the
   * cursors, or when the pipeline's two counts of what it delivered differ: they are plain fields,
   * so one of two threads that add at once is lost, and not the same in both. A single overlap may
   * go unseen; of thousands none does. Threads that take turns see each other's writes, so there are
   * no false alarms.
   */
  private static final VarHandle USER;

  static {
    try {
      USER = MethodHandles.lookup().findVarHandle(OneAtATime.class, "user", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final OpenParts parts;

  /** The thread that asked last; null before the first, and after a misuse. */
  private @Nullable Thread user;

  private volatile @Nullable String misuse;

  OneAtATime(OpenParts parts) {
    this.parts = parts;
  }

  /** Whether the calling thread asked last, and so need not {@link #takeOver}. */
  boolean isUser() {
    return user == Thread.currentThread();
  }

  /** Lets the calling thread have the cursors, which it gives back by unlocking. */
  void lockCursors() {
    if (parts.running.isHeldByCurrentThread()) {
      throw insideItself();
    }
    if (!parts.running.tryLock()) {
      if (!parts.closed) {
        throw misused(null);
      }
      parts.running.lock(); // after the thread that closes
    }
  }

  /**
   * Lets the calling thread ask from now on.
   *
   * @param counts whether the pipeline's counts agree, which they do while no thread is inside
   */
  void takeOver(BooleanSupplier counts) {
    Thread me = Thread.currentThread();
    Thread before = (Thread) USER.getVolatile(this);
    if (misuse != null) {
      throw misused(before);
    }
    if (parts.engine.isOnWorker()) {
      throw insideItself();
    }
    if (parts.running.isLocked() && !parts.closed) {
      throw new IllegalStateException(text(before)); // in time: the other one goes on unharmed
    }
    if (!USER.compareAndSet(this, before, me) || !counts.getAsBoolean()) {
      throw misused(before);
    }
  }

  /** Fails if two threads have counted at the same time. */
  void check(BooleanSupplier counts) {
    if (!counts.getAsBoolean()) {
      throw misused(null);
    }
  }

  private static IllegalStateException insideItself() {
    return new IllegalStateException(
        "pipeline: expected elements to be asked for outside of the pipeline, but a function that"
            + " it runs did, on thread "
            + Thread.currentThread().getName()
            + ", and would wait for itself; open another pipeline there");
  }

  private IllegalStateException misused(@Nullable Thread other) {
    String known = misuse;
    if (known == null) {
      known = text(other);
      misuse = known;
      USER.setVolatile(this, null); // so that everybody comes by here from now on
    }
    return new IllegalStateException(known);
  }

  private static String text(@Nullable Thread other) {
    return ("pipeline: expected one thread at a time to ask for elements, but %s and %s did at the"
            + " same time, so that elements may be lost or given twice; use split(n), which gives"
            + " each thread a share of its own")
        .formatted(
            Thread.currentThread().getName(), other == null ? "another thread" : other.getName());
  }
}
