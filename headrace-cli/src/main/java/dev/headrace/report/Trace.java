package dev.headrace.report;

import dev.headrace.data.PartialFile;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Profile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A run as a trace for {@code ui.perfetto.dev} and {@code chrome://tracing}: the training loop's
 * latest steps, the activity of each operator, and counters for waits, buffers and memory.
 *
 * <p>With a recording of the Java Flight Recorder, also what really happened when: each wait of the
 * consumer, each knob that was turned, each collection.
 */
public final class Trace {
  static final int PIPELINE = 1;
  static final int COUNTERS = 2;
  static final int RECORDED = 3;
  private static final int LOOP = 1;
  private static final int FIRST_OPERATOR = 10;

  private final Diagnosis diagnosis;
  private final @Nullable Path recording;
  private final UnaryOperator<String> clean;

  private Trace(Diagnosis diagnosis, @Nullable Path recording, UnaryOperator<String> clean) {
    this.diagnosis = diagnosis;
    this.recording = recording;
    this.clean = clean;
  }

  /** A trace of what the diagnosis saw. */
  public static Trace of(Diagnosis diagnosis) {
    return new Trace(diagnosis, null, UnaryOperator.identity());
  }

  /** With the events of a recording ({@code .jfr}) of the same run. */
  public Trace recording(Path file) {
    return new Trace(diagnosis, file, clean);
  }

  /** With what says who ran it and where left out, as in a report that is shared. */
  public Trace share(boolean isShared) {
    return isShared ? share(Redaction.here()) : this;
  }

  Trace share(Redaction redaction) {
    return new Trace(redaction.of(diagnosis), recording, redaction::of);
  }

  /** Writes the trace; a reader of the file sees the old one or the new one, never a part. */
  public void writeTo(Path file) throws IOException {
    PartialFile.write(file, json().getBytes(StandardCharsets.UTF_8));
  }

  /** The trace. */
  public String json() throws IOException {
    List<TraceEvent> events = new ArrayList<>();
    Profile profile = diagnosis.profile();
    List<OpView> views = OpView.all(profile);
    Timeline timeline = Timeline.of(profile, Integer.MAX_VALUE);
    steps(profile.consumer(), timeline.end(), events);
    for (Timeline.Piece piece : timeline.pieces()) {
      counters(piece, views, events);
      for (OpView view : views) {
        activity(piece, view, events);
      }
    }
    if (recording != null) {
      events.addAll(RecordedEvents.of(recording, clean));
    }
    events.sort(Comparator.comparingDouble(TraceEvent::micros));
    List<Object> all = new ArrayList<>(names(views));
    events.forEach(event -> all.add(event.fields()));
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("displayTimeUnit", "ms");
    document.put("otherData", Map.of("verdict", diagnosis.verdict().sentence()));
    document.put("traceEvents", all);
    return Json.of(document);
  }

  /** The latest steps, the last of which ends with the timeline. */
  private static void steps(Profile.Consumer consumer, double end, List<TraceEvent> events) {
    double at = end * 1e6;
    int count = Math.min(consumer.steps().length, consumer.waits().length);
    for (int back = 1; back <= count && at > 0; back++) {
      double step = OpView.orZero(consumer.steps()[consumer.steps().length - back]) / 1e3;
      double wait = OpView.orZero(consumer.waits()[consumer.waits().length - back]) / 1e3;
      if (at - step - wait < 0) {
        break;
      }
      at -= step;
      events.add(TraceEvent.slice("step", PIPELINE, LOOP, at, step, Map.of()));
      at -= wait;
      events.add(TraceEvent.slice("wait for data", PIPELINE, LOOP, at, wait, Map.of()));
    }
  }

  private static void activity(Timeline.Piece piece, OpView view, List<TraceEvent> events) {
    double busy = piece.busy()[view.index()];
    if (busy < 0.0005) {
      return;
    }
    var crew = view.op().crew();
    double utilisation = Math.min(1, busy / Math.max(1, crew == null ? 1 : crew.workers()));
    events.add(
        TraceEvent.slice(
            view.op().word() + " " + Figures.percent(utilisation),
            PIPELINE,
            FIRST_OPERATOR + view.index(),
            piece.from() * 1e6,
            (piece.to() - piece.from()) * 1e6,
            Map.of("threads", busy, "utilisation", utilisation)));
  }

  private static void counters(Timeline.Piece piece, List<OpView> views, List<TraceEvent> events) {
    double at = piece.from() * 1e6;
    count("training loop waits, %", at, 100 * piece.waitShare(), events);
    count("delivered, elements/s", at, piece.rate(), events);
    count("garbage collector, %", at, 100 * piece.gcShare(), events);
    count("heap, MB", at, piece.heapBytes() / 1e6, events);
    count("off heap, MB", at, piece.nativeBytes() / 1e6, events);
    for (OpView view : views) {
      if (view.op().crew() != null) {
        String name = "buffer of " + view.op().path() + " [" + view.op().key() + "]";
        count(name, at, piece.fill()[view.index()], events);
      }
    }
  }

  private static void count(String name, double at, double value, List<TraceEvent> events) {
    events.add(TraceEvent.counter(name, COUNTERS, at, value));
  }

  private List<Object> names(List<OpView> views) {
    List<Object> names = new ArrayList<>();
    names.add(TraceEvent.name("process_name", PIPELINE, 0, "pipeline"));
    names.add(TraceEvent.name("process_name", COUNTERS, 0, "counters"));
    names.add(TraceEvent.name("thread_name", PIPELINE, LOOP, "training loop"));
    if (recording != null) {
      names.add(TraceEvent.name("process_name", RECORDED, 0, "recorded events"));
    }
    for (OpView view : views) {
      int thread = FIRST_OPERATOR + view.index();
      boolean isLimit = view.index() == diagnosis.verdict().operator();
      names.add(
          TraceEvent.name(
              "thread_name", PIPELINE, thread, view.op().path() + (isLimit ? " (the limit)" : "")));
      names.add(TraceEvent.order(PIPELINE, thread, view.index() + 1));
    }
    names.add(TraceEvent.order(PIPELINE, LOOP, 0));
    return names;
  }
}
