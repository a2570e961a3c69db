package dev.headrace.image;

import dev.headrace.data.DType;
import dev.headrace.data.Tensor;
import java.awt.Transparency;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.DataBufferByte;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/** Encodes images with the JDK's writers: for tests, examples and small datasets. */
final class Encoders {
  private Encoders() {}

  static byte[] jpeg(Tensor image, int quality) {
    if (quality < 1 || quality > 100) {
      throw new IllegalArgumentException(
          "encodeJpeg: expected a quality of 1 to 100, but got " + quality);
    }
    BufferedImage pixels = image("encodeJpeg", image, 3);
    ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
    ImageWriteParam settings = writer.getDefaultWriteParam();
    settings.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
    settings.setCompressionQuality(quality / 100f);
    return write(writer, pixels, settings);
  }

  static byte[] png(Tensor image) {
    ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
    return write(writer, image("encodePng", image, 4), writer.getDefaultWriteParam());
  }

  private static byte[] write(ImageWriter writer, BufferedImage image, ImageWriteParam settings) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(bytes)) {
      writer.setOutput(out);
      writer.write(null, new IIOImage(image, null, null), settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // into memory
    } finally {
      writer.dispose();
    }
    return bytes.toByteArray();
  }

  private static BufferedImage image(String place, Tensor image, int mostChannels) {
    boolean fits = image.dtype() == DType.UINT8 && image.shape().rank() == 3;
    int channels = fits ? (int) image.shape().dim(2) : 0;
    if (channels < 1 || channels > mostChannels || channels == 2 || image.elements() == 0) {
      throw new IllegalArgumentException(
          "%s: expected a uint8 image of 1%s channels, but got %s"
              .formatted(place, mostChannels == 4 ? ", 3 or 4" : " or 3", image.describe()));
    }
    int height = (int) image.shape().dim(0);
    int width = (int) image.shape().dim(1);
    byte[] bytes = image.toByteArray();
    int[] offsets = new int[channels];
    for (int i = 0; i < channels; i++) {
      offsets[i] = i;
    }
    WritableRaster raster =
        Raster.createInterleavedRaster(
            new DataBufferByte(bytes, bytes.length),
            width,
            height,
            width * channels,
            channels,
            offsets,
            null);
    ColorSpace space =
        ColorSpace.getInstance(channels == 1 ? ColorSpace.CS_GRAY : ColorSpace.CS_sRGB);
    ComponentColorModel model =
        new ComponentColorModel(
            space,
            channels == 4,
            false,
            channels == 4 ? Transparency.TRANSLUCENT : Transparency.OPAQUE,
            DataBuffer.TYPE_BYTE);
    return new BufferedImage(model, raster, false, null);
  }
}
