package dev.headrace.data.image;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import dev.headrace.data.DType;
import dev.headrace.data.Plural;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * Boxes of images, each resized to one size between two by two pixels, as {@code
 * tf.image.crop_and_resize}: float32 of shape [boxes, height, width, channels].
 *
 * @param outside the value of pixels that lie outside the image
 */
public record CropAndResizeExpression(
    Tensor source, List<Box> boxes, int height, int width, float outside)
    implements ImageExpression {
  /**
   * A box of one image. Its corners may lie outside and in any order.
   *
   * @param image which image of the batch
   * @param top in parts of the image's height, as are the other sides
   */
  public record Box(int image, float top, float left, float bottom, float right) {}

  public CropAndResizeExpression {
    boxes = List.copyOf(boxes);
    ImageSize.checkTarget("cropAndResize", height, width);
    ImageSize size = ImageSize.of("cropAndResize", source);
    for (Box box : boxes) {
      if (box.image < 0 || box.image >= size.images()) {
        throw new IllegalArgumentException(
            "cropAndResize: expected boxes of %d %s, but got %s"
                .formatted(size.images(), Plural.word(size.images(), "image"), box));
      }
    }
  }

  @Override
  public DType dtype() {
    return DType.FLOAT32;
  }

  @Override
  public Shape shape() {
    return Shape.of(boxes.size(), height, width, ImageSize.of("cropAndResize", source).channels());
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    Raster.borrow("cropAndResize", source, raster -> evaluate(raster, destination));
  }

  private void evaluate(Raster raster, MemorySegment destination) {
    ImageSize size = raster.size();
    PixelMemory pixels = new PixelMemory(size.rowLength());
    float[] top = new float[size.rowLength()];
    float[] bottom = new float[size.rowLength()];
    float[] row = new float[width * size.channels()];
    long to = 0;
    for (Box box : boxes) {
      for (int y = 0; y < height; y++) {
        float place = place(y, height, box.top, box.bottom, size.height());
        if (isOutside(place, size.height())) {
          Arrays.fill(row, outside);
        } else {
          int low = (int) Math.floor(place);
          pixels.load(raster.dtype(), raster.memory(), raster.at(box.image, low), top, top.length);
          int high = (int) Math.ceil(place);
          pixels.load(
              raster.dtype(), raster.memory(), raster.at(box.image, high), bottom, top.length);
          spread(box, top, bottom, place - low, size, row);
        }
        MemorySegment.copy(row, 0, destination, JAVA_FLOAT_UNALIGNED, to, row.length);
        to += row.length * 4L;
      }
    }
  }

  private void spread(
      Box box, float[] top, float[] bottom, float weight, ImageSize size, float[] row) {
    int channels = size.channels();
    for (int x = 0; x < width; x++) {
      float place = place(x, width, box.left, box.right, size.width());
      if (isOutside(place, size.width())) {
        Arrays.fill(row, x * channels, (x + 1) * channels, outside);
        continue;
      }
      int low = (int) Math.floor(place) * channels;
      int high = (int) Math.ceil(place) * channels;
      float between = place - (float) Math.floor(place);
      for (int channel = 0; channel < channels; channel++) {
        float above = top[low + channel] + (top[high + channel] - top[low + channel]) * between;
        float below =
            bottom[low + channel] + (bottom[high + channel] - bottom[low + channel]) * between;
        row[x * channels + channel] = above + (below - above) * weight;
      }
    }
  }

  // The corners of the box fall on the centres of the corner pixels; one pixel takes the middle.
  private static float place(int output, int outputs, float from, float to, int inputs) {
    if (outputs == 1) {
      return 0.5f * (from + to) * (inputs - 1);
    }
    float step = (to - from) * (inputs - 1) / (outputs - 1);
    return from * (inputs - 1) + output * step;
  }

  private static boolean isOutside(float place, int inputs) {
    return !(place >= 0 && place <= inputs - 1);
  }

  @Override
  public String describe() {
    return "cropAndResize(%d %s, %d, %d) ← %s"
        .formatted(
            boxes.size(), Plural.word(boxes.size(), "box"), height, width, source.describe());
  }
}
