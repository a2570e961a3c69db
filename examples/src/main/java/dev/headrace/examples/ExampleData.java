package dev.headrace.examples;

import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordWriter;
import dev.headrace.example.Example;
import dev.headrace.image.Images;
import dev.headrace.image.testing.SyntheticPhotos;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The data that the examples make for themselves, in a folder for temporary files. */
final class ExampleData {
  private ExampleData() {}

  /** A folder of JPEG files. */
  static Path jpegFiles(int count) throws IOException {
    Path folder = Files.createTempDirectory("headrace-images");
    for (int i = 0; i < count; i++) {
      Files.write(folder.resolve("image-%04d.jpg".formatted(i)), jpeg(i));
    }
    return folder;
  }

  /** A folder of TFRecords whose examples hold JPEGs and labels. */
  static Path photoRecords(int count) throws IOException {
    Path folder = Files.createTempDirectory("headrace-photos");
    for (int file = 0; file < 2; file++) {
      Path path = folder.resolve("train-%05d-of-00002.tfrecord".formatted(file));
      try (TfRecordWriter writer = new TfRecordWriter(path)) {
        for (int i = file; i < count; i += 2) {
          writer.write(Example.builder().bytes("image", jpeg(i)).int64("label", i % 10).build());
        }
      }
    }
    return folder;
  }

  /** A folder of TFRecords whose examples hold the bare pixels of images. */
  static Path rawRecords(int count, int height, int width) throws IOException {
    Path folder = Files.createTempDirectory("headrace-raw");
    try (TfRecordWriter writer = new TfRecordWriter(folder.resolve("images.tfrecord"))) {
      for (int i = 0; i < count; i++) {
        Tensor image = SyntheticPhotos.photo(height, width, i, 6);
        writer.write(Example.builder().bytes("image", image.toByteArray()).build());
      }
    }
    return folder;
  }

  private static byte[] jpeg(int number) {
    return Images.encodeJpeg(SyntheticPhotos.labelledPhoto(192, 256, number % 10, 10, number), 90);
  }
}
