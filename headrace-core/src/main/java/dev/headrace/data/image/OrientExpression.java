package dev.headrace.data.image;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;

/** An image turned or mirrored. */
public record OrientExpression(Tensor source, Orientation orientation) implements ImageExpression {
  public OrientExpression {
    ImageSize.of(orientation.word(), source);
  }

  /** The image after that many quarter turns against the clock. */
  public static Tensor turned(Tensor image, int quarters) {
    ImageSize.of("rot90", image);
    return switch (Math.floorMod(quarters, 4)) {
      case 1 -> Tensor.deferred(new OrientExpression(image, Orientation.ROT90));
      case 2 -> Tensor.deferred(new OrientExpression(image, Orientation.ROT180));
      case 3 -> Tensor.deferred(new OrientExpression(image, Orientation.ROT270));
      default -> image;
    };
  }

  @Override
  public DType dtype() {
    return source.dtype();
  }

  @Override
  public Shape shape() {
    ImageSize size = ImageSize.of(orientation.word(), source);
    return orientation.swaps()
        ? size.with(size.width(), size.height(), size.channels()).shape()
        : size.shape();
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    if (RowStep.isRowwise(this) && ImagePass.takesIn(source.expression())) {
      ImageExpression.super.evaluateInto(destination);
      return;
    }
    Raster.borrow(
        orientation.word(), source, raster -> Moves.orient(raster, orientation, destination));
  }

  @Override
  public String describe() {
    return orientation.word() + " ← " + source.describe();
  }
}
