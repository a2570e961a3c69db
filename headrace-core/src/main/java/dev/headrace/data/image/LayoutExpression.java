package dev.headrace.data.image;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * An image with its channels last, or first.
 *
 * @param layout how the result lies; the source lies the other way
 */
public record LayoutExpression(Tensor source, Layout layout) implements ImageExpression {
  public LayoutExpression {
    ImageSize.of(word(layout), source);
  }

  private static String word(Layout layout) {
    return layout == Layout.NCHW ? "toNchw" : "toNhwc";
  }

  @Override
  public DType dtype() {
    return source.dtype();
  }

  @Override
  public Shape shape() {
    ImageSize size = ImageSize.of(word(layout), source);
    return layout == Layout.NCHW
        ? size.with(size.channels(), size.height(), size.width()).shape()
        : size.with(size.width(), size.channels(), size.height()).shape();
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    if (layout == Layout.NCHW && PixelMemory.isExact(dtype())) {
      ImageExpression.super.evaluateInto(destination);
      return;
    }
    // Seen as a matrix: of pixels by channels, or of channels by pixels.
    ImageSize size = ImageSize.of(word(layout), source);
    long rows = layout == Layout.NCHW ? (long) size.height() * size.width() : size.height();
    long columns = layout == Layout.NCHW ? size.channels() : (long) size.width() * size.channels();
    source.borrow(memory -> transpose(memory, destination, size.images(), rows, columns, dtype()));
  }

  private static void transpose(
      MemorySegment from, MemorySegment to, long matrices, long rows, long columns, DType dtype) {
    long bytes = dtype.byteSize();
    for (long matrix = 0; matrix < matrices; matrix++) {
      long base = matrix * rows * columns;
      for (long row = 0; row < rows; row++) {
        for (long column = 0; column < columns; column++) {
          MemorySegment.copy(
              from,
              (base + row * columns + column) * bytes,
              to,
              (base + column * rows + row) * bytes,
              bytes);
        }
      }
    }
  }

  @Override
  public String describe() {
    return word(layout) + " ← " + source.describe();
  }
}
