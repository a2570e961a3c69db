package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordWriter;
import dev.headrace.example.Example;
import dev.headrace.example.ExampleBuilder;
import dev.headrace.example.Feature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** The records that {@link Examples} parses, in TFRecord files. */
final class ExampleFiles {
  private ExampleFiles() {}

  /** A row of a table as advertising logs have it: a label, 13 numbers and 26 categories. */
  static byte[] tabular(Random random) {
    ExampleBuilder row = Example.builder().int64("label", random.nextInt(2));
    for (int i = 1; i <= 13; i++) {
      row.floats("I" + i, random.nextFloat());
    }
    for (int i = 14; i <= 39; i++) {
      // Categories are numbered by how often they come: most numbers are small.
      row.int64("C" + i, random.nextLong(1L << 1 + random.nextInt(24)));
    }
    return row.toBytes();
  }

  static List<Feature> tabularFeatures() {
    List<Feature> features = new ArrayList<>();
    features.add(Feature.int64("label"));
    for (int i = 1; i <= 13; i++) {
      features.add(Feature.float32("I" + i));
    }
    for (int i = 14; i <= 39; i++) {
      features.add(Feature.int64("C" + i));
    }
    return features;
  }

  /** An image of 60 KB with what is usually beside it. */
  static byte[] image(Random random) {
    byte[] encoded = new byte[60_000];
    random.nextBytes(encoded);
    return Example.builder()
        .int64("image/height", 375)
        .int64("image/width", 500)
        .strings("image/colorspace", "RGB")
        .int64("image/class/label", random.nextInt(1000))
        .strings("image/class/text", "a few words")
        .strings("image/filename", "n" + random.nextInt() + ".JPEG")
        .bytes("image/encoded", encoded)
        .toBytes();
  }

  static List<Feature> imageFeatures() {
    return List.of(Feature.bytes("image/encoded"), Feature.int64("image/class/label"));
  }

  /** Writes a TFRecord file. */
  static void write(Path file, int count, Supplier<byte[]> records) throws IOException {
    try (TfRecordWriter writer = new TfRecordWriter(file)) {
      for (int i = 0; i < count; i++) {
        writer.write(records.get());
      }
    }
  }

  static Dataset<Tensor> records(Path file) {
    return Dataset.tfRecords(file);
  }
}
