package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.data.Log;
import dev.headrace.testing.NoLeftovers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A log handler is foreign code: whatever it does, the pipeline goes on. */
@Timeout(60)
@ExtendWith(NoLeftovers.class)
class MessagesTest {
  private final Logger logger = Logger.getLogger("headrace.engine");
  private Handler added;

  /** Counted down when the handler is called. */
  private final CountDownLatch said = new CountDownLatch(1);

  @AfterEach
  void removeHandler() {
    logger.removeHandler(added);
  }

  private void handle(Consumer<String> with) {
    added =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            said.countDown();
            with.accept(record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Log.forgetWarnings(); // or what another test caused would not be told
    logger.addHandler(added);
  }

  /** A pipeline that warns under a lock: its buffer does not fit the budget. */
  private static Dataset<byte[]> warning() {
    return Dataset.range(200)
        .map(x -> new byte[100_000])
        .prefetch(10_000)
        .options(Options.defaults().memoryBudget(2_000_000));
  }

  /**
   * Consumes everything; after the first element it waits until the buffer is full, and said so.
   */
  private int size(Pipeline<byte[]> pipeline) throws InterruptedException {
    int count = 0;
    for (byte[] bytes : pipeline) {
      assertThat(bytes).hasSize(100_000);
      if (count++ == 0) {
        said.await();
      }
    }
    return count;
  }

  @Test
  void aHandlerThatThrowsCostsNoElement() throws InterruptedException {
    List<String> lines = new ArrayList<>();
    handle(
        line -> {
          lines.add(line);
          throw new AssertionError("the log is full");
        });
    try (Pipeline<byte[]> pipeline = warning().open()) {
      assertThat(size(pipeline)).isEqualTo(200);
    }
    assertThat(lines).anySatisfy(line -> assertThat(line).contains("asked to hold"));
  }

  @Test
  void whatWorkersLogByThemselvesIsLoggedElsewhere() throws InterruptedException {
    List<String> threads = new CopyOnWriteArrayList<>();
    handle(
        line -> {
          threads.add(Thread.currentThread().getName());
          throw new AssertionError("the log is full");
        });
    try (Pipeline<Long> pipeline =
        Dataset.range(4)
            .map(
                x -> {
                  Log.named("headrace.engine").log(System.Logger.Level.ERROR, "line " + x);
                  return x;
                },
                2)
            .open()) {
      for (Long x : pipeline) {
        assertThat(x).isNotNegative();
      }
    }
    assertThat(threads).hasSize(4).noneMatch(name -> name.contains("map"));
  }

  @Test
  void aHandlerThatWaitsForTheConsumerDoesNotStopIt() throws InterruptedException {
    CountDownLatch consumed = new CountDownLatch(1);
    CountDownLatch logged = new CountDownLatch(1);
    handle(
        line -> {
          try {
            consumed.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          logged.countDown();
        });
    try (Pipeline<byte[]> pipeline = warning().open()) {
      assertThat(size(pipeline)).isEqualTo(200);
      consumed.countDown();
      logged.await();
    }
  }

  @Test
  void aHandlerMayCallThePipelineFromAnyThread() throws InterruptedException {
    AtomicReference<Pipeline<byte[]>> open = new AtomicReference<>();
    CountDownLatch called = new CountDownLatch(1);
    handle(
        line -> {
          Thread asking =
              Thread.ofPlatform()
                  .start(
                      () -> {
                        assertThat(open.get().stats().operators()).isNotEmpty();
                        assertThat(open.get().explain()).isNotEmpty();
                        called.countDown();
                      });
          try {
            asking.join(); // needs the locks that the one who logs must not hold
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    try (Pipeline<byte[]> pipeline = warning().open()) {
      open.set(pipeline);
      assertThat(size(pipeline)).isEqualTo(200);
      called.await();
    }
  }

  @Test
  void aHandlerThatClosesThePipelineEndsIt() {
    AtomicReference<Pipeline<byte[]>> open = new AtomicReference<>();
    handle(line -> open.get().close());
    try (Pipeline<byte[]> pipeline = warning().open()) {
      open.set(pipeline);
      Throwable thrown = null;
      try {
        for (; ; ) {
          pipeline.iterator().forEachRemaining(bytes -> {});
        }
      } catch (IllegalStateException e) {
        thrown = e;
      }
      assertThat(thrown).hasMessageContaining("closed");
    }
  }
}
