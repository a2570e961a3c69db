package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.data.DType.FLOAT32;
import static dev.headrace.image.Jpeg.RGB;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Tensor;
import dev.headrace.image.Images;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * "Why is training slow despite using TensorFlow's data pipeline?", example 1: files, decoded and
 * resized in parallel.
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
 * to 255.
 */
public final class ImagesFromFiles {
  private ImagesFromFiles() {}

  static Dataset<Tensor> dataset(Path folder) {
    return Dataset.listFiles(folder + "/*.jpg").map(ImagesFromFiles::load, AUTOTUNE).batch(32);
  }

  private static Tensor load(Path file) throws IOException {
    return Images.decodeJpeg(Files.readAllBytes(file), RGB).resize(224, 224).convert(FLOAT32);
  }

  /** Argument: a folder of JPEG files; without one, some are made. */
  public static void main(String[] arguments) throws IOException {
    Path folder = arguments.length > 0 ? Path.of(arguments[0]) : ExampleData.jpegFiles(200);
    long start = System.nanoTime();
    try (Pipeline<Tensor> batches = dataset(folder).open()) {
      long images = 0;
      for (Tensor batch : batches) {
        images += batch.shape().dim(0);
      }
      System.out.printf("%,d images in %.2f s%n", images, (System.nanoTime() - start) / 1e9);
      System.out.println(batches.explain());
      System.out.println(batches.stats());
    }
  }
}
