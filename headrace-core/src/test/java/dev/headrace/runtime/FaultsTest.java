package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.spi.Order;
import dev.headrace.testing.NoLeftovers;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An OutOfMemoryError in any step of a stage reaches the consumer, and nothing hangs or stays. */
@Timeout(120)
@ExtendWith(NoLeftovers.class)
class FaultsTest {
  private static final int ELEMENTS = 300;

  /** Thrown many times, as the JVM does with the ones it has made beforehand. */
  private static final OutOfMemoryError ERROR = new OutOfMemoryError("injected");

  private static final Set<Step> MET = ConcurrentHashMap.newKeySet();

  @AfterEach
  void clear() {
    Step.probe = null;
  }

  private static long slowNow(long x) {
    if (x % 50 == 49) {
      LockSupport.parkNanos(1_500_000); // so that chunks are split
    }
    return x;
  }

  private static List<Dataset<Long>> pipelines() {
    Dataset<Long> range = Dataset.range(ELEMENTS);
    return List.of(
        range.map(x -> slowNow(x), 3),
        range.map(x -> slowNow(x), 2, Order.UNORDERED),
        range.map(x -> x, 2).batch(3, batch -> batch.getFirst()).prefetch(4),
        range.filter(x -> x % 2 == 0, 2).prefetch(2),
        range.interleave(x -> Dataset.range(x, x + 3), 4, 1, 2),
        range.shuffle(20, dev.headrace.data.Seed.of(1)).map(x -> x, Dataset.AUTOTUNE).repeat(2));
  }

  /** What the consumer got, and that the error came to it if anything was missing. */
  private static void run(Dataset<Long> dataset, List<Long> all, boolean ordered, String what) {
    List<Long> got = new ArrayList<>();
    PipelineException failed = null;
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> elements = pipeline.iterator();
      try {
        elements.forEachRemaining(got::add);
      } catch (PipelineException e) {
        failed = e;
      }
    }
    if (failed == null) {
      assertThat(got).as(what).hasSameSizeAs(all);
    } else {
      assertThat(failed).as(what).hasRootCause(ERROR);
      assertThat(failed.isTerminal()).as(what).isTrue();
    }
    if (ordered) {
      assertThat(got).as(what).isEqualTo(all.subList(0, got.size()));
    } else {
      assertThat(all).as(what).containsAll(got);
    }
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void anErrorInAnyStepReachesTheConsumerAndNothingIsLeft(Step step) {
    List<Dataset<Long>> pipelines = pipelines();
    for (int i = 0; i < pipelines.size(); i++) {
      Step.probe = null;
      List<Long> all = pipelines.get(i).toList();
      for (int at : new int[] {1, 2, 7}) {
        for (int times : new int[] {1, Integer.MAX_VALUE / 2}) {
          AtomicInteger count = new AtomicInteger();
          Step.probe =
              reached -> {
                if (reached == step) {
                  int now = count.incrementAndGet();
                  if (now >= at && now - at < times) {
                    MET.add(step);
                    throw ERROR;
                  }
                }
              };
          run(
              pipelines.get(i),
              all,
              i != 1,
              "%s of pipeline %d, %d times from the %dth".formatted(step, i, times, at));
        }
      }
    }
    assertThat(MET).contains(step);
  }

  /** As if the JVM had dropped the frame that would have given the lock back. */
  private static void loseLock() {
    WorkerCrew crew = WorkerCrew.ofCurrentThread();
    if (crew != null) {
      crew.lock.lock();
    }
    throw ERROR;
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"BEGIN", "PULL", "PULLED", "WORK", "WEIGH", "FINISH", "NAP", "LEAVE"})
  void aLockThatAWorkerLostStopsNoOneElse(Step step) {
    List<Dataset<Long>> pipelines = pipelines();
    for (int i = 0; i < pipelines.size(); i++) {
      Step.probe = null;
      List<Long> all = pipelines.get(i).toList();
      AtomicInteger count = new AtomicInteger();
      Step.probe =
          reached -> {
            if (reached == step && count.incrementAndGet() == 2) {
              loseLock();
            }
          };
      run(pipelines.get(i), all, i != 1, "%s of pipeline %d".formatted(step, i));
    }
  }

  @Test
  void errorsInSeveralStepsAtOnceDoNotHangEither() {
    List<Dataset<Long>> pipelines = pipelines();
    for (int i = 0; i < pipelines.size(); i++) {
      Step.probe = null;
      List<Long> all = pipelines.get(i).toList();
      for (int seed = 0; seed < 20; seed++) {
        AtomicInteger count = new AtomicInteger(17 * seed);
        int every = 3 + seed;
        Step.probe =
            reached -> {
              if (count.incrementAndGet() % every == 0) {
                throw ERROR;
              }
            };
        run(pipelines.get(i), all, i != 1, "pipeline %d, seed %d".formatted(i, seed));
      }
    }
  }
}
