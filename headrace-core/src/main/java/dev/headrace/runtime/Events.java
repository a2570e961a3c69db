package dev.headrace.runtime;

import dev.headrace.profile.KnobChange;
import java.util.function.Supplier;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** What a pipeline tells the Java Flight Recorder, where the runtime has one. */
final class Events {
  private static final boolean PRESENT = isPresent();

  private Events() {}

  private static boolean isPresent() {
    try {
      Class.forName("jdk.jfr.Event");
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  static void opened(String pipeline, Supplier<String> plan) {
    if (PRESENT) {
      Opened event = new Opened();
      if (event.isEnabled()) {
        event.pipeline = pipeline;
        event.plan = plan.get();
        event.commit();
      }
    }
  }

  static void waited(String pipeline, String operator, long waitedNs) {
    if (PRESENT) {
      Waited event = new Waited();
      if (event.isEnabled()) {
        event.pipeline = pipeline;
        event.operator = operator;
        event.waitedNs = waitedNs;
        event.commit();
      }
    }
  }

  static void turned(
      String pipeline, String operator, String knob, long before, long after, String why) {
    if (PRESENT) {
      Turned event = new Turned();
      if (event.isEnabled()) {
        event.pipeline = pipeline;
        event.operator = operator;
        event.knob = knob;
        event.before = before;
        event.after = after;
        event.why = why;
        event.commit();
      }
    }
  }

  static void measured(String pipeline, KnobChange change) {
    if (PRESENT) {
      Measured event = new Measured();
      event.pipeline = pipeline;
      event.operator = change.operator();
      event.knob = change.knob();
      event.predicted = change.predicted();
      event.measured = change.measured();
      event.kept = change.isKept();
      event.commit();
    }
  }

  static void stalled(String pipeline, String report) {
    if (PRESENT) {
      Stalled event = new Stalled();
      event.pipeline = pipeline;
      event.report = report;
      event.commit();
    }
  }

  @Name("headrace.PipelineOpened")
  @Label("Pipeline opened")
  @Category("Headrace")
  @StackTrace(false)
  static final class Opened extends Event {
    @Label("Pipeline")
    String pipeline = "";

    @Label("Plan")
    String plan = "";
  }

  @Name("headrace.ConsumerWaited")
  @Label("Consumer waited")
  @Category("Headrace")
  @StackTrace(false)
  static final class Waited extends Event {
    @Label("Pipeline")
    String pipeline = "";

    @Label("Operator")
    String operator = "";

    @Label("Waited, ns")
    long waitedNs;
  }

  @Name("headrace.KnobTurned")
  @Label("Knob turned")
  @Category("Headrace")
  @StackTrace(false)
  static final class Turned extends Event {
    @Label("Pipeline")
    String pipeline = "";

    @Label("Operator")
    String operator = "";

    @Label("Knob")
    String knob = "";

    @Label("Before")
    long before;

    @Label("After")
    long after;

    @Label("Why")
    String why = "";
  }

  @Name("headrace.KnobMeasured")
  @Label("What a turned knob brought")
  @Category("Headrace")
  @StackTrace(false)
  static final class Measured extends Event {
    @Label("Pipeline")
    String pipeline = "";

    @Label("Operator")
    String operator = "";

    @Label("Knob")
    String knob = "";

    @Label("Predicted, times as fast")
    double predicted;

    @Label("Measured, times as fast")
    double measured;

    @Label("Kept")
    boolean kept;
  }

  @Name("headrace.Stalled")
  @Label("Pipeline stalled")
  @Category("Headrace")
  @StackTrace(false)
  static final class Stalled extends Event {
    @Label("Pipeline")
    String pipeline = "";

    @Label("Report")
    String report = "";
  }
}
