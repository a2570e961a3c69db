package dev.headrace.cuda;

import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls that keep a core busy, one after the other, in a thread of its own; and in another
 * one from then on, where that one's core is faster.
 *
 * <p>NvJPEG's call for the chip's engines spins until they are through with a batch. On an H200
 * with 16 cores it took 6.7 ms for 256 images on fifteen of them and 15 ms on one, always the same,
 * and the system leaves a busy thread where it is. So a second thread makes some of the calls now
 * and then, and where calls have become slower: the faster one of the two goes on.
 *
 * <p><b>Threading:</b> safe for any number of threads; their calls wait for each other.
 *
 * <p><b>Ownership:</b> the code that made it closes it. Threads are made when there is work for
 * them, and end after a second without.
 */
final class CallingThread implements AutoCloseable {
  private static final long IDLE_SECONDS = 1;

  /** So many calls tell how fast a thread is, but for the slowest of them. */
  private static final int LOOKED_AT = 8;

  /** So many calls until another thread is tried; four times as many after each that was no use. */
  private static final int FIRST_TRIAL = 24;

  private static final int MOST_BETWEEN = 64 * FIRST_TRIAL;

  /** Who needs less than this share of the other's time takes over. */
  private static final double FASTER = 0.8;

  /** Calls have become slower when they take this many times of what they took. */
  private static final double SLOWER = 1.5;

  private final String name;
  private final LongSupplier clock;
  private @Nullable Caller usual;
  private @Nullable Caller onTrial;

  /** Since the last trial ended, or since this one began. */
  private int calls;

  private int between = FIRST_TRIAL;

  /** So many calls until slower ones are a reason for a trial; more after each that was no use. */
  private int betweenSlower = LOOKED_AT;

  private boolean isForSlower;

  /** What the usual one needed for a piece when the two were compared. */
  private double compared = Double.POSITIVE_INFINITY;

  private boolean closed;

  /** For threads of that name. */
  CallingThread(String name) {
    this(name, System::nanoTime);
  }

  CallingThread(String name, LongSupplier clock) {
    this.name = name;
    this.clock = clock;
  }

  /**
   * Makes a call, however often this thread is interrupted meanwhile.
   *
   * @param call returns 0, or what went wrong: then its time tells nothing
   * @param pieces what it has to do, so that the times of several can be compared
   * @return what it returns
   */
  synchronized int call(IntSupplier call, int pieces) {
    if (closed) {
      throw new IllegalStateException(name + ": expected it to be open, but it was closed");
    }
    Caller first = usual;
    if (first == null) {
      first = new Caller();
      usual = first;
    }
    Caller second = onTrial;
    if (second == null) {
      boolean isDue = isDue(first);
      Future<Integer> begun = first.begin(call, pieces);
      if (isDue) {
        tryAnother(); // now: while the other keeps its core busy, it begins elsewhere
      }
      return result(begun);
    }
    if (calls == 0) {
      first.forget();
    }
    // By twos, so that calls of two kinds in turn are not one thread's and the other's.
    boolean isFirst = calls++ / 2 % 2 == 0;
    int result = result((isFirst ? first : second).begin(call, pieces));
    if (first.isKnown() && second.isKnown()) {
      compare(first, second);
    }
    return result;
  }

  private boolean isDue(Caller first) {
    calls++;
    boolean isSlower =
        calls >= betweenSlower && first.isKnown() && first.nsPerPiece() > SLOWER * compared;
    isForSlower = isSlower && calls < between;
    return isSlower || calls >= between;
  }

  private void tryAnother() {
    calls = 0;
    try {
      Caller second = new Caller();
      second.start();
      onTrial = second;
    } catch (OutOfMemoryError e) {
      between = MOST_BETWEEN; // there is no other thread: it goes without
    }
  }

  private void compare(Caller first, Caller second) {
    boolean isFaster = second.nsPerPiece() < FASTER * first.nsPerPiece();
    Caller stays = isFaster ? second : first;
    (isFaster ? first : second).close();
    usual = stays;
    onTrial = null;
    calls = 0;
    compared = stays.nsPerPiece();
    if (isFaster) {
      between = FIRST_TRIAL;
      betweenSlower = LOOKED_AT;
    } else if (isForSlower) {
      betweenSlower = Math.min(4 * betweenSlower, MOST_BETWEEN);
    } else {
      between = Math.min(4 * between, MOST_BETWEEN);
    }
  }

  private static int result(Future<Integer> begun) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return begun.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw new AssertionError(e); // a supplier declares none
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Ends the threads; no call is under way. */
  @Override
  public synchronized void close() {
    closed = true;
    for (Caller caller : new @Nullable Caller[] {usual, onTrial}) {
      if (caller != null) {
        caller.close();
      }
    }
  }

  /** A thread that makes calls, and how long they took. */
  private final class Caller {
    private final ThreadPoolExecutor thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> Thread.ofPlatform().name("headrace-" + name).daemon(true).unstarted(task));

    /** Of the latest calls, in a ring. Written by the thread, and read when it is through. */
    private final double[] nsPerPiece = new double[LOOKED_AT];

    private int made;

    Caller() {
      thread.allowCoreThreadTimeOut(true);
    }

    /** Makes the thread, though it has nothing to do yet. */
    void start() {
      boolean _ = thread.prestartCoreThread();
    }

    Future<Integer> begin(IntSupplier call, int pieces) {
      return thread.submit(
          () -> {
            long startNs = clock.getAsLong();
            int result = call.getAsInt();
            if (result == 0) {
              long ns = clock.getAsLong() - startNs;
              nsPerPiece[made++ % LOOKED_AT] = (double) ns / Math.max(1, pieces);
            }
            return result;
          });
    }

    void forget() {
      made = 0;
    }

    boolean isKnown() {
      return made >= LOOKED_AT;
    }

    /** What a piece took, in the mean of the latest calls but the slowest: the first one, say. */
    double nsPerPiece() {
      double slowest = Arrays.stream(nsPerPiece).max().orElseThrow();
      return (Arrays.stream(nsPerPiece).sum() - slowest) / (LOOKED_AT - 1);
    }

    void close() {
      thread.close();
    }
  }
}
