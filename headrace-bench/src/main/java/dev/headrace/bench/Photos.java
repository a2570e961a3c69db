package dev.headrace.bench;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordWriter;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.example.Features;
import dev.headrace.image.Images;
import dev.headrace.image.Jpeg;
import dev.headrace.image.testing.SyntheticPhotos;
import dev.headrace.spi.Fn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;

/** Photographs of 500 × 375 pixels, quality 90, about 70 KB, as tf.train.Examples in TFRecords. */
final class Photos {
  /** A scaled decode. */
  static final Jpeg HALF = Jpeg.RGB.ratio(2);

  private static final int DISTINCT = 200;
  private static final int FILES = 4;
  private static final double NOISE = 11.5;

  private Photos() {}

  static void write(Path folder, int count) throws IOException {
    byte[][] photos = jpegs(Math.min(count, DISTINCT), NOISE);
    for (int i = 0; i < photos.length; i++) {
      Files.write(folder.resolve("photo-%05d.jpg".formatted(i)), photos[i]);
    }
    writeRecords(folder, photos, count, FILES);
  }

  /**
   * JPEG files of different photographs, made by all cores.
   *
   * @param noise the more, the larger they are: 11.5 makes about 70 KB
   */
  static byte[][] jpegs(int count, double noise) {
    return IntStream.range(0, count)
        .parallel()
        .mapToObj(i -> Images.encodeJpeg(SyntheticPhotos.photo(375, 500, i, noise), 90))
        .toArray(byte[][]::new);
  }

  /** Writes so many records, the photographs in turn. */
  static void writeRecords(Path folder, byte[][] photos, int count, int files) throws IOException {
    for (int file = 0; file < files; file++) {
      Path path = folder.resolve("photos-%05d-of-%05d.tfrecord".formatted(file, files));
      try (TfRecordWriter writer = new TfRecordWriter(path)) {
        for (int i = file; i < count; i += files) {
          writer.write(
              Example.builder()
                  .bytes("image", photos[i % photos.length])
                  .int64("label", i % 10)
                  .build());
        }
      }
    }
  }

  static Dataset<Features> records(Path folder) {
    return records(folder, AUTOTUNE);
  }

  static Dataset<Features> records(Path folder, int parallelism) {
    return Dataset.tfRecords(folder + "/photos-*.tfrecord").map(parser(), parallelism);
  }

  static Dataset<Features> sequentialRecords(Path folder) {
    return Dataset.tfRecords(folder + "/photos-*.tfrecord").map(parser());
  }

  private static Fn<Tensor, Features> parser() {
    return Example.parser(Feature.bytes("image"), Feature.int64("label"));
  }
}
