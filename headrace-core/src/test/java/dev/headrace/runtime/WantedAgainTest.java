package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.profile.OpStats;
import dev.headrace.testing.NoLeftovers;
import java.util.Iterator;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Workers that were given back while the consumer paused are there again when it goes on. */
@ExtendWith(NoLeftovers.class)
@Timeout(60)
class WantedAgainTest {
  @Test
  void workersComeBack() throws InterruptedException {
    Dataset<Long> numbers = Dataset.range(Long.MAX_VALUE).map(x -> burn(x), Dataset.AUTOTUNE);
    try (Pipeline<Long> pipeline = numbers.options(Options.defaults().cpuBudget(2)).open()) {
      Iterator<Long> epoch = pipeline.iterator();
      for (int i = 0; i < 200 || workers(pipeline) < 2; i++) {
        epoch.next();
      }
      while (workers(pipeline) > 1) {
        Thread.sleep(20); // nobody asks for anything
      }
      while (workers(pipeline) < 2) { // ends by the timeout if they do not
        epoch.next();
      }
      assertThat(workers(pipeline)).isEqualTo(2);
    }
  }

  @Test
  void theyComeBackAllAtOnce() throws InterruptedException {
    Dataset<Long> numbers =
        Dataset.range(Long.MAX_VALUE)
            .map(
                x -> {
                  Thread.sleep(2);
                  return x;
                },
                Dataset.AUTOTUNE);
    try (Pipeline<Long> pipeline = numbers.open()) {
      Iterator<Long> epoch = pipeline.iterator();
      while (!cameBackAtOnce(pipeline)) { // a busy machine may see another reason first
        while (workers(pipeline) < 8) {
          epoch.next();
        }
        while (workers(pipeline) > 2) {
          Thread.sleep(20);
        }
        while (workers(pipeline) < 8) { // ends by the timeout if they do not
          epoch.next();
        }
      }
    }
  }

  private static boolean cameBackAtOnce(Pipeline<?> pipeline) {
    return pipeline.stats().knobChanges().stream()
        .anyMatch(
            change ->
                change.why().equals("it is waited for again, as before") && change.after() >= 8);
  }

  private static long burn(long x) {
    long end = System.nanoTime() + 2_000_000;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    return x;
  }

  private static int workers(Pipeline<?> pipeline) {
    OpStats map =
        pipeline.stats().operators().stream()
            .filter(op -> op.word().equals("map"))
            .findFirst()
            .orElseThrow();
    return map.stage() == null ? 0 : Objects.requireNonNull(map.stage()).targetWorkers();
  }
}
