package dev.headrace.profile;

import dev.headrace.spi.OpCounters.Stage;
import dev.headrace.spi.OpCounters.Transfer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What pipelines have done so far, in Prometheus' text format.
 *
 * <p>Names begin with {@code headrace_} and stay the same. What only grows is a counter and ends in
 * {@code _total}; times are in seconds, sizes in bytes. Labels: {@code pipeline}, and for operators
 * {@code index} (0 is the last one), {@code word} and {@code operator} (with name and line).
 */
public final class PrometheusText {
  /** What an HTTP response says that it carries. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final StringBuilder out = new StringBuilder();

  /** A line: its labels, ready to be written, and what it tells of. */
  private record Sample<T>(String labels, T of) {}

  private PrometheusText() {}

  /** All of them, named by their number: 0 for the first. */
  public static String of(PipelineStats... pipelines) {
    Map<String, PipelineStats> named = new LinkedHashMap<>();
    for (int i = 0; i < pipelines.length; i++) {
      named.put(Integer.toString(i), pipelines[i]);
    }
    return of(named);
  }

  /** All of them, with the names that are given. */
  public static String of(Map<String, PipelineStats> pipelines) {
    PrometheusText text = new PrometheusText();
    text.pipelines(pipelines);
    text.operators(pipelines);
    text.stages(pipelines);
    text.transfers(pipelines);
    text.knobs(pipelines);
    return text.out.toString();
  }

  private void pipelines(Map<String, PipelineStats> pipelines) {
    List<Sample<PipelineStats>> all = new ArrayList<>();
    pipelines.forEach((name, stats) -> all.add(new Sample<>(label("pipeline", name), stats)));
    counter("elements", "Elements delivered to the consumer.", all, PipelineStats::elements);
    counter("failures", "Failures thrown at the consumer.", all, PipelineStats::failures);
    counter(
        "elapsed_seconds",
        "Time since the first element was asked for.",
        all,
        stats -> stats.time().elapsedNs() / 1e9);
    counter(
        "consumer_wait_seconds",
        "Of it, the consumer spent inside the pipeline.",
        all,
        stats -> stats.time().waitNs() / 1e9);
    gauge("epoch", "The pass over the data it is in, from 0.", all, PipelineStats::epoch);
    gauge(
        "heap_bytes",
        "Bytes of elements held on the heap.",
        all,
        stats -> stats.memory().heapBytes());
    gauge("heap_peak_bytes", "The most that were.", all, stats -> stats.memory().heapPeakBytes());
    gauge(
        "native_bytes",
        "Bytes of batches off the heap.",
        all,
        stats -> stats.memory().nativeBytes());
    gauge(
        "native_peak_bytes", "The most that were.", all, stats -> stats.memory().nativePeakBytes());
    gauge(
        "memory_peak_bytes", "The most of both at once.", all, stats -> stats.memory().peakBytes());
  }

  private void operators(Map<String, PipelineStats> pipelines) {
    List<Sample<OpStats>> all = each(pipelines, operator -> operator);
    counter("operator_elements", "Elements handed on.", all, OpStats::elements);
    counter("operator_failures", "Failures among them.", all, OpStats::failures);
    counter(
        "operator_pull_seconds",
        "Time of the pulling thread in the operator and what it pulled itself.",
        all,
        operator -> operator.totalNs() / 1e9);
  }

  private void stages(Map<String, PipelineStats> pipelines) {
    List<Sample<Stage>> all = each(pipelines, OpStats::stage);
    gauge("stage_workers", "Threads of the operator.", all, Stage::workers);
    gauge("stage_target_workers", "Threads it is to have.", all, Stage::targetWorkers);
    gauge(
        "stage_cpu_ratio",
        "The share of its function's time that is computing.",
        all,
        Stage::cpuShare);
    counter("stage_work_elements", "Elements worked on.", all, stage -> stage.work().count());
    counter(
        "stage_work_seconds",
        "Time of all workers in the function, or reading.",
        all,
        stage -> stage.work().ns() / 1e9);
    gauge("stage_buffered_elements", "Elements ready.", all, stage -> stage.buffer().elements());
    gauge(
        "stage_buffered_peak_elements",
        "The most that were.",
        all,
        stage -> stage.buffer().highest());
    gauge("stage_buffer_capacity_elements", "At most.", all, stage -> stage.buffer().capacity());
    counter("stage_waits", "How often its consumer waited.", all, stage -> stage.waits().count());
    counter("stage_wait_seconds", "And how long.", all, stage -> stage.waits().ns() / 1e9);
  }

  private void transfers(Map<String, PipelineStats> pipelines) {
    List<Sample<Transfer>> all =
        each(pipelines, OpStats::transfer).stream()
            .map(
                sample ->
                    new Sample<>(
                        sample.labels + "," + label("device", sample.of.device().name()),
                        sample.of))
            .toList();
    counter("transfer_bytes", "Copied to the device.", all, copy -> copy.copies().bytes());
    counter("transfer_copies", "In so many copies.", all, copy -> copy.copies().count());
    counter("transfer_copy_seconds", "Time on the bus.", all, copy -> copy.copies().ns() / 1e9);
    counter(
        "transfer_compute_seconds",
        "Time computing on the device.",
        all,
        copy -> copy.times().computeNs() / 1e9);
    counter(
        "transfer_step_seconds",
        "Time the consumer's stream worked on the batches that were measured.",
        all,
        copy -> copy.steps().ns() / 1e9);
    counter(
        "transfer_staged_seconds",
        "Time threads were held up by memory that is not pinned.",
        all,
        copy -> copy.times().stagedNs() / 1e9);
    counter(
        "transfer_wait_seconds",
        "Time the consumer waited for copies under way.",
        all,
        copy -> copy.times().waitNs() / 1e9);
    counter(
        "transfer_room_wait_seconds",
        "Time copying waited for a device batch to come back.",
        all,
        copy -> copy.times().roomWaitNs() / 1e9);
    gauge(
        "device_bytes",
        "Memory of the device in use, by whomever.",
        all,
        copy -> copy.device().usedBytes());
    gauge(
        "device_limit_bytes", "How much the device has.", all, copy -> copy.device().limitBytes());
  }

  /** What there is of a kind, for each operator that has it. */
  private static <T> List<Sample<T>> each(
      Map<String, PipelineStats> pipelines, Function<OpStats, @Nullable T> kind) {
    List<Sample<T>> all = new ArrayList<>();
    pipelines.forEach(
        (name, stats) -> {
          for (int i = 0; i < stats.operators().size(); i++) {
            OpStats operator = stats.operators().get(i);
            T part = kind.apply(operator);
            if (part != null) {
              all.add(new Sample<>(labels(name, i, operator), part));
            }
          }
        });
    return all;
  }

  private void knobs(Map<String, PipelineStats> pipelines) {
    List<Sample<Long>> all = new ArrayList<>();
    pipelines.forEach(
        (name, stats) ->
            stats.knobChanges().stream()
                .collect(
                    Collectors.groupingBy(
                        change ->
                            label("pipeline", name)
                                + ","
                                + label("operator", change.operator())
                                + ","
                                + label("knob", change.knob()),
                        LinkedHashMap::new,
                        Collectors.counting()))
                .forEach((labels, count) -> all.add(new Sample<>(labels, count))));
    counter("knob_changes", "How often the engine turned a knob.", all, Long::doubleValue);
  }

  private <T> void counter(
      String name, String help, List<Sample<T>> samples, ToDoubleFunction<T> value) {
    family(name + "_total", "counter", help, samples, value);
  }

  private <T> void gauge(
      String name, String help, List<Sample<T>> samples, ToDoubleFunction<T> value) {
    family(name, "gauge", help, samples, value);
  }

  /** All lines of one name stand together, as the format asks for. */
  private <T> void family(
      String name, String type, String help, List<Sample<T>> samples, ToDoubleFunction<T> value) {
    if (samples.isEmpty()) {
      return;
    }
    String full = "headrace_" + name;
    out.append("# HELP ").append(full).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(full).append(' ').append(type).append('\n');
    for (Sample<T> sample : samples) {
      out.append(full).append('{').append(sample.labels).append("} ");
      out.append(number(value.applyAsDouble(sample.of))).append('\n');
    }
  }

  private static String number(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    boolean isWhole = value == Math.rint(value) && Math.abs(value) < 1e15;
    return isWhole ? Long.toString((long) value) : Double.toString(value);
  }

  private static String labels(String pipeline, int index, OpStats operator) {
    return label("pipeline", pipeline)
        + ","
        + label("index", Integer.toString(index))
        + ","
        + label("word", operator.word())
        + ","
        + label("operator", operator.path());
  }

  private static String label(String name, String value) {
    String escaped =
        value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace('\r', ' ');
    return name + "=\"" + escaped + "\"";
  }
}
