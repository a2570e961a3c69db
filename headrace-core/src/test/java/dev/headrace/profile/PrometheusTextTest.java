package dev.headrace.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.spi.OpCounters;
import dev.headrace.spi.OpCounters.Spent;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PrometheusTextTest {
  private static final Pattern LINE =
      Pattern.compile(
          "headrace_[a-z_]+\\{[a-z]+=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\""
              + "(?:,[a-z]+=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\")*\\}"
              + " (?:-?\\d+(?:\\.\\d+)?(?:E-?\\d+)?|NaN|[+-]Inf)");

  private static final OpCounters.Crew CREW = OpCounters.Crew.NONE;

  private static OpCounters.Calls calls(long elements, long failures, long ns) {
    return new OpCounters.Calls(
        elements,
        failures,
        ns,
        new OpCounters.Timed(elements, ns, 0),
        OpCounters.Sampled.NONE,
        OpCounters.Later.NONE,
        OpCounters.Sizes.NONE);
  }

  private static PipelineStats stats(String name, double cpuShare) {
    return new PipelineStats(
        2,
        700,
        1,
        new PipelineStats.Time(2_500_000_000L, 500_000_000L),
        new PipelineStats.Memory(10, 20, 30, 40, 50),
        List.of(
            new OpStats(
                "map",
                name,
                0,
                new OpCounters(
                    calls(700, 1, 1_000_000_000L),
                    CREW,
                    new OpCounters.Stage(
                        4,
                        5,
                        cpuShare,
                        new Spent(700, 90_000_000L),
                        new OpCounters.Buffer(3, 8, 16, false),
                        new Spent(12, 7_000_000L)),
                    new OpCounters.Transfer(
                        new OpCounters.Device("gpu 0", 1, 11, 12, false),
                        true,
                        new OpCounters.Copies(6, 5, 7),
                        new Spent(1, 90),
                        new OpCounters.TransferTimes(70, 8, 9, 10)),
                    null)),
            new OpStats(
                "range", "range", 1, new OpCounters(calls(701, 0, 5_000), CREW, null, null, null))),
        List.of(
            new KnobChange(1, name, "workers", 1, 2, "why", 0, 0, true),
            new KnobChange(2, name, "workers", 2, 4, "why", 0, 0, true)));
  }

  @Test
  void everyLineIsWellFormed() {
    String text =
        PrometheusText.of(
            stats("map \"a\\b\"\nc (Train.java:1)", Double.NaN),
            stats("map", Double.POSITIVE_INFINITY));
    Set<String> typed = new HashSet<>();
    for (String line : text.split("\n", -1)) {
      if (line.startsWith("# TYPE ")) {
        String name = line.split(" ", -1)[2];
        assertThat(typed.add(name)).as("%s stands together", name).isTrue();
        assertThat(line.endsWith(" counter")).isEqualTo(name.endsWith("_total"));
      } else if (!line.startsWith("# HELP ") && !line.isEmpty()) {
        assertThat(line).matches(LINE);
        assertThat(typed).contains(line.substring(0, line.indexOf('{')));
      }
    }
    assertThat(text).endsWith("\n");
  }

  @Test
  void valuesAndLabelsAreThere() {
    assertThat(PrometheusText.of(Map.of("train", stats("map 'x' (Train.java:1)", 0.25))))
        .contains(
            "headrace_elements_total{pipeline=\"train\"} 700\n",
            "headrace_consumer_wait_seconds_total{pipeline=\"train\"} 0.5\n",
            "headrace_epoch{pipeline=\"train\"} 2\n",
            "headrace_transfer_copies_total{pipeline=\"train\",index=\"0\",word=\"map\","
                + "operator=\"map 'x' (Train.java:1)\",device=\"gpu 0\"} 6\n",
            "headrace_operator_elements_total{pipeline=\"train\",index=\"1\",word=\"range\","
                + "operator=\"range\"} 701\n",
            "headrace_stage_cpu_ratio{pipeline=\"train\",index=\"0\",word=\"map\","
                + "operator=\"map 'x' (Train.java:1)\"} 0.25\n",
            "headrace_knob_changes_total{pipeline=\"train\","
                + "operator=\"map 'x' (Train.java:1)\",knob=\"workers\"} 2\n");
  }

  @Test
  void noPipelinesAreNoLines() {
    assertThat(PrometheusText.of()).isEmpty();
  }
}
