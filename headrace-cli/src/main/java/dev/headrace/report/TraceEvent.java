package dev.headrace.report;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One event of a trace, as Chrome's trace event format has it.
 *
 * @param phase {@code X} a slice, {@code C} a counter, {@code i} a moment
 * @param micros when it began
 */
record TraceEvent(
    String name,
    char phase,
    int process,
    int thread,
    double micros,
    double duration,
    Map<String, ?> arguments) {

  static TraceEvent slice(
      String name,
      int process,
      int thread,
      double micros,
      double duration,
      Map<String, ?> arguments) {
    return new TraceEvent(name, 'X', process, thread, micros, duration, arguments);
  }

  static TraceEvent counter(String name, int process, double micros, double value) {
    return new TraceEvent(name, 'C', process, 0, micros, 0, Map.of("value", value));
  }

  static TraceEvent moment(
      String name, int process, int thread, double micros, Map<String, ?> arguments) {
    return new TraceEvent(name, 'i', process, thread, micros, 0, arguments);
  }

  /** How a process or thread is called. */
  static Map<String, Object> name(String kind, int process, int thread, String name) {
    return metadata(kind, process, thread, Map.of("name", name));
  }

  /** Where a thread stands among the others. */
  static Map<String, Object> order(int process, int thread, int place) {
    return metadata("thread_sort_index", process, thread, Map.of("sort_index", place));
  }

  private static Map<String, Object> metadata(
      String kind, int process, int thread, Map<String, ?> arguments) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", kind);
    fields.put("ph", "M");
    fields.put("pid", process);
    fields.put("tid", thread);
    fields.put("args", arguments);
    return fields;
  }

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("ph", String.valueOf(phase));
    fields.put("pid", process);
    fields.put("tid", thread);
    // Nanoseconds at most: six digits, as other numbers have, would not do after a second.
    fields.put("ts", written(micros));
    if (phase == 'X') {
      fields.put("dur", written(duration));
    } else if (phase == 'i') {
      fields.put("s", "t");
    }
    fields.put("cat", "headrace");
    fields.put("args", arguments);
    return fields;
  }

  private static BigDecimal written(double micros) {
    return BigDecimal.valueOf(micros).setScale(3, RoundingMode.HALF_EVEN);
  }
}
