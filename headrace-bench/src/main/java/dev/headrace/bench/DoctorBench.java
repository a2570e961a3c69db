package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Doctor;
import dev.headrace.TrainingStep;
import dev.headrace.profile.Advice;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Trial;
import dev.headrace.profile.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the diagnosis is right: pipelines with an illness that is known, what was said of each,
 * and how far off the first advice was once it was followed.
 */
final class DoctorBench implements Scenario {
  private static final double SECONDS =
      Double.parseDouble(System.getProperty("headrace.doctor.seconds", "2.5"));
  private static final long SEED = Long.getLong("headrace.doctor.seed", 1);
  private static final @Nullable String ONLY = System.getProperty("headrace.doctor.only");

  /**
   * What became of a patient.
   *
   * @param error of the prediction; NaN where there was nothing to try
   */
  record Outcome(String illness, String said, boolean right, double error) {}

  @Override
  public String name() {
    return "doctor";
  }

  @Override
  public String summary() {
    return "pipelines with a known bottleneck: is the verdict right, and the prediction; about 7"
        + " minutes";
  }

  @Override
  public List<Row> run(Setup setup) throws IOException, InterruptedException {
    List<Outcome> outcomes = new ArrayList<>();
    try (TemporaryFolder folder = TemporaryFolder.create("doctor")) {
      List<Patient> patients = new Patients(Burn.calibrated(), folder.path(), SEED).all();
      int number = 0;
      for (Patient patient : patients) {
        number++;
        if (ONLY != null && !patient.illness().matches(ONLY)) {
          continue;
        }
        setup
            .progress()
            .accept(
                "%d of %d: %s: %s"
                    .formatted(number, patients.size(), patient.illness(), patient.name()));
        Outcome outcome = examine(patient);
        outcomes.add(outcome);
        setup.progress().accept("   " + outcome.said());
      }
    }
    smallHeaps(setup, outcomes);
    List<Row> rows = new ArrayList<>(rows(outcomes));
    int complaints = HealthyPipelines.complaints().size();
    rows.add(
        Row.alone(
            "what the linter says against %d healthy pipelines"
                .formatted(HealthyPipelines.all().size()),
            "findings",
            new Interval(complaints, complaints, complaints),
            Bar.atMost(0)));
    return rows;
  }

  private static Outcome examine(Patient patient) {
    try {
      Diagnosis before = doctor(patient.dataset(), patient.step()).examine();
      boolean right = isRight(patient, before);
      double error = Double.NaN;
      if (!before.advice().isEmpty()) {
        Advice first = before.advice().getFirst();
        Supplier<Dataset<?>> cure = patient.cures().get(first.action());
        if (cure != null) {
          error = new Trial(first, before, doctor(cure, patient.step()).examine()).error();
        } else if (first.isApplicable()) {
          error = doctor(patient.dataset(), patient.step()).treat(before, first).error();
        }
      }
      return new Outcome(patient.illness(), text(before, right, error), right, error);
    } catch (Exception e) {
      throw new IllegalStateException(patient.illness() + ": " + patient.name() + ": " + e, e);
    }
  }

  @SuppressWarnings("unchecked") // steps take any batch
  private static Doctor<Object> doctor(
      Supplier<Dataset<?>> dataset, Supplier<TrainingStep<Object>> step) {
    return Doctor.of((Dataset<Object>) dataset.get()).step(step.get()).seconds(SECONDS);
  }

  private static boolean isRight(Patient patient, Diagnosis diagnosis) {
    String operator = patient.operator();
    return patient.verdicts().contains(diagnosis.verdict().kind())
        && (operator == null || diagnosis.verdict().where().contains("'" + operator + "'"))
        && (patient.mustFind() == null
            || diagnosis.findings().stream().anyMatch(f -> f.rule().equals(patient.mustFind())));
  }

  private static String text(Diagnosis diagnosis, boolean right, double error) {
    Advice first = diagnosis.advice().isEmpty() ? null : diagnosis.advice().getFirst();
    return text(
        diagnosis.verdict().kind() + " " + diagnosis.verdict().where(),
        first == null ? "no advice" : "%s %.2f".formatted(first.action(), first.speedup()),
        right,
        error);
  }

  private static String text(String verdict, String advice, boolean right, double error) {
    return String.format(
        Locale.ROOT,
        "%s %s; %s%s",
        right ? "right" : "WRONG",
        verdict,
        advice,
        Double.isNaN(error) ? "" : String.format(Locale.ROOT, ", off by %+.1f %%", 100 * error));
  }

  /** Programs of their own, because the heap is what is wrong with them. */
  private static void smallHeaps(Setup setup, List<Outcome> outcomes)
      throws IOException, InterruptedException {
    String illness = "small heap";
    if (ONLY != null && !illness.matches(ONLY)) {
      return;
    }
    String[] collectors = {
      "-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseSerialGC"
    };
    for (int i = 0; i < collectors.length; i++) {
      int heap = 120 + 25 * i;
      int held = 800 + 120 * i;
      setup.progress().accept("%s: %d MB, %s".formatted(illness, heap, collectors[i]));
      double seconds = 2 * SECONDS;
      GarbagePatient.Said said =
          GarbagePatient.run(heap, collectors[i], held, 80_000, 200, seconds);
      double measured =
          said.action().equals(Advice.Action.ENLARGE_HEAP.name())
              ? GarbagePatient.run(2 * heap, collectors[i], held, 80_000, 200, seconds).rate()
                  / said.rate()
              : said.measured();
      boolean right = said.verdict().equals(Verdict.Kind.MEMORY_BOUND.name());
      double error = said.speedup() / measured - 1;
      Outcome outcome =
          new Outcome(
              illness,
              text(
                  said.verdict(), "%s %.2f".formatted(said.action(), said.speedup()), right, error),
              right,
              error);
      outcomes.add(outcome);
      setup.progress().accept("   " + outcome.said());
    }
  }

  private static List<Row> rows(List<Outcome> outcomes) {
    List<Row> rows = new ArrayList<>();
    List<String> illnesses = outcomes.stream().map(o -> o.illness()).distinct().toList();
    for (String illness : illnesses) {
      List<Outcome> of = outcomes.stream().filter(o -> o.illness().equals(illness)).toList();
      rows.add(wrong(illness + ": wrong verdicts of " + of.size(), of, null));
      if (of.stream().anyMatch(o -> !Double.isNaN(o.error()))) {
        rows.add(errors(illness + ": prediction off by", of, null));
      }
    }
    rows.add(wrong("all: wrong verdicts of " + outcomes.size(), outcomes, Bar.atMost(2)));
    rows.add(errors("all: prediction off by, median", outcomes, Bar.atMost(10)));
    double[] tried =
        outcomes.stream().mapToDouble(Outcome::error).filter(e -> !Double.isNaN(e)).toArray();
    double[] off = java.util.Arrays.stream(tried).map(Math::abs).sorted().toArray();
    double most = off.length == 0 ? 0 : 100 * off[off.length * 9 / 10];
    rows.add(
        Row.alone(
            "all: prediction off by, nine of ten at most",
            "%",
            new Interval(most, most, most),
            Bar.atMost(20)));
    double far = java.util.Arrays.stream(tried).filter(e -> Math.abs(e) > 0.15).count();
    double share = tried.length == 0 ? 0 : 100 * far / tried.length;
    rows.add(
        Row.alone(
            "all: predictions off by more than 15 %, of " + tried.length,
            "%",
            new Interval(share, share, share),
            Bar.atMost(20)));
    return rows;
  }

  private static Row wrong(String name, List<Outcome> outcomes, @Nullable Bar bar) {
    double share =
        100.0 * outcomes.stream().filter(o -> !o.right()).count() / Math.max(1, outcomes.size());
    return Row.alone(name, "%", new Interval(share, share, share), bar);
  }

  private static Row errors(String name, List<Outcome> outcomes, @Nullable Bar bar) {
    double[] errors =
        outcomes.stream()
            .mapToDouble(o -> 100 * Math.abs(o.error()))
            .filter(e -> !Double.isNaN(e))
            .sorted()
            .toArray();
    double median = errors.length == 0 ? 0 : errors[errors.length / 2];
    return Row.alone(
        name,
        "%",
        bar == null && errors.length > 0
            ? new Interval(median, errors[0], errors[errors.length - 1])
            : new Interval(median, median, median),
        bar);
  }
}
