package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.example.Features;
import dev.headrace.spi.Fn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.LongFunction;

/**
 * Parsing {@code tf.train.Example}: CPU time for each example, reading and batching included, or
 * parsing alone over a batch that is in memory.
 *
 * <p>tf.data's figure is the best of its default options, of a parallel map that it tunes, and of
 * autotuning and rewrites turned off.
 */
final class Examples implements Scenario {
  private static final int TABULAR_RECORDS = 1 << 15;
  private static final int TABULAR_BATCH = 1024;
  private static final int IMAGE_RECORDS = 1 << 11;
  private static final int IMAGE_BATCH = 32;
  private static final double LEAST_RATIO = 2.5;

  private record Case(String name, String peerName, LongFunction<Dataset<?>> chain, long most) {}

  @Override
  public String name() {
    return "examples";
  }

  @Override
  public String summary() {
    return "parsing tf.train.Example, beside tf.data; about a minute";
  }

  @Override
  public List<Row> run(Setup setup) throws IOException {
    Chains.warmUp();
    try (TemporaryFolder temporary = TemporaryFolder.create("examples")) {
      Path folder = temporary.path();
      writeFiles(folder);
      List<Row> rows = new ArrayList<>();
      for (Case each : cases(folder)) {
        setup.progress().accept(each.name);
        rows.add(row(each, setup, folder));
      }
      return rows;
    }
  }

  private static void writeFiles(Path folder) throws IOException {
    Random random = new Random(7);
    ExampleFiles.write(
        folder.resolve("tabular.tfrecord"), TABULAR_RECORDS, () -> ExampleFiles.tabular(random));
    ExampleFiles.write(
        folder.resolve("image.tfrecord"), IMAGE_RECORDS, () -> ExampleFiles.image(random));
  }

  private static List<Case> cases(Path folder) {
    // Mapped once: what a mapping costs is not what is measured.
    Dataset<Tensor> tabular = ExampleFiles.records(folder.resolve("tabular.tfrecord"));
    Dataset<Tensor> image = ExampleFiles.records(folder.resolve("image.tfrecord"));
    Fn<Tensor, Features> rows = parser(ExampleFiles.tabularFeatures());
    Fn<Tensor, Features> images = parser(ExampleFiles.imageFeatures());
    Tensor batch = tabular.batch(TABULAR_BATCH).first().orElseThrow();
    return List.of(
        new Case(
            "40 numbers, 26 of them categories; read, batch(1024), parse",
            "tabular_examples",
            n -> tabular.take(n).batch(TABULAR_BATCH).map(rows),
            TABULAR_RECORDS),
        new Case(
            "the same, batches in memory",
            "tabular_examples_in_memory",
            n -> Dataset.of(batch).repeat((n + TABULAR_BATCH - 1) / TABULAR_BATCH).map(rows),
            1 << 20),
        new Case(
            "image of 60 KB and label; read, batch(32), parse",
            "image_examples",
            n -> image.take(n).batch(IMAGE_BATCH).map(images),
            IMAGE_RECORDS));
  }

  private static Fn<Tensor, Features> parser(List<Feature> features) {
    return Example.parser(features.toArray(Feature[]::new));
  }

  private static Row row(Case each, Setup setup, Path folder) {
    Measured ours = new Measured(each.chain).atMost(each.most).warm().warm().warm();
    TfData tfData = setup.peer();
    List<MeasuredPeer> peers = new ArrayList<>();
    if (tfData != null) {
      for (TfData.Mode mode : TfData.Mode.values()) {
        peers.add(MeasuredPeer.ofCase(tfData, mode, each.peerName, folder, each.most));
      }
    }
    double[] mine = new double[setup.pairs()];
    for (int pair = 0; pair < setup.pairs(); pair++) {
      mine[pair] = ours.measure().cpuNs();
      peers.forEach(MeasuredPeer::measure);
    }
    String unit = "CPU ns/example";
    if (peers.isEmpty()) {
      return Row.alone(each.name, unit, Interval.of(mine), null);
    }
    MeasuredPeer best =
        peers.stream().min(Comparator.comparingDouble(MeasuredPeer::medianCpuNs)).orElseThrow();
    return Row.ofPairs(
        each.name,
        unit,
        mine,
        Spent.cpu(best.runs()),
        best.name(),
        Bar.ratioAtLeast(LEAST_RATIO),
        1);
  }
}
