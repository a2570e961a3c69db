package dev.headrace.image;

import java.awt.image.DataBufferByte;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgcodecs;
import org.bytedeco.opencv.opencv_core.Mat;

/** JPEG files of all kinds, made up. */
final class JpegFiles {
  /** Horizontal and vertical factors of the three components, and their usual name. */
  private static final Map<String, Integer> SAMPLINGS =
      Map.of(
          "4:4:4", 0x111111, "4:2:2", 0x211111, "4:2:0", 0x221111, "4:4:0", 0x121111, "4:1:1",
          0x411111);

  private JpegFiles() {}

  /** Waves with noise, so that blocks differ and no coefficient is always zero. */
  static byte[] pixels(int width, int height, int channels, Random random) {
    byte[] pixels = new byte[width * height * channels];
    double[] waves = random.doubles(6 * channels, 0.02, 0.4).toArray();
    for (int y = 0, i = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        for (int c = 0; c < channels; c++, i++) {
          double value =
              128
                  + 70 * Math.sin(waves[c * 6] * x + waves[c * 6 + 1] * y)
                  + 50 * Math.cos(waves[c * 6 + 2] * x - waves[c * 6 + 3] * y)
                  + random.nextGaussian() * 8;
          pixels[i] = (byte) Math.clamp((int) value, 0, 255);
        }
      }
    }
    return pixels;
  }

  /** Files of one size in every way of storing them that OpenCV knows. */
  static Map<String, byte[]> ofSize(int width, int height, Random random) {
    Map<String, byte[]> files = new LinkedHashMap<>();
    byte[] colour = pixels(width, height, 3, random);
    SAMPLINGS.forEach(
        (name, factors) -> {
          int quality = 30 + random.nextInt(70);
          files.put(name, encode(colour, width, height, 3, quality, 7, factors));
          files.put(
              name + " progressive", encode(colour, width, height, 3, quality, 7, factors, 2, 1));
          files.put(
              name + " restarts",
              encode(colour, width, height, 3, quality, 7, factors, 4, 1 + random.nextInt(4)));
        });
    byte[] grey = pixels(width, height, 1, random);
    files.put("grey", encode(grey, width, height, 1, 90));
    files.put("grey progressive", encode(grey, width, height, 1, 80, 2, 1));
    return files;
  }

  /** By OpenCV; more settings as pairs of its IMWRITE_JPEG numbers and values. */
  static byte[] encode(
      byte[] pixels, int width, int height, int channels, int quality, int... more) {
    int[] settings = new int[more.length + 2];
    settings[0] = opencv_imgcodecs.IMWRITE_JPEG_QUALITY;
    settings[1] = quality;
    System.arraycopy(more, 0, settings, 2, more.length);
    int type = channels == 1 ? opencv_core.CV_8UC1 : opencv_core.CV_8UC3;
    try (BytePointer memory = new BytePointer(pixels);
        Mat image = new Mat(height, width, type, memory);
        BytePointer file = new BytePointer();
        IntPointer pairs = new IntPointer(settings)) {
      opencv_imgcodecs.imencode(".jpg", image, file, pairs);
      byte[] bytes = new byte[(int) file.limit()];
      file.get(bytes);
      return bytes;
    }
  }

  /** Components as they are, without any marker that tells what they mean: by the JDK. */
  static byte[] unmarked(int width, int height, int components, Random random) {
    byte[] samples = pixels(width, height, components, random);
    int[] offsets = new int[components];
    for (int i = 0; i < components; i++) {
      offsets[i] = i;
    }
    WritableRaster raster =
        Raster.createInterleavedRaster(
            new DataBufferByte(samples, samples.length),
            width,
            height,
            width * components,
            components,
            offsets,
            null);
    ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(bytes)) {
      ImageWriteParam settings = writer.getDefaultWriteParam();
      writer.setOutput(out);
      writer.write(null, new IIOImage(raster, null, null), settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      writer.dispose();
    }
    return bytes.toByteArray();
  }

  /** The file with Adobe's marker put behind its start. */
  static byte[] withAdobe(byte[] file, int transform) {
    byte[] marker = {
      (byte) 0xFF, (byte) 0xEE, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, (byte) transform
    };
    byte[] marked = new byte[file.length + marker.length];
    System.arraycopy(file, 0, marked, 0, 2);
    System.arraycopy(marker, 0, marked, 2, marker.length);
    System.arraycopy(file, 2, marked, 2 + marker.length, file.length - 2);
    return marked;
  }
}
