package dev.headrace.data.image;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;

/** An image whose channels mean something else; the type is kept. */
public record ColourExpression(Tensor source, Colour colour) implements ImageExpression {
  public ColourExpression {
    ImageSize.ofChannels(
        colour.word(),
        source,
        colour.sourceChannels(),
        switch (colour) {
          case RGB_TO_GRAYSCALE, RGB_TO_HSV -> "red, green and blue";
          case GRAYSCALE_TO_RGB -> "grey";
          case HSV_TO_RGB -> "hue, saturation and value";
        });
    boolean needsFloats = colour == Colour.RGB_TO_HSV || colour == Colour.HSV_TO_RGB;
    if (needsFloats && !source.dtype().isFloating()) {
      throw new IllegalArgumentException(
          "%s: expected floats, but got %s%s; convertImageDtype(FLOAT32) before it"
              .formatted(colour.word(), source.dtype().tfName(), source.shape()));
    }
  }

  @Override
  public DType dtype() {
    return source.dtype();
  }

  @Override
  public Shape shape() {
    ImageSize size = ImageSize.of(colour.word(), source);
    return size.with(size.height(), size.width(), colour.channels()).shape();
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    if (RowStep.isRowwise(this)) {
      ImageExpression.super.evaluateInto(destination);
    } else {
      source.borrow(memory -> Moves.repeat(memory, dtype().byteSize(), 3, destination));
    }
  }

  @Override
  public String describe() {
    return colour.word() + " ← " + source.describe();
  }
}
