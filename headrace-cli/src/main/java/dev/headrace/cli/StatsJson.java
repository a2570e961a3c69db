package dev.headrace.cli;

import dev.headrace.profile.KnobChange;
import dev.headrace.profile.OpStats;
import dev.headrace.profile.PipelineStats;
import dev.headrace.spi.OpCounters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The statistics of a pipeline, for programs. */
final class StatsJson {
  private StatsJson() {}

  static Map<String, Object> of(PipelineStats stats) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("epochs", stats.epoch() + 1);
    fields.put("elements", stats.elements());
    fields.put("failures", stats.failures());
    fields.put("seconds", stats.time().elapsedNs() / 1e9);
    fields.put("elementsPerSecond", stats.rate());
    fields.put("waitShare", stats.waitShare());
    fields.put("heapPeakBytes", stats.memory().heapPeakBytes());
    fields.put("nativePeakBytes", stats.memory().nativePeakBytes());
    fields.put("memoryPeakBytes", stats.memory().peakBytes());
    fields.put("operators", stats.operators().stream().map(StatsJson::operator).toList());
    List<Object> changes = new ArrayList<>();
    for (KnobChange change : stats.knobChanges()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("operator", change.operator());
      one.put("knob", change.knob());
      one.put("before", change.before());
      one.put("after", change.after());
      one.put("why", change.why());
      one.put("atSeconds", change.atNs() / 1e9);
      one.put("predicted", change.predicted());
      one.put("measured", change.measured());
      one.put("kept", change.isKept());
      changes.add(one);
    }
    fields.put("knobChanges", changes);
    return fields;
  }

  private static Map<String, Object> operator(OpStats operator) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("operator", operator.word());
    fields.put("path", operator.path());
    fields.put("depth", operator.depth());
    fields.put("elements", operator.elements());
    fields.put("failures", operator.failures());
    fields.put("totalNs", operator.totalNs());
    OpCounters.Stage stage = operator.stage();
    if (stage != null) {
      Map<String, Object> own = new LinkedHashMap<>();
      own.put("workers", stage.workers());
      own.put("cpuShare", stage.cpuShare());
      own.put("workNs", stage.work().ns());
      own.put("buffered", stage.buffer().elements());
      own.put("capacity", stage.buffer().capacity());
      own.put("waits", stage.waits().count());
      own.put("waitNs", stage.waits().ns());
      fields.put("stage", own);
    }
    return fields;
  }
}
