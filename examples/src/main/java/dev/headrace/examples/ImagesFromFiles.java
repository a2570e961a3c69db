package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.data.DType.FLOAT32;
import static dev.headrace.examples.Comparison.sentence;
import static dev.headrace.image.Jpeg.RGB;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.image.Images;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * "Why is training slow despite using TensorFlow's data pipeline?" (002), example 1: files, decoded
 * and resized in parallel.
 *
 * <pre>{@code
 * def load_and_preprocess(image_path):
 *   image = tf.io.read_file(image_path)
 *   image = tf.image.decode_jpeg(image, channels=3)
 *   image = tf.image.resize(image, (224, 224))
 *   image = tf.image.convert_image_dtype(image, dtype=tf.float32)
 *   return image
 *
 * dataset = tf.data.Dataset.list_files("path/to/images/*.jpg")
 * dataset = dataset.map(load_and_preprocess, num_parallel_calls=tf.data.AUTOTUNE)
 * dataset = dataset.batch(32)
 * }</pre>
 *
 * <p>As in the original, the last step changes nothing: a resized image has floats already, from 0
 * to 255. The text says that files are read and decoded "sequentially for each image"; but the map
 * has parallel calls. What it would be without them is shown beside it.
 */
public final class ImagesFromFiles {
  private static final Duration STEP = Duration.ofMillis(10);

  private ImagesFromFiles() {}

  static Dataset<Tensor> dataset(Path folder) {
    return Dataset.listFiles(folder + "/*.jpg").map(ImagesFromFiles::load, AUTOTUNE).batch(32);
  }

  static Dataset<Tensor> sequentially(Path folder) {
    return Dataset.listFiles(folder + "/*.jpg").map(ImagesFromFiles::load).batch(32);
  }

  private static Tensor load(Path file) throws IOException {
    return Images.decodeJpeg(Files.readAllBytes(file), RGB).resize(224, 224).convert(FLOAT32);
  }

  static Comparison.Result compare(Comparison.Looks looks, Path folder) throws Exception {
    return new Comparison()
        .form("as written", dataset(folder), STEP)
        .form("sequentially", sequentially(folder), STEP)
        .form("as written, prefetched", dataset(folder).prefetch(AUTOTUNE), STEP)
        .run(looks);
  }

  /** Argument: a folder of JPEG files; without one, some are made. */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0) {
      Comparison.Result _ = show(Comparison.Looks.USUAL, Path.of(arguments[0]));
      return;
    }
    try (ExampleData data = ExampleData.jpegFiles(192)) {
      Comparison.Result _ = show(Comparison.Looks.USUAL, data.folder());
    }
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks, Path folder) throws Exception {
    Comparison.Result result = compare(looks, folder);
    System.out.println(dataset(folder).explain());
    System.out.println();
    result.print(
        System.out,
        sentence(
            "as written, files are decoded in parallel: %.2f times as fast as sequentially, on %d"
                + " cores; prefetching adds %.2f times. Of the form as written it says: %s",
            result.times("as written", "sequentially"),
            Runtime.getRuntime().availableProcessors(),
            result.times("as written, prefetched", "as written"),
            result.of("as written").verdict().sentence()));
    return result;
  }
}
