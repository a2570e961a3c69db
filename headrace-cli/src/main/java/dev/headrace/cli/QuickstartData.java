package dev.headrace.cli;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.image.Images;
import dev.headrace.image.testing.SyntheticPhotos;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The photographs that {@code quickstart} trains on.
 *
 * <p><b>Ownership:</b> {@link #close} removes the folder, unless the user named it.
 */
record QuickstartData(Path folder, boolean isTemporary) implements AutoCloseable {
  static final int WIDTH = 500;
  static final int HEIGHT = 375;
  static final int FILES = 4;
  static final int LABELS = 10;

  /** Makes the photographs, unless the folder holds as many already. */
  static QuickstartData make(@Nullable Path wanted, int count, Consumer<String> progress)
      throws IOException {
    QuickstartData data =
        wanted == null
            ? new QuickstartData(Files.createTempDirectory("headrace-quickstart"), true)
            : new QuickstartData(Files.createDirectories(wanted.resolve("photos-" + count)), false);
    try {
      data.write(count, progress);
      return data;
    } catch (Throwable e) {
      data.close();
      throw e;
    }
  }

  private void write(int count, Consumer<String> progress) throws IOException {
    for (int file = 0; file < FILES; file++) {
      int from = count * file / FILES;
      int to = count * (file + 1) / FILES;
      Path path = folder.resolve("train-%05d-of-%05d.tfrecord".formatted(file, FILES));
      if (!isTemporary && Files.exists(path)) {
        continue;
      }
      progress.accept("making photographs: %,d of %,d".formatted(to, count));
      long _ =
          Dataset.range(from, to).map(QuickstartData::photograph, AUTOTUNE).writeTfRecords(path);
    }
  }

  private static Tensor photograph(long number) {
    int label = (int) (number % LABELS);
    Tensor pixels = SyntheticPhotos.labelledPhoto(HEIGHT, WIDTH, label, LABELS, number);
    return Example.builder()
        .bytes("image", Images.encodeJpeg(pixels, 90))
        .int64("label", label)
        .build();
  }

  /** The size of the files. */
  long bytes() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    }
  }

  @Override
  public void close() {
    if (!isTemporary) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> innermostFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : innermostFirst) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
