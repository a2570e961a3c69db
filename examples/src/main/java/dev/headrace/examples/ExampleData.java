package dev.headrace.examples;

import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordWriter;
import dev.headrace.example.Example;
import dev.headrace.image.Images;
import dev.headrace.image.testing.SyntheticPhotos;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The data that an example makes for itself, in a folder for temporary files.
 *
 * <p><b>Ownership:</b> {@link #close} removes the folder.
 */
record ExampleData(Path folder) implements AutoCloseable {
  /** What fills a folder. */
  @FunctionalInterface
  private interface Filling {
    void fill(Path folder) throws IOException;
  }

  private static ExampleData make(String name, Filling filling) throws IOException {
    ExampleData data = new ExampleData(Files.createTempDirectory("headrace-" + name));
    try {
      filling.fill(data.folder);
      return data;
    } catch (Throwable e) {
      data.close();
      throw e;
    }
  }

  /** JPEG files: image-0000.jpg and so on. */
  static ExampleData jpegFiles(int count) throws IOException {
    return make(
        "images",
        folder -> {
          for (int i = 0; i < count; i++) {
            Files.write(folder.resolve("image-%04d.jpg".formatted(i)), jpeg(i));
          }
        });
  }

  /** The same bytes twice: as files, and in a TFRecord file. */
  static ExampleData filesAndRecords(int count, int bytes) throws IOException {
    return make(
        "files",
        folder -> {
          try (TfRecordWriter writer = new TfRecordWriter(folder.resolve("all.tfrecord"))) {
            for (int i = 0; i < count; i++) {
              byte[] content = new byte[bytes];
              content[0] = (byte) i;
              Files.write(folder.resolve("one-%05d.bin".formatted(i)), content);
              writer.write(content);
            }
          }
        });
  }

  /** TFRecords whose examples hold JPEGs and labels: train-*.tfrecord. */
  static ExampleData photoRecords(int count) throws IOException {
    return make(
        "photos",
        folder -> {
          for (int file = 0; file < 2; file++) {
            Path path = folder.resolve("train-%05d-of-00002.tfrecord".formatted(file));
            try (TfRecordWriter writer = new TfRecordWriter(path)) {
              for (int i = file; i < count; i += 2) {
                writer.write(
                    Example.builder().bytes("image", jpeg(i)).int64("label", i % 10).build());
              }
            }
          }
        });
  }

  /** A TFRecord file whose examples hold the bare pixels of images: images.tfrecord. */
  static ExampleData rawRecords(int count, int height, int width) throws IOException {
    return make(
        "raw",
        folder -> {
          try (TfRecordWriter writer = new TfRecordWriter(folder.resolve("images.tfrecord"))) {
            for (int i = 0; i < count; i++) {
              Tensor image = SyntheticPhotos.photo(height, width, i, 6);
              writer.write(Example.builder().bytes("image", image.toByteArray()).build());
            }
          }
        });
  }

  private static byte[] jpeg(int number) {
    return Images.encodeJpeg(SyntheticPhotos.labelledPhoto(192, 256, number % 10, 10, number), 90);
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> innermostFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : innermostFirst) {
        Files.delete(file);
      }
    }
  }
}
