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

/** Photographs of 500 × 375 pixels, quality 90, about 70 KB, as tf.train.Examples in TFRecords. */
final class Photos {
  /** A scaled decode. */
  static final Jpeg HALF = Jpeg.RGB.ratio(2);

  private static final int DISTINCT = 200;
  private static final int FILES = 4;
  private static final double NOISE = 11.5;

  private Photos() {}

  static void write(Path folder, int count) throws IOException {
    byte[][] photos = new byte[Math.min(count, DISTINCT)][];
    for (int i = 0; i < photos.length; i++) {
      photos[i] = Images.encodeJpeg(SyntheticPhotos.photo(375, 500, i, NOISE), 90);
      Files.write(folder.resolve("photo-%05d.jpg".formatted(i)), photos[i]);
    }
    for (int file = 0; file < FILES; file++) {
      Path path = folder.resolve("photos-%05d-of-%05d.tfrecord".formatted(file, FILES));
      try (TfRecordWriter writer = new TfRecordWriter(path)) {
        for (int i = file; i < count; i += FILES) {
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
