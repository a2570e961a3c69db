package dev.headrace.data;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.headrace.Dataset;
import dev.headrace.golden.LogRecords;
import dev.headrace.testing.NoLeftovers;
import java.lang.System.Logger.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
final class LogTest {
  @Test
  void aWarningIsLoggedOnce() {
    System.Logger log = Log.named("headrace.test");
    try (LogRecords records = LogRecords.of("headrace.test")) {
      for (int i = 0; i < 3; i++) {
        log.log(Level.WARNING, "a file is damaged");
        log.log(Level.WARNING, "{0} is damaged", "x");
        log.log(Level.WARNING, "{0} is damaged", "y");
      }
      Log.named("headrace.test").log(Level.WARNING, "a file is damaged");

      assertThat(records.records())
          .containsExactly("a file is damaged", "x is damaged", "y is damaged");
    }
  }

  @Test
  void errorsAndWhatWasThrownAreLoggedEachTime() {
    System.Logger log = Log.named("headrace.test");
    try (LogRecords records = LogRecords.of("headrace.test")) {
      for (int i = 0; i < 2; i++) {
        log.log(Level.ERROR, "lost");
        log.log(Level.WARNING, "close", new IllegalStateException("x"));
      }
      assertThat(records.messages()).containsExactly("lost", "close", "lost", "close");
    }
  }

  @Test
  void pipelinesOfOneDatasetWarnOnce() {
    Dataset<byte[]> large =
        Dataset.range(20)
            .map(x -> new byte[500_000])
            .prefetch(1000)
            .options(o -> o.heapBudget(2_000_000));
    try (LogRecords records = LogRecords.of("headrace.engine")) {
      for (int i = 0; i < 3; i++) {
        large.forEach(element -> {});
      }
      assertThat(records.messages()).hasSize(1).first(as(STRING)).contains("asked to hold");
    }
  }

  @Test
  void numbersInNamesAreNotTakenOut() {
    assertThat(Log.withoutNumbers("map (A.java:17): 1,000 of 20 in part-3.bin, 4 MB, x7"))
        .isEqualTo("map (A.java:17): # of # in part-3.bin, # MB, x7");
  }
}
