package dev.headrace.runtime;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.golden.LogRecords;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@ExtendWith(NoLeftovers.class)
class EventsTest {
  @TempDir Path folder;

  @Test
  void theFlightRecorderIsTold() throws IOException {
    Path file = folder.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("headrace.PipelineOpened");
      recording.enable("headrace.ConsumerWaited");
      recording.enable("headrace.Stalled");
      recording.start();
      runUntilAStallIsReported();
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    RecordedEvent opened = first(events, "headrace.PipelineOpened");
    assertThat(opened.getString("pipeline")).startsWith("pipeline-");
    assertThat(opened.getString("plan"))
        .contains("map(")
        .contains("range(start=0, stop=3, step=1)");
    RecordedEvent waited = first(events, "headrace.ConsumerWaited");
    assertThat(waited.getLong("waitedNs")).isGreaterThan(1_000_000);
    assertThat(waited.getString("pipeline")).isEqualTo(opened.getString("pipeline"));
    RecordedEvent stalled = first(events, "headrace.Stalled");
    assertThat(stalled.getString("report")).contains("Who waits for whom");
  }

  private static void runUntilAStallIsReported() {
    try (LogRecords log = LogRecords.of("headrace.engine")) {
      Dataset<Long> dataset =
          range(3)
              .map(
                  x -> {
                    while (x == 1 && log.messages().isEmpty()) {
                      LockSupport.parkNanos(1_000_000);
                    }
                    return x;
                  },
                  2)
              .options(Options.defaults().stallAfter(Duration.ofMillis(20)));
      assertThat(dataset.count()).isEqualTo(3);
    }
  }

  private static RecordedEvent first(List<RecordedEvent> events, String name) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + name + " among " + events.size()));
  }
}
