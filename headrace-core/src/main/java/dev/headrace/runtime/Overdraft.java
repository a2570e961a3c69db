package dev.headrace.runtime;

import dev.headrace.data.Account;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One pipeline's right to take more than the process's account has.
 *
 * <p>An element that a consumer waits for passes even a full account, or a budget could stop a
 * pipeline for good. If many pipelines did so at once, they would take a multiple of the budget
 * together. So they take turns: one passes, and the next one when its consumer has the element.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 */
final class Overdraft {
  private final Turns turns;
  private volatile boolean isWaitedFor;

  Overdraft(Turns turns) {
    this.turns = turns;
  }

  /** Whether it looks as if {@link #tryBuffer} would take so many bytes. */
  boolean admits(long bytes) {
    return turns.areFree(bytes) || (isWaitedFor && turns.mayBe(this));
  }

  /** Takes {@code bytes} from a part of the account, for an element that is waited for. */
  boolean tryBuffer(Account part, long bytes) {
    return turns.tryBuffer(this, part, bytes);
  }

  /**
   * The consumer waits for an element, or has it: then it is the turn of another pipeline. Only a
   * pipeline whose consumer waits has a turn; others need not read ahead.
   */
  void consumerWaits(boolean waits) {
    isWaitedFor = waits;
    if (!waits && turns.current == this) {
      turns.end(this);
    }
  }

  /** Whose turn it is to take more than an account has. */
  static final class Turns {
    /** So small a part of the limit may be passed by all at once: small elements need no turn. */
    private static final int FREE_SHARE = 100;

    /** After so long another one may pass: the one whose turn it is may even wait for it. */
    static final long PATIENCE_NS = 100_000_000;

    private final Account account;
    private final LongSupplier clock;
    private volatile @Nullable Overdraft current;
    private volatile long sinceNs;

    Turns(Account account, LongSupplier clock) {
      this.account = account;
      this.clock = clock;
    }

    private boolean areFree(long bytes) {
      long limit = account.limitBytes();
      return bytes - limit / FREE_SHARE <= limit - account.usedBytes();
    }

    private boolean mayBe(Overdraft pipeline) {
      Overdraft its = current;
      return its == null || its == pipeline || clock.getAsLong() - sinceNs >= PATIENCE_NS;
    }

    private synchronized boolean tryBuffer(Overdraft pipeline, Account part, long bytes) {
      if (!areFree(bytes)) {
        if (!pipeline.isWaitedFor || !mayBe(pipeline)) {
          return false;
        }
        if (current != pipeline) {
          current = pipeline;
          sinceNs = clock.getAsLong();
        }
      }
      part.buffer(bytes);
      return true;
    }

    private synchronized void end(Overdraft pipeline) {
      if (current == pipeline) {
        current = null;
      }
    }
  }
}
