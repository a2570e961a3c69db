package dev.headrace.report;

import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.OpProfile;
import dev.headrace.profile.Treatment;
import dev.headrace.profile.Trial;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A diagnosis as JSON, for programs.
 *
 * <p>Keys are the names of the records' components in {@code dev.headrace.profile}, and a few
 * numbers that follow from them. {@code docs/reference/metrics.md} lists them all; a change of one
 * is a change of {@link #FORMAT}.
 */
public final class DiagnosisJson {
  /** The value of the key {@code format}. */
  public static final String FORMAT = "headrace-diagnosis/1";

  private DiagnosisJson() {}

  /** The whole diagnosis on one line. */
  public static String of(Diagnosis diagnosis) {
    return of(diagnosis, List.of());
  }

  /** The whole diagnosis and what was tried, on one line. */
  public static String of(Diagnosis diagnosis, List<Trial> trials) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("format", FORMAT);
    all.putAll(fields(diagnosis));
    all.put("trials", trials.stream().map(DiagnosisJson::trial).toList());
    all.put("treatment", treatment(new Treatment(diagnosis, trials)));
    return Json.of(all);
  }

  /** A diagnosis that was written by {@link #of(Diagnosis)}, to make a report of it later. */
  public static Diagnosis read(String json) {
    return JsonRecords.read(Diagnosis.class, document(json), "diagnosis");
  }

  /** The trials beside a diagnosis that was written by {@link #of(Diagnosis, List)}. */
  public static List<Trial> readTrials(String json) {
    return JsonRecords.elements(document(json).get("trials"), "trials").stream()
        .map(trial -> JsonRecords.read(Trial.class, trial, "trials"))
        .toList();
  }

  private static Map<?, ?> document(String json) {
    if (JsonParser.parse(json) instanceof Map<?, ?> document
        && FORMAT.equals(document.get("format"))) {
      return document;
    }
    throw new IllegalArgumentException(
        "diagnosis: expected an object whose format is \"%s\", but got another; write it with --json"
            .formatted(FORMAT));
  }

  /** The members of the JSON object of a diagnosis, to put them into another one. */
  public static Map<String, @Nullable Object> fields(Diagnosis diagnosis) {
    Map<String, @Nullable Object> fields = Records.members(diagnosis);
    Map<String, @Nullable Object> profile = Records.members(diagnosis.profile());
    profile.put("rate", diagnosis.profile().rate());
    profile.put(
        "operators",
        diagnosis.profile().operators().stream().map(DiagnosisJson::operator).toList());
    fields.put("profile", profile);
    return fields;
  }

  private static Map<String, @Nullable Object> operator(OpProfile operator) {
    Map<String, @Nullable Object> fields = Records.members(operator);
    fields.put("nsPerDelivered", operator.nsPerDelivered());
    fields.put("cpuNsPerDelivered", operator.cpuNsPerDelivered());
    fields.put("waitNsPerDelivered", operator.waitNsPerDelivered());
    return fields;
  }

  private static Map<String, @Nullable Object> trial(Trial trial) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("advice", trial.advice());
    fields.put("measured", trial.measured());
    fields.put("predicted", trial.predicted());
    fields.put("error", trial.error());
    fields.put("kept", trial.helped());
    fields.put("before", fields(trial.before()));
    fields.put("after", fields(trial.after()));
    return fields;
  }

  /** What the changes that were kept brought together. */
  private static Map<String, @Nullable Object> treatment(Treatment treatment) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("tried", treatment.trials().size());
    fields.put(
        "keptChanges", treatment.kept().stream().map(each -> each.advice().title()).toList());
    fields.put("rateBefore", treatment.before().profile().rate());
    fields.put("rateAfter", treatment.after().profile().rate());
    fields.put("gain", treatment.gain());
    return fields;
  }
}
