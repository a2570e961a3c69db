package dev.headrace.frameworks;

import ai.djl.engine.Engine;
import ai.djl.modality.cv.BufferedImageFactory;
import ai.djl.modality.cv.ImageFactory;
import dev.headrace.Dataset;
import dev.headrace.bench.Bar;
import dev.headrace.bench.Interval;
import dev.headrace.bench.Row;
import dev.headrace.bench.Scenario;
import dev.headrace.bench.Setup;
import dev.headrace.bench.TemporaryFolder;
import dev.headrace.djl.HeadraceDataset;
import dev.headrace.frameworks.PhotoFiles.Labelled;
import dev.headrace.frameworks.PhotoModel.Trained;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The same training by DJL on the same JPEG files, read by Headrace and by DJL's own loader in the
 * best of its settings. The network, its first parameters, the batch size and the number of epochs
 * are the same; nothing is cached, so every epoch decodes every photograph.
 */
public final class DjlTraining implements Scenario {
  private static final int PHOTOS = 960;
  private static final int UNSEEN = 240;
  private static final int EPOCHS = 4;

  /** Of unseen photographs, at most this share is to be read wrong. */
  private static final double MOST_ERROR = 0.1;

  @Override
  public String name() {
    return "djl";
  }

  @Override
  public String summary() {
    return "training with DJL, on Headrace and on DJL's own loader; about 10 minutes";
  }

  @Override
  public List<Row> run(Setup setup) throws IOException {
    DjlEngine.configure();
    try (TemporaryFolder temporary = TemporaryFolder.create("djl")) {
      setup.progress().accept("making photographs");
      Path folder = temporary.path();
      PhotoFiles photos = PhotoFiles.make(folder.resolve("train"), 0, PHOTOS);
      PhotoFiles unseen = PhotoFiles.make(folder.resolve("unseen"), PHOTOS, UNSEEN);
      try (HeadraceDataset<Labelled> validation =
          HeadraceDataset.of(unseen.decoded().batch(PhotoFiles.BATCH).cache(), "image", "label")) {
        return rows(photos, validation, setup);
      }
    }
  }

  private static List<Row> rows(
      PhotoFiles photos, HeadraceDataset<Labelled> validation, Setup setup) throws IOException {
    ours(photos, validation);
    DjlSettings best = best(photos, validation, setup);
    String engine = "DJL, " + Engine.getInstance().getEngineName() + ' ' + engineVersion();
    int pairs = setup.pairs();
    double[][] wall = new double[2][pairs];
    double[][] cpu = new double[2][pairs];
    double[][] error = new double[2][pairs];
    for (int pair = 0; pair < pairs; pair++) {
      setup.progress().accept("pair %d of %d".formatted(pair + 1, pairs));
      Trained[] trained = {ours(photos, validation), best.train(photos, validation, EPOCHS)};
      for (int side = 0; side < trained.length; side++) {
        wall[side][pair] = trained[side].spent().wallNs() / 1e9;
        cpu[side][pair] = trained[side].spent().cpuNs() / 1e9;
        error[side][pair] = trained[side].error();
      }
    }
    String peer = engine + ": " + best;
    List<Row> rows = new ArrayList<>();
    rows.add(Row.ofPairs("end to end", "s", wall[0], wall[1], peer, Bar.ratioAtLeast(1.0), 1e-9));
    rows.add(Row.ofPairs("end to end", "CPU s", cpu[0], cpu[1], peer, null, 1e-9));
    rows.add(
        new Row(
            "unseen, wrong",
            "share",
            Interval.of(error[0]),
            Interval.of(error[1]).median(),
            peer,
            null,
            Bar.atMost(MOST_ERROR)));
    rows.add(plain(photos, validation, engine, setup));
    rows.add(stepsAlone(photos, validation, setup));
    return rows;
  }

  private static Trained ours(PhotoFiles photos, HeadraceDataset<Labelled> validation) {
    return train(photos.training(EPOCHS), validation);
  }

  private static Trained train(Dataset<Labelled> batches, HeadraceDataset<Labelled> validation) {
    try (HeadraceDataset<Labelled> training =
        HeadraceDataset.of(batches, "image", "label").borrowing()) {
      return PhotoModel.train(training, validation, EPOCHS, null);
    }
  }

  /** The settings with which one short training took least time. */
  private static DjlSettings best(
      PhotoFiles photos, HeadraceDataset<Labelled> validation, Setup setup) throws IOException {
    DjlSettings best = DjlSettings.plain();
    double least = Double.POSITIVE_INFINITY;
    for (DjlSettings settings : DjlSettings.candidates()) {
      setup.progress().accept("trying DJL: " + settings);
      double took =
          Math.min(
              settings.train(photos, validation, 1).spent().wallNs(),
              settings.train(photos, validation, 1).spent().wallNs());
      if (took < least) {
        least = took;
        best = settings;
      }
    }
    return best;
  }

  /** As documented: images by the JDK, transforms, no threads. It is slow, so one pair in three. */
  private static Row plain(
      PhotoFiles photos, HeadraceDataset<Labelled> validation, String engine, Setup setup)
      throws IOException {
    int pairs = Math.max(1, setup.pairs() / 3);
    double[][] wall = new double[2][pairs];
    ImageFactory fast = ImageFactory.getInstance();
    ImageFactory.setImageFactory(new BufferedImageFactory());
    try {
      for (int pair = 0; pair < pairs; pair++) {
        setup.progress().accept("DJL as documented: pair %d of %d".formatted(pair + 1, pairs));
        wall[0][pair] = ours(photos, validation).spent().wallNs() / 1e9;
        wall[1][pair] =
            DjlSettings.plain().train(photos, validation, EPOCHS).spent().wallNs() / 1e9;
      }
      String peer = engine + ", as documented: " + DjlSettings.plain();
      return Row.ofPairs("end to end, plain DJL", "s", wall[0], wall[1], peer, null, 1e-9);
    } finally {
      ImageFactory.setImageFactory(fast);
    }
  }

  /** What no loader can go below: the training on photographs that lie decoded in memory. */
  private static Row stepsAlone(
      PhotoFiles photos, HeadraceDataset<Labelled> validation, Setup setup) throws IOException {
    setup.progress().accept("steps alone");
    List<Labelled> decoded = photos.decoded().toList();
    double[] wall = new double[Math.max(1, setup.pairs() / 3)];
    for (int i = 0; i < wall.length; i++) {
      Dataset<Labelled> batches = Dataset.fromList(decoded).batch(PhotoFiles.BATCH, true);
      wall[i] = train(batches, validation).spent().wallNs() / 1e9;
    }
    return Row.alone("steps alone", "s", Interval.of(wall), null);
  }

  private static String engineVersion() {
    return Engine.getInstance().getVersion();
  }
}
