package dev.headrace.report;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/** What the Java Flight Recorder saw of pipelines, as events of a trace. */
final class RecordedEvents {
  private static final int WAITS = 1;
  private static final int KNOBS = 2;
  private static final int COLLECTOR = 3;

  private final List<TraceEvent> events = new ArrayList<>();
  private final Instant start;

  private final UnaryOperator<String> clean;

  private RecordedEvents(Instant start, UnaryOperator<String> clean) {
    this.start = start;
    this.clean = clean;
  }

  /** Times count from the opening of the first pipeline in the recording. */
  static List<TraceEvent> of(Path recording, UnaryOperator<String> clean) throws IOException {
    List<RecordedEvent> ours = new ArrayList<>();
    @Nullable Instant opened = null;
    @Nullable Instant first = null;
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        String type = event.getEventType().getName();
        if (type.startsWith("headrace.") || type.equals("jdk.GarbageCollection")) {
          ours.add(event);
          first = earlier(first, event.getStartTime());
          if (type.equals("headrace.PipelineOpened")) {
            opened = earlier(opened, event.getStartTime());
          }
        }
      }
    }
    if (first == null) {
      return List.of();
    }
    RecordedEvents all = new RecordedEvents(opened == null ? first : opened, clean);
    ours.forEach(all::add);
    return all.events;
  }

  private static Instant earlier(@Nullable Instant known, Instant other) {
    return known == null || other.isBefore(known) ? other : known;
  }

  private void add(RecordedEvent event) {
    double at = micros(Duration.between(start, event.getStartTime()));
    switch (event.getEventType().getName()) {
      case "headrace.ConsumerWaited" -> {
        // The event is made when the wait is over.
        double waited = event.getLong("waitedNs") / 1e3;
        slice(event.getString("operator") + " waited", WAITS, at - waited, waited, event);
      }
      case "headrace.KnobTurned" ->
          moment(
              "%s of %s: %d → %d"
                  .formatted(
                      event.getString("knob"),
                      event.getString("operator"),
                      event.getLong("before"),
                      event.getLong("after")),
              KNOBS,
              at,
              event);
      case "headrace.PipelineOpened" -> moment("opened", WAITS, at, event);
      case "headrace.Stalled" -> moment("stalled", WAITS, at, event);
      case "jdk.GarbageCollection" ->
          slice("collection", COLLECTOR, at, micros(event.getDuration()), event);
      default -> {}
    }
  }

  private void slice(String name, int thread, double at, double duration, RecordedEvent event) {
    if (at >= 0) {
      events.add(
          TraceEvent.slice(
              clean.apply(name), Trace.RECORDED, thread, at, duration, arguments(event)));
    }
  }

  private void moment(String name, int thread, double at, RecordedEvent event) {
    if (at >= 0) {
      events.add(
          TraceEvent.moment(clean.apply(name), Trace.RECORDED, thread, at, arguments(event)));
    }
  }

  private Map<String, Object> arguments(RecordedEvent event) {
    Map<String, Object> arguments = new LinkedHashMap<>();
    for (String field : List.of("pipeline", "why", "report", "cause")) {
      if (event.hasField(field)) {
        arguments.put(field, clean.apply(String.valueOf(event.<Object>getValue(field))));
      }
    }
    return arguments;
  }

  private static double micros(Duration duration) {
    return duration.toNanos() / 1e3;
  }
}
