package dev.headrace.cuda;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A few threads that help the one which prepares work for the device: copying files aside, decoding
 * what the device cannot.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 *
 * <p><b>Ownership:</b> the code that made it closes it. Threads are made when there is work for
 * them, and end after a second without.
 */
final class Workers implements AutoCloseable {
  private static final long IDLE_SECONDS = 1;

  private final ThreadPoolExecutor threads;
  private final int most;

  /**
   * Workers of that name.
   *
   * @param most how many work at once, the calling thread included
   */
  Workers(String name, int most) {
    this.most = most;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            Math.max(1, most - 1),
            Math.max(1, most - 1),
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task ->
                Thread.ofPlatform()
                    .name("headrace-" + name + "-" + number.incrementAndGet())
                    .daemon(true)
                    .unstarted(task));
    threads.allowCoreThreadTimeOut(true);
  }

  int most() {
    return most;
  }

  /**
   * Does {@code body} for each number below {@code count}, in any order, by at most {@code
   * parallelism} threads of which the caller is one. What one of them throws is thrown, once all
   * have ended.
   */
  void forEach(int count, int parallelism, IntConsumer body) {
    int helpers = Math.min(Math.min(parallelism, most), count) - 1;
    Work work = new Work(count, Math.max(0, helpers), body);
    for (int i = 0; i < helpers; i++) {
      try {
        threads.execute(work);
      } catch (RejectedExecutionException e) {
        work.ended.countDown(); // closed meanwhile: the caller does all
      }
    }
    work.doAll();
    work.awaitHelpers();
    work.rethrow();
  }

  private static final class Work implements Runnable {
    private final int count;
    private final IntConsumer body;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final CountDownLatch ended;

    Work(int count, int helpers, IntConsumer body) {
      this.count = count;
      this.body = body;
      this.ended = new CountDownLatch(helpers);
    }

    @Override
    public void run() {
      try {
        doAll();
      } finally {
        ended.countDown();
      }
    }

    void doAll() {
      try {
        for (int i = next.getAndIncrement();
            i < count && failure.get() == null;
            i = next.getAndIncrement()) {
          body.accept(i);
        }
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      }
    }

    void awaitHelpers() {
      boolean interrupted = false;
      while (true) {
        try {
          ended.await();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    void rethrow() {
      switch (failure.get()) {
        case null -> {}
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        case Throwable e -> throw new AssertionError(e); // a consumer declares none
      }
    }
  }

  @Override
  public void close() {
    threads.shutdown(); // forEach has returned: nothing is left to do
    boolean interrupted = false;
    while (!threads.isTerminated()) {
      try {
        boolean _ = threads.awaitTermination(1, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
