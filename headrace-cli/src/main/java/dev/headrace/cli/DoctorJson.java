package dev.headrace.cli;

import dev.headrace.profile.Finding;
import dev.headrace.profile.Trial;
import dev.headrace.report.DiagnosisJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the doctor says, for programs. */
final class DoctorJson {
  private DoctorJson() {}

  /** Each pipeline is what {@link DiagnosisJson} reads. */
  static String of(String name, Examination examination, List<String> reasons) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("program", name);
    List<Object> pipelines = new ArrayList<>();
    for (PipelineWatch.Seen seen : examination.pipelines()) {
      List<Trial> trials = examination.trials(); // only where there is one pipeline
      pipelines.add(new JsonText.Written(DiagnosisJson.of(seen.diagnosis(), trials)));
    }
    all.put("pipelines", pipelines);
    all.put("failedBy", reasons);
    return JsonText.of(all);
  }

  /** A finding of the linter. */
  static Map<String, Object> finding(Finding finding) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("severity", finding.severity().name().toLowerCase(Locale.ROOT));
    fields.put("rule", finding.rule());
    fields.put("operator", finding.operator());
    fields.put("message", finding.message());
    fields.put("evidence", finding.evidence());
    fields.put("advice", finding.advice());
    return fields;
  }
}
