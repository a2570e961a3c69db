package dev.headrace.bench;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.Window;
import dev.headrace.image.Images;
import dev.headrace.spi.Fn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Training on photographs: TFRecords are read and parsed, JPEGs decoded, resized to 224 × 224
 * floats, shuffled, batched and prefetched, on both sides with the accurate DCT.
 */
final class JpegTraining implements Scenario {
  static final int PHOTOS = 2_000;
  private static final int BATCH = 32;
  private static final Window WINDOW = new Window(62, 90, 250, 320);

  /** What becomes of one record. */
  record Labelled(Tensor image, Tensor label) {}

  @Override
  public String name() {
    return "jpeg";
  }

  @Override
  public String summary() {
    return "training on JPEGs in TFRecords: CPU time, cores used, memory; about 6 minutes";
  }

  @Override
  public List<Row> run(Setup setup) throws IOException, InterruptedException {
    try (TemporaryFolder temporary = TemporaryFolder.create("jpeg")) {
      Path folder = temporary.path();
      setup.progress().accept("making photographs");
      Photos.write(folder, PHOTOS);
      List<Row> rows = new ArrayList<>();
      rows.add(beside("train", "train", () -> train(folder), 1.15, folder, setup));
      rows.add(beside("crop 250 x 320", "crop", () -> cropped(folder), 1.4, folder, setup));
      rows.add(beside("half size", "half", () -> half(folder), 1.0, folder, setup));
      rows.add(beside("half size asked for", "train", () -> half(folder), 1.4, folder, setup));
      rows.add(cores(folder, setup));
      rows.addAll(besideTorch(folder, setup));
      rows.add(JpegMemory.row(folder, setup));
      rows.addAll(ResizeRows.measure(setup));
      return rows;
    }
  }

  /** The pipeline that is measured. */
  static Dataset<Labelled> train(Path folder) {
    return decodedBy(Images::decodeJpeg, folder);
  }

  private static Dataset<Labelled> cropped(Path folder) {
    return decodedBy(image -> Images.decodeAndCropJpeg(image, WINDOW), folder);
  }

  private static Dataset<Labelled> half(Path folder) {
    return decodedBy(image -> Images.decodeJpeg(image, Photos.HALF), folder);
  }

  private static Dataset<Labelled> decodedBy(Fn<Tensor, Tensor> decoder, Path folder) {
    return Photos.records(folder)
        .map(
            f -> new Labelled(decoder.apply(f.bytes("image")).resize(224, 224), f.tensor("label")),
            AUTOTUNE)
        .shuffle(1000, Seed.of(7))
        .batch(BATCH)
        .prefetch(AUTOTUNE);
  }

  /** The same on one thread: nothing is read ahead and nothing overlaps. */
  private static Dataset<Labelled> onOneThread(Path folder) {
    return Photos.sequentialRecords(folder)
        .map(
            f ->
                new Labelled(
                    Images.decodeJpeg(f.bytes("image")).resize(224, 224), f.tensor("label")))
        .shuffle(1000, Seed.of(7))
        .batch(BATCH);
  }

  private static Row beside(
      String row,
      String peerCase,
      Supplier<Dataset<Labelled>> ours,
      double bar,
      Path folder,
      Setup setup) {
    setup.progress().accept(row + ": warming up");
    read(ours.get());
    read(ours.get());
    TfData tfData = setup.peer();
    List<TfData.Mode> modes =
        tfData == null ? List.of() : List.of(TfData.Mode.AUTOTUNE, TfData.Mode.TUNED);
    double[] mine = new double[setup.pairs()];
    double[][] theirs = new double[modes.size()][setup.pairs()];
    for (int pair = 0; pair < setup.pairs(); pair++) {
      setup.progress().accept("%s: pair %d of %d".formatted(row, pair + 1, setup.pairs()));
      mine[pair] = read(ours.get()).cpuNs() / 1e6;
      for (int mode = 0; mode < modes.size() && tfData != null; mode++) {
        theirs[mode][pair] =
            tfData.measureCase("jpeg:" + peerCase, folder, modes.get(mode), PHOTOS).cpuNs() / 1e6;
      }
    }
    if (tfData == null) {
      return Row.alone(row, "CPU ms/image", Interval.of(mine), null);
    }
    int best =
        IntStream.range(0, theirs.length)
            .boxed()
            .min(Comparator.comparingDouble(mode -> Interval.of(theirs[mode]).median()))
            .orElseThrow();
    return Row.ofPairs(
        row,
        "CPU ms/image",
        mine,
        theirs[best],
        tfData.name(modes.get(best)),
        Bar.ratioAtLeast(bar),
        1e-6);
  }

  /** What one image takes. */
  private static Spent read(Dataset<Labelled> dataset) {
    try (Pipeline<Labelled> pipeline = dataset.open()) {
      return Spent.on(() -> Chains.read(pipeline)).each(PHOTOS);
    }
  }

  private static List<Row> besideTorch(Path folder, Setup setup) {
    Torch torch = setup.torch();
    if (torch == null) {
      return List.of();
    }
    int workers = Runtime.getRuntime().availableProcessors();
    double[][] cpu = new double[2][setup.pairs()];
    double[][] wall = new double[2][setup.pairs()];
    for (int pair = 0; pair < setup.pairs(); pair++) {
      setup.progress().accept("torch: pair %d of %d".formatted(pair + 1, setup.pairs()));
      Spent ours = read(train(folder));
      Spent theirs = torch.measure(folder, workers, PHOTOS);
      cpu[0][pair] = ours.cpuNs() / 1e6;
      cpu[1][pair] = theirs.cpuNs() / 1e6;
      wall[0][pair] = ours.wallNs() / 1e6;
      wall[1][pair] = theirs.wallNs() / 1e6;
    }
    String name = torch.name(workers);
    return List.of(
        Row.ofPairs("train, DataLoader", "CPU ms/image", cpu[0], cpu[1], name, null, 1e-6),
        Row.ofPairs("train, DataLoader", "ms/image", wall[0], wall[1], name, null, 1e-6));
  }

  private static Row cores(Path folder, Setup setup) {
    int cores = Runtime.getRuntime().availableProcessors();
    double[] many = new double[setup.pairs()];
    double[] one = new double[setup.pairs()];
    for (int pair = 0; pair < setup.pairs(); pair++) {
      setup.progress().accept("cores: pair %d of %d".formatted(pair + 1, setup.pairs()));
      many[pair] = read(train(folder)).wallNs() / 1e6;
      one[pair] = read(onOneThread(folder)).wallNs() / 1e6 / cores;
    }
    return Row.ofPairs(
        "all %d cores".formatted(cores),
        "ms/image",
        many,
        one,
        "one core's time, divided by " + cores,
        Bar.ratioAtLeast(0.92),
        1e-6);
  }
}
