package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.Training;
import dev.headrace.TrainingOptions;
import dev.headrace.TrainingResult;
import dev.headrace.data.Tensor;
import dev.headrace.testing.SyntheticStep;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * The workloads of MLPerf Storage at the rates of one H100, with a step that waits as long as the
 * accelerator would compute: does the pipeline keep up, and with how many cores?
 *
 * <p>Record sizes, batches and step times are MLPerf's; the number of files is what a small disk
 * holds, and files are read from the page cache, having just been written. So this asks what the
 * engine costs, not how fast a disk is.
 *
 * <p>A row's interval is over equal parts of one training; in the first the pipeline fills up and
 * AUTOTUNE finds its numbers.
 */
public final class MlperfStorage implements Scenario {
  /** How long each workload is trained. */
  public static final double SECONDS = 27;

  private static final String ACCELERATOR = "the accelerator alone; the ratio is its utilisation";
  private static final String DEMAND = "what the accelerator asks for";

  private final double seconds;
  private final List<StorageWorkload> workloads;
  private final List<String> notes = new ArrayList<>();

  MlperfStorage() {
    this(SECONDS, 1);
  }

  /**
   * The scenario at another size.
   *
   * @param seconds how long each workload is trained
   * @param scale how many times as many files are made as usual
   */
  public MlperfStorage(double seconds, double scale) {
    this(
        seconds,
        List.of(
            StorageWorkload.resNet50(scale),
            StorageWorkload.cosmoFlow(scale),
            StorageWorkload.unet3d(scale)));
  }

  MlperfStorage(double seconds, List<StorageWorkload> workloads) {
    if (!(seconds > 0)) {
      throw new IllegalArgumentException("seconds: expected more than 0, but got " + seconds);
    }
    this.seconds = seconds;
    this.workloads = workloads;
  }

  @Override
  public String name() {
    return "mlperf";
  }

  @Override
  public String summary() {
    return "MLPerf Storage at the rates of an H100: accelerator utilisation, cores; about 3"
        + " minutes";
  }

  @Override
  public List<String> notes() {
    return List.copyOf(notes);
  }

  @Override
  public List<Row> run(Setup setup) throws IOException, InterruptedException {
    notes.clear();
    notes.add(
        "Files are read from the page cache, having just been written, and are as many as named"
            + " here instead of MLPerf's five times the memory; record sizes, batches and step"
            + " times are MLPerf Storage's for one H100. Records are not decoded.");
    List<Row> rows = new ArrayList<>();
    for (StorageWorkload workload : workloads) {
      try (TemporaryFolder folder = TemporaryFolder.create("mlperf")) {
        rows.addAll(measure(workload, folder.path(), setup));
      }
    }
    return rows;
  }

  private List<Row> measure(StorageWorkload workload, Path folder, Setup setup)
      throws IOException, InterruptedException {
    long bytes = workload.write(folder, setup.progress());
    int records = workload.files() * workload.recordsPerFile();
    double recordBytes = (double) bytes / records;
    double demand = workload.demand(recordBytes);
    notes.add(
        String.format(
            Locale.ROOT,
            "%s: %d files of %,d records, %.2f GB; batches of %d, a step takes %s ms, which asks"
                + " for %.3f GB/s.",
            workload.name(),
            workload.files(),
            workload.recordsPerFile(),
            (bytes + workload.frameBytes()) / 1e9,
            workload.batch(),
            workload.step().toNanos() / 1e6,
            demand / 1e9));
    Trained trained = train(workload, folder, setup);
    double perBatch = workload.batch() * recordBytes;
    List<Row> rows = new ArrayList<>();
    rows.add(utilisation(workload, trained));
    rows.add(
        Row.alone(
            workload.name() + ": waited for data",
            "% of time",
            Interval.of(trained.waitedPercent()),
            null));
    rows.add(
        Row.alone(workload.name() + ": cores used", "cores", Interval.of(trained.cores()), null));
    rows.add(
        rate(
            workload.name() + ": read while training",
            scaled(trained.batchesPerSecond(), perBatch),
            demand));
    rows.addAll(limits(workload, folder, bytes, demand, setup));
    return rows;
  }

  // ---- training ---------------------------------------------------------------------------------

  /** What a training was like in each of its parts. */
  private record Trained(double[] msPerBatch, double[] waitedPercent, double[] cores) {
    double[] batchesPerSecond() {
      return DoubleStream.of(msPerBatch).map(ms -> 1e3 / ms).toArray();
    }
  }

  private Trained train(StorageWorkload workload, Path folder, Setup setup)
      throws InterruptedException {
    int parts = setup.pairs();
    long stepNs = workload.step().toNanos();
    int stepsOfPart = (int) Math.max(1, Math.round(seconds * 1e9 / parts / stepNs));
    SyntheticStep accelerator = SyntheticStep.waiting(workload.step());
    List<Mark> marks = new ArrayList<>();
    long[] waitedNs = new long[1];
    TrainingOptions options =
        Training.steps(1 + (long) stepsOfPart * parts)
            .onStep(
                step -> {
                  waitedNs[0] += step.waitNs();
                  if ((step.step() - 1) % stepsOfPart == 0) {
                    marks.add(new Mark(System.nanoTime(), waitedNs[0], CpuClock.processNs()));
                    setup
                        .progress()
                        .accept(
                            "%s: part %d of %d, accelerator utilisation %.1f %%"
                                .formatted(
                                    workload.name(),
                                    Math.min(marks.size(), parts),
                                    parts,
                                    100 * accelerator.utilisation()));
                  }
                });
    TrainingResult result = Training.fit(accelerator, workload.dataset(folder), options);
    if (result.ending() == TrainingResult.Ending.INTERRUPTED) {
      throw new InterruptedException(workload.name() + ": interrupted");
    }
    double[] msPerBatch = new double[parts];
    double[] waited = new double[parts];
    double[] cores = new double[parts];
    for (int part = 0; part < parts; part++) {
      Mark from = marks.get(part);
      Mark to = marks.get(part + 1);
      double wallNs = to.wallNs - from.wallNs;
      msPerBatch[part] = wallNs / 1e6 / stepsOfPart;
      waited[part] = 100 * (to.waitedNs - from.waitedNs) / wallNs;
      cores[part] = (to.cpuNs - from.cpuNs) / wallNs;
    }
    return new Trained(msPerBatch, waited, cores);
  }

  /** The end of a step. */
  private record Mark(long wallNs, long waitedNs, long cpuNs) {}

  private static Row utilisation(StorageWorkload workload, Trained trained) {
    double[] alone = new double[trained.msPerBatch.length];
    Arrays.fill(alone, workload.step().toNanos() / 1e6);
    return Row.ofPairs(
        workload.name() + ": accelerator utilisation",
        "ms/batch",
        trained.msPerBatch,
        alone,
        ACCELERATOR,
        Bar.ratioAtLeast(workload.bar()),
        0);
  }

  // ---- limits -----------------------------------------------------------------------------------

  /** What the pipeline gives without a step, and what plain reads of the same files give. */
  private static List<Row> limits(
      StorageWorkload workload, Path folder, long bytes, double demand, Setup setup)
      throws IOException, InterruptedException {
    double[] alone = new double[setup.pairs()];
    double[] one = new double[setup.pairs()];
    double[] two = new double[setup.pairs()];
    Dataset<Tensor> dataset = workload.dataset(folder);
    long batches = (long) workload.files() * workload.recordsPerFile() / workload.batch();
    double delivered = (double) batches * workload.batch() / workload.files();
    double passBytes = bytes * delivered / workload.recordsPerFile();
    try (Pipeline<Tensor> pipeline = dataset.open()) {
      for (int pair = 0; pair < setup.pairs(); pair++) {
        setup
            .progress()
            .accept("%s: limits %d of %d".formatted(workload.name(), pair + 1, setup.pairs()));
        alone[pair] = passBytes / (Spent.on(() -> Chains.read(pipeline)).wallNs() / 1e9);
        one[pair] = PlainReading.rate(folder, 1);
        two[pair] = PlainReading.rate(folder, 2);
      }
    }
    String name = workload.name();
    return List.of(
        rate(name + ": the pipeline without a step", alone, demand),
        rate(name + ": plain reads, 1 thread", one, demand),
        rate(name + ": plain reads, 2 threads", two, demand));
  }

  private static Row rate(String name, double[] bytesPerSecond, double demand) {
    double[] gigabytes = scaled(bytesPerSecond, 1e-9);
    return new Row(
        name,
        "GB/s",
        Interval.of(gigabytes),
        demand / 1e9,
        DEMAND,
        Interval.of(scaled(bytesPerSecond, 1 / demand)),
        null);
  }

  private static double[] scaled(double[] values, double factor) {
    return DoubleStream.of(values).map(value -> value * factor).toArray();
  }
}
