package dev.headrace;

import dev.headrace.data.Log;
import dev.headrace.data.Plural;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Deals the elements of a pipeline out to several consumers in turn, as cards are dealt.
 *
 * <p>A consumer that needs an element pulls, for itself and for those whose turn comes before; no
 * consumer is more than a few elements ahead of the others.
 *
 * <p><b>Threading:</b> guarded by its lock, which is not held while the pipeline is pulled.
 */
final class Splitter<T> {
  /** How many elements may wait for a consumer before the others wait for it. */
  private static final int MOST_WAITING = 2;

  /** How often a consumer that waits for others looks whether they live. */
  private static final long LOOK_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final System.Logger LOG = Log.named("headrace.pipeline");

  /** An element, or what was thrown in its place. */
  private record Dealt<T>(@Nullable Kept<T> element, @Nullable RuntimeException failure) {
    void giveBack() {
      if (element != null) {
        element.close();
      }
    }
  }

  private final Pipeline<T> pipeline;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<ArrayDeque<Dealt<T>>> waiting = new ArrayList<>();
  private final List<@Nullable Dealt<T>> inHand = new ArrayList<>();
  private final long[] epochOf;

  /** The thread that asked for each share last. */
  private final @Nullable Thread[] threads;

  private boolean saidGone;
  private long epoch;
  private @Nullable Iterator<T> elements;
  private boolean ended = true;
  private boolean pulling;
  private int turn;

  Splitter(Pipeline<T> pipeline, int count) {
    this.pipeline = pipeline;
    this.epoch = pipeline.epoch();
    this.epochOf = new long[count];
    this.threads = new Thread[count];
    for (int i = 0; i < count; i++) {
      waiting.add(new ArrayDeque<>());
      inHand.add(null);
      epochOf[i] = epoch;
    }
  }

  int count() {
    return epochOf.length;
  }

  /** Begins the next epoch of one consumer; returns its number. */
  long startEpoch(int share) {
    lock.lock();
    try {
      giveBack(share);
      threads[share] = Thread.currentThread();
      long wanted = ++epochOf[share];
      if (epoch < wanted) { // what waits is left of the epoch before
        waiting.get(share).forEach(Dealt::giveBack);
        waiting.get(share).clear();
        changed.signalAll();
      }
      try {
        while (epoch < wanted) {
          if (!pulling && allAreThrough(wanted)) {
            startPipeline(wanted);
          } else {
            boolean _ = await();
          }
        }
      } catch (Throwable e) {
        epochOf[share]--; // asked again, it is the same epoch
        changed.signalAll();
        throw e;
      }
      return wanted;
    } finally {
      lock.unlock();
    }
  }

  /** Starts the pipeline's next epoch, which may read long; lets go of the lock meanwhile. */
  private void startPipeline(long wanted) {
    pulling = true;
    lock.unlock();
    Iterator<T> started = null;
    try {
      started = pipeline.iterator();
    } finally {
      lock.lock();
      pulling = false;
      if (started != null) {
        elements = started;
        epoch = wanted;
        ended = false;
        turn = 0;
      }
      changed.signalAll();
    }
  }

  private boolean allAreThrough(long wanted) {
    for (int i = 0; i < epochOf.length; i++) {
      if (epochOf[i] < wanted && !(ended && waiting.get(i).isEmpty())) {
        return false;
      }
    }
    return true;
  }

  boolean hasNext(int share, long itsEpoch) {
    lock.lock();
    try {
      threads[share] = Thread.currentThread();
      while (itsEpoch == epoch && waiting.get(share).isEmpty() && !ended) {
        boolean othersBehind =
            turn != share && epochOf[turn] <= epoch && waiting.get(turn).size() >= MOST_WAITING;
        if (pulling || othersBehind) {
          if (!await()) {
            sayIfGone(turn);
          }
        } else {
          pullOne();
        }
      }
      return itsEpoch == epoch && !waiting.get(share).isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Pulls the next element for the consumer whose turn it is; lets go of the lock meanwhile. */
  private void pullOne() {
    Iterator<T> source = elements;
    if (source == null) {
      throw new IllegalStateException("split: call iterator() first");
    }
    pulling = true;
    lock.unlock();
    Dealt<T> dealt = null;
    try {
      if (source.hasNext()) {
        dealt = pull(source);
      }
    } finally {
      lock.lock();
      pulling = false;
      changed.signalAll();
    }
    if (dealt == null) {
      ended = true;
      return;
    }
    if (epochOf[turn] <= epoch && !pipeline.isClosed()) {
      waiting.get(turn).addLast(dealt);
    } else {
      dealt.giveBack(); // its consumer has left this epoch, or everybody has
    }
    turn = (turn + 1) % epochOf.length;
  }

  private Dealt<T> pull(Iterator<T> source) {
    try {
      return new Dealt<>(pipeline.keep(source.next()), null);
    } catch (PipelineException e) {
      return new Dealt<>(null, e);
    }
  }

  T next(int share) {
    lock.lock();
    try {
      giveBack(share);
      Dealt<T> dealt = waiting.get(share).removeFirst();
      changed.signalAll();
      if (dealt.failure != null) {
        throw dealt.failure;
      }
      inHand.set(share, dealt);
      Kept<T> kept = dealt.element;
      if (kept == null) {
        throw new IllegalStateException("split: an element was dealt without a value");
      }
      return kept.value();
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(int share) {
    Dealt<T> last = inHand.set(share, null);
    if (last != null) {
      last.giveBack();
    }
  }

  /** Fails unless every element that was pulled has been handed to its consumer. */
  void checkLevel() {
    lock.lock();
    try {
      for (int i = 0; i < waiting.size(); i++) {
        // A consumer whose turn is next in a round that others have begun is behind, too.
        int behind = i > 0 && i == turn && !ended ? 1 : waiting.get(i).size();
        if (pulling || behind > 0) {
          throw new IllegalStateException(
              ("checkpoint: expected all %d %s to stand at the same step, but share %d is %s"
                      + " behind; take checkpoints where all of them wait for each other")
                  .formatted(
                      waiting.size(),
                      Plural.word(waiting.size(), "consumer"),
                      i,
                      Plural.of(behind, "element")));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Gives everything back when the pipeline is closed. */
  void close() {
    lock.lock();
    try {
      for (int i = 0; i < waiting.size(); i++) {
        waiting.get(i).forEach(Dealt::giveBack);
        waiting.get(i).clear();
        giveBack(i);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Warns once if the thread of a consumer that others wait for has ended; without the lock. */
  private void sayIfGone(int behind) {
    Thread last = threads[behind];
    if (saidGone || pulling || last == null || last.isAlive()) {
      return;
    }
    saidGone = true;
    lock.unlock();
    try {
      LOG.log(
          System.Logger.Level.WARNING,
          "split: expected all {0} consumers to go on, but {1} waits for share {2}, whose thread"
              + " {3} has ended; let another thread read that share, or close the pipeline",
          epochOf.length,
          Thread.currentThread().getName(),
          behind,
          last.getName());
    } finally {
      lock.lock();
    }
  }

  /** Waits for a change; false if there was none for a while. */
  private boolean await() {
    boolean isChanged;
    if (pipeline.isClosed()) {
      throw new IllegalStateException("pipeline: it was closed while an element was asked for");
    }
    try {
      isChanged = changed.awaitNanos(LOOK_AGAIN_NS) > 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PipelineInterruptedException(
          "split: interrupted while waiting for other consumers");
    }
    if (pipeline.isClosed()) {
      throw new IllegalStateException("pipeline: it was closed while an element was asked for");
    }
    return isChanged;
  }
}
