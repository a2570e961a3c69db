package dev.headrace.data.image;

import dev.headrace.data.DType;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * The pixels of images as they lie in memory: rows of equal length at equal distances, which may be
 * a window of larger images.
 *
 * <p><b>Ownership:</b> views memory that is borrowed for the time of a call.
 *
 * @param offset the byte where the first row of the first image begins
 * @param rowBytes from one row to the next
 * @param imageBytes from one image to the next
 */
record Raster(
    MemorySegment memory,
    DType dtype,
    ImageSize size,
    long offset,
    long rowBytes,
    long imageBytes) {

  /** Lets {@code reader} see the pixels of {@code tensor} for the time of the call. */
  static void borrow(String word, Tensor tensor, Consumer<Raster> reader) {
    if (tensor.expression() instanceof CropExpression crop
        && !(crop.source().expression() instanceof ImageSource)) {
      borrow(word, crop.source(), raster -> reader.accept(raster.window(crop.window())));
      return;
    }
    ImageSize size = ImageSize.of(word, tensor);
    long rowBytes = (long) size.rowLength() * tensor.dtype().byteSize();
    tensor.borrow(
        memory ->
            reader.accept(
                new Raster(memory, tensor.dtype(), size, 0, rowBytes, rowBytes * size.height())));
  }

  /** The same window of each image. */
  Raster window(Window window) {
    return new Raster(
        memory,
        dtype,
        size.with(window.height(), window.width(), size.channels()),
        offset + window.top() * rowBytes + (long) window.left() * pixelBytes(),
        rowBytes,
        imageBytes);
  }

  int pixelBytes() {
    return size.channels() * dtype.byteSize();
  }

  /** The byte where a row begins. */
  long at(long image, int row) {
    return offset + image * imageBytes + row * rowBytes;
  }
}
