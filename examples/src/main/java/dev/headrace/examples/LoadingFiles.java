package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * "Why is training slow despite using TensorFlow's data pipeline?" (002), part 1: loading. The same
 * bytes in many small files and in one TFRecord file, read and nothing else.
 *
 * <p>The files are in the memory of the operating system, so this is what opening, reading and
 * closing them costs at least; a disk or a network makes the difference larger.
 */
public final class LoadingFiles {
  private LoadingFiles() {}

  static Dataset<byte[]> files(Path folder) {
    return Dataset.listFiles(folder + "/*.bin").map(Files::readAllBytes);
  }

  static Dataset<byte[]> filesInParallel(Path folder) {
    return Dataset.listFiles(folder + "/*.bin").map(Files::readAllBytes, AUTOTUNE);
  }

  static Dataset<Tensor> records(Path folder) {
    return Dataset.tfRecords(folder + "/*.tfrecord");
  }

  static Comparison.Result compare(Comparison.Looks looks, Path folder) throws Exception {
    return new Comparison()
        .form("files", files(folder), file -> {})
        .form("files in parallel", filesInParallel(folder), file -> {})
        .form("one TFRecord file", records(folder), record -> {})
        .run(looks);
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks, Path folder) throws Exception {
    Comparison.Result result = compare(looks, folder);
    result.print(
        System.out,
        sentence(
            "records of 10 kB are read %.0f times as fast from one TFRecord file as from files of"
                + " their own (%.0f µs each), and %.0f times as fast as from files read in"
                + " parallel.",
            result.times("one TFRecord file", "files"),
            1e6 / result.of("files").rate(),
            result.times("one TFRecord file", "files in parallel")));
    return result;
  }

  /** No arguments: the files are made. */
  public static void main(String[] arguments) throws Exception {
    try (ExampleData data = ExampleData.filesAndRecords(2000, 10_000)) {
      Comparison.Result _ = show(Comparison.Looks.USUAL, data.folder());
    }
  }
}
