package dev.headrace.frameworks;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.data.DType.FLOAT32;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.image.Images;
import dev.headrace.image.testing.SyntheticPhotos;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * JPEG files of 500 × 375 pixels, quality 90, about 50 KB: a folder for training and one for
 * validation, a subfolder in it for each class.
 */
record PhotoFiles(Path folder) {
  static final int CLASSES = 4;
  static final int BATCH = 32;
  static final int SIDE = 64;

  private static final int HEIGHT = 375;
  private static final int WIDTH = 500;

  /** One photograph, or a batch of them. */
  record Labelled(Tensor image, Tensor label) {}

  /** Makes {@code count} photographs that differ from those of every other {@code first}. */
  static PhotoFiles make(Path folder, int first, int count) throws IOException {
    for (int label = 0; label < CLASSES; label++) {
      Files.createDirectories(folder.resolve("class-" + label));
    }
    for (int number = first; number < first + count; number++) {
      int label = number % CLASSES;
      byte[] jpeg =
          Images.encodeJpeg(
              SyntheticPhotos.labelledPhoto(HEIGHT, WIDTH, label, CLASSES, number), 90);
      Files.write(folder.resolve("class-%d/photo-%05d.jpg".formatted(label, number)), jpeg);
    }
    return new PhotoFiles(folder);
  }

  /** All files, sorted. */
  List<Path> list() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  static int label(Path file) {
    String name = String.valueOf(Path.of(String.valueOf(file.getParent())).getFileName());
    return name.charAt(name.length() - 1) - '0';
  }

  /** The photographs, decoded, resized and scaled to [0, 1], channels first; not batched. */
  Dataset<Labelled> decoded() {
    return Dataset.listFiles(folder + "/*/*.jpg").map(PhotoFiles::load, AUTOTUNE);
  }

  private static Labelled load(Path file) throws IOException {
    Tensor image =
        Images.decodeJpeg(Files.readAllBytes(file)).resize(SIDE, SIDE).scale(1 / 255.0).toNchw();
    return new Labelled(image.convert(FLOAT32), Tensor.scalar((long) label(file)));
  }

  /** The training pipeline that is measured. */
  Dataset<Labelled> training(int epochs) {
    return Dataset.listFiles(folder + "/*/*.jpg")
        .shuffle(10_000, Seed.of(7))
        .map(PhotoFiles::load, AUTOTUNE)
        .batch(BATCH, true)
        .prefetch(AUTOTUNE)
        .options(o -> o.epochs(epochs));
  }
}
