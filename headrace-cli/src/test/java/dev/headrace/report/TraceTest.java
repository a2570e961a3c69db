package dev.headrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.profile.Diagnosis;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceTest {
  private static List<Map<?, ?>> events(Trace trace) throws IOException {
    Map<?, ?> document = (Map<?, ?>) Objects.requireNonNull(JsonParser.parse(trace.json()));
    assertThat(document.get("displayTimeUnit")).isEqualTo("ms");
    return ((List<?>) Objects.requireNonNull(document.get("traceEvents")))
        .stream().<Map<?, ?>>map(event -> (Map<?, ?>) event).toList();
  }

  private static double number(Map<?, ?> event, String field) {
    return ((Number) Objects.requireNonNull(event.get(field))).doubleValue();
  }

  /** What both viewers ask of a file. */
  private static void assertWellFormed(List<Map<?, ?>> events) {
    double last = 0;
    for (Map<?, ?> event : events) {
      assertThat(event.get("name")).isInstanceOf(String.class);
      assertThat(event.get("pid")).isInstanceOf(Long.class);
      assertThat(event.get("tid")).isInstanceOf(Long.class);
      assertThat(event.get("args")).isInstanceOf(Map.class);
      String phase = (String) event.get("ph");
      assertThat(phase).isIn("M", "X", "C", "i");
      if ("M".equals(phase)) {
        continue;
      }
      assertThat(number(event, "ts")).isGreaterThanOrEqualTo(last);
      last = number(event, "ts");
      if ("X".equals(phase)) {
        assertThat(number(event, "dur")).isGreaterThanOrEqualTo(0);
      }
      if ("C".equals(phase)) {
        assertThat(((Map<?, ?>) event.get("args")).get("value")).isInstanceOf(Number.class);
      }
    }
  }

  @Test
  void hasStepsActivityAndCounters() throws IOException {
    List<Map<?, ?>> events = events(Trace.of(Samples.faster()));
    assertWellFormed(events);
    assertThat(events)
        .extracting(event -> String.valueOf(event.get("name")))
        .contains(
            "step",
            "wait for data",
            "training loop waits, %",
            "heap, MB",
            "buffer of map 'decode' (Train.java:22) [0.0.0.0]");
    assertThat(events)
        .anyMatch(event -> String.valueOf(event.get("name")).matches("map 9\\d\u00a0%"))
        .anyMatch(event -> String.valueOf(event.get("args")).contains("(the limit)"));
  }

  @Test
  void slicesOfOneThreadDoNotOverlap() throws IOException {
    List<Map<?, ?>> events = events(Trace.of(Samples.branches()));
    for (long thread : List.of(1L, 10L, 13L)) {
      double end = 0;
      for (Map<?, ?> event : events) {
        if ("X".equals(event.get("ph")) && Objects.equals(event.get("tid"), thread)) {
          assertThat(number(event, "ts")).isGreaterThanOrEqualTo(end - 0.002);
          end = number(event, "ts") + number(event, "dur");
        }
      }
    }
  }

  @Test
  void oddDiagnosesGiveValidTraces() throws IOException {
    for (Diagnosis odd :
        List.of(
            OddSamples.nothing(),
            OddSamples.many(50),
            OddSamples.numbers(Double.NaN),
            OddSamples.numbers(Double.POSITIVE_INFINITY),
            OddSamples.everywhere("\"\\\u0000\n\ud800</script>"))) {
      assertWellFormed(events(Trace.of(odd)));
    }
  }

  @Test
  void aRecordingAddsWhatReallyHappened(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("run.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (Pipeline<Long> pipeline =
          Dataset.range(4)
              .map(
                  x -> {
                    Thread.sleep(25); // long enough to be recorded
                    return x;
                  })
              .prefetch(2)
              .open()) {
        for (Long ignored : pipeline) {}
      }
      recording.stop();
      recording.dump(file);
    }
    List<Map<?, ?>> events = events(Trace.of(Samples.flowers()).recording(file));
    assertWellFormed(events);
    assertThat(events)
        .extracting(event -> String.valueOf(event.get("name")))
        .contains("opened", "consumer waited");
  }
}
