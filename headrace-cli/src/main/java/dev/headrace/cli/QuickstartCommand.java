package dev.headrace.cli;

import dev.headrace.Dataset;
import dev.headrace.Doctor;
import dev.headrace.Options;
import dev.headrace.TrainingStep;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.example.Features;
import dev.headrace.examples.PhotoClassifier;
import dev.headrace.image.Images;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Treatment;
import dev.headrace.profile.Trial;
import dev.headrace.report.DiagnosisJson;
import dev.headrace.report.Report;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Trains on photographs with a pipeline as one would write it without a thought, finds out why that
 * is slow, makes the changes, and measures what they brought.
 */
@Command(
    name = "quickstart",
    description =
        "Trains on JPEGs with a naive pipeline, says why it is slow, makes the changes it advises,"
            + " and measures what they bring.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "The photographs are made first. A small network in plain Java learns from them; the step"
          + " then",
      "waits until an accelerator would be done.",
      "",
      "Examples:",
      "  headrace quickstart",
      "  headrace quickstart --photos 1000 --step-ms 40",
      "  headrace quickstart --data photos --report before-and-after.html --json"
    })
final class QuickstartCommand implements Callable<Integer> {
  private static final int SIDE = 224;

  /** What a record becomes: one photograph, or a batch of them. */
  record Labelled(Tensor image, Tensor label) {}

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--photos",
      paramLabel = "N",
      defaultValue = "640",
      description = "How many photographs to make (default: ${DEFAULT-VALUE}).")
  private int photos;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "16",
      description = "How many make a batch (default: ${DEFAULT-VALUE}).")
  private int batch;

  @Option(
      names = "--step-ms",
      paramLabel = "MS",
      defaultValue = "15",
      description = "How long a training step on a batch takes (default: ${DEFAULT-VALUE}).")
  private double stepMs;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "6",
      description = "How long each pipeline is measured (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      description = "Where to keep the photographs, or find them again (default: nowhere).")
  private @Nullable Path data;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      defaultValue = "headrace-report.html",
      description = "The page that shows it all (default: ${DEFAULT-VALUE}).")
  private Path report = Path.of("headrace-report.html");

  @Option(names = "--json", description = "Print JSON instead of text.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    CommandLine command = Objects.requireNonNull(spec).commandLine();
    checkArguments(command);
    PrintWriter out = command.getOut();
    PrintWriter err = command.getErr();
    try (Progress progress = new Progress(err);
        QuickstartData made =
            QuickstartData.make(data, photos, line -> progress.show(() -> line))) {
      String files = made.folder() + "/train-*.tfrecord";
      warmUp(files);
      progress.clear();
      PhotoClassifier network = new PhotoClassifier(QuickstartData.LABELS, 7);
      QuickstartText text =
          new QuickstartText(
              json ? new PrintWriter(Writer.nullWriter()) : out, Style.of(command), batch);
      text.begin(photos, made.bytes(), stepMs, Images.decoder());
      text.naive(PROGRAM.formatted(batch));
      Doctor<Labelled> doctor =
          Doctor.of(naive(files))
              .step(step(network))
              .seconds(seconds)
              .listener(line -> progress.show(() -> line));
      Diagnosis before = doctor.examine();
      progress.clear();
      text.before(before);
      Treatment treatment =
          new Treatment(
              before,
              doctor.treatAll(
                  before,
                  trial -> {
                    progress.clear();
                    text.trial(trial);
                  }));
      progress.clear();
      Report.of(before).trials(treatment.trials()).title("Headrace quickstart").writeTo(report);
      text.now(treatment, network.accuracy());
      Diagnosis alone =
          Doctor.of(naive(files).options(Options::assumePure))
              .asItRuns()
              .step(step(network))
              .seconds(seconds)
              .listener(line -> progress.show(() -> line))
              .examine();
      progress.clear();
      text.alone(treatment, alone);
      text.end(before, report);
      if (json) {
        out.println(JsonText.of(fields(treatment, alone, network)));
      }
    }
    out.flush();
    return Main.OK;
  }

  private static final String PROGRAM =
      """
      Dataset.tfRecords("train-*.tfrecord")
          .map(Example.parser(Feature.bytes("image"), Feature.int64("label")))
          .map(f -> new Labelled(Images.decodeJpeg(f.bytes("image")).resize(224, 224), f.tensor("label")))
          .batch(%d)
      """;

  private Dataset<Labelled> naive(String files) {
    return Dataset.tfRecords(files)
        .map(Example.parser(Feature.bytes("image"), Feature.int64("label")))
        .named("parse")
        .map(QuickstartCommand::labelled)
        .named("decode and resize")
        .batch(batch);
  }

  private static Labelled labelled(Features f) {
    return new Labelled(Images.decodeJpeg(f.bytes("image")).resize(SIDE, SIDE), f.tensor("label"));
  }

  /** Learns from a batch, then waits until an accelerator would be done. */
  private TrainingStep<Labelled> step(PhotoClassifier network) {
    return batch -> {
      long end = System.nanoTime() + (long) (stepMs * 1e6);
      double _ = network.step(batch.image(), batch.label());
      for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    };
  }

  /** Lets the JIT see the code and the decoder unpack itself, so that no run pays for it. */
  private void warmUp(String files) throws Exception {
    PhotoClassifier network = new PhotoClassifier(QuickstartData.LABELS, 7);
    naive(files)
        .take(12)
        .forEach(
            each -> {
              double _ = network.step(each.image(), each.label());
            });
  }

  private void checkArguments(CommandLine command) {
    if (photos < 1 || batch < 1) {
      throw new ParameterException(
          command, "--photos, --batch: expected at least 1, but got " + Math.min(photos, batch));
    }
    if (!(stepMs >= 0)) {
      throw new ParameterException(command, "--step-ms: expected 0 or more, but got " + stepMs);
    }
    if (!(seconds > 0)) {
      throw new ParameterException(command, "--seconds: expected more than 0, but got " + seconds);
    }
  }

  private Map<String, Object> fields(
      Treatment treatment, Diagnosis alone, PhotoClassifier network) {
    Diagnosis before = treatment.before();
    Diagnosis after = treatment.after();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("photos", photos);
    fields.put("batch", batch);
    fields.put("stepMs", stepMs);
    fields.put("decoder", Images.decoder());
    fields.put("photosPerSecondBefore", before.profile().rate() * batch);
    fields.put("photosPerSecondAfter", after.profile().rate() * batch);
    fields.put("speedUp", treatment.gain());
    fields.put("photosPerSecondByItself", alone.profile().rate() * batch);
    List<Object> changes = new ArrayList<>();
    for (Trial trial : treatment.trials()) {
      Map<String, Object> change = new LinkedHashMap<>();
      change.put("change", trial.advice().title());
      change.put("code", trial.advice().code());
      change.put("predicted", trial.predicted());
      change.put("measured", trial.measured());
      change.put("kept", trial.helped());
      changes.add(change);
    }
    fields.put("changes", changes);
    fields.put("accuracy", network.accuracy());
    fields.put("report", report.toString());
    fields.put("before", new JsonText.Written(DiagnosisJson.of(before)));
    fields.put("after", new JsonText.Written(DiagnosisJson.of(after)));
    return fields;
  }
}
