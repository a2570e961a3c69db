package dev.headrace.runtime;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.golden.LogRecords;
import dev.headrace.testing.NoLeftovers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class StallReportTest {

  @Test
  void saysWhoWaitsForWhom() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    Dataset<Long> dataset =
        range(10)
            .map(
                x -> {
                  if (x == 4) {
                    waitForTheDisk(release);
                  }
                  return x;
                },
                2)
            .named("load")
            .map(x -> x + 1)
            .prefetch(1)
            .options(Options.defaults().stallAfter(Duration.ofMillis(30)));
    try (LogRecords log = LogRecords.of("headrace.engine")) {
      Thread releasing =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (log.messages().isEmpty()) {
                      LockSupport.parkNanos(1_000_000);
                    }
                    release.countDown();
                  });
      assertThat(dataset.count()).isEqualTo(10);
      releasing.join();
      List<String> messages = log.messages();
      assertThat(messages.getFirst())
          .containsPattern("pipeline-\\d+: the consumer has waited \\d+ ms for an element")
          .contains("and nothing has moved since. Who waits for whom:")
          .containsPattern("headrace-\\d+ prefetch@StallReportTest\\.java:\\d+ is waited for")
          .containsPattern("headrace-\\d+ map@StallReportTest\\.java:\\d+ is waited for")
          .contains("inside a function")
          .contains("StallReportTest.waitForTheDisk");
    }
  }

  private static void waitForTheDisk(CountDownLatch release) throws InterruptedException {
    release.await();
  }

  @Test
  void aSlowConsumerIsNoStall() {
    try (LogRecords log = LogRecords.of("headrace.engine")) {
      range(3)
          .map(x -> x, 2)
          .options(Options.defaults().stallAfter(Duration.ofMillis(20)))
          .forEach(x -> LockSupport.parkNanos(60_000_000));
      assertThat(log.messages()).isEmpty();
    }
  }
}
