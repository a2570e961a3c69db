package dev.headrace.cuda.kernel;

import dev.headrace.data.Shape;
import dev.headrace.data.image.CropExpression;
import dev.headrace.data.image.Layout;
import dev.headrace.data.image.LayoutExpression;
import dev.headrace.data.image.OrientExpression;
import dev.headrace.data.image.Orientation;
import dev.headrace.data.image.PadExpression;
import java.util.ArrayList;
import java.util.List;

/** Steps on images that move pixels and leave their values alone. */
final class MoveNodes {
  private MoveNodes() {}

  /** A window. */
  static final class Crop extends ImageNode {
    private final int top;
    private final int left;

    Crop(CropExpression expression, Shape shape, Node source) {
      this(expression.window().top(), expression.window().left(), shape, source);
    }

    Crop(int top, int left, Shape shape, Node source) {
      super(source.dtype(), shape, source);
      this.top = top;
      this.left = left;
    }

    @Override
    String name() {
      return "crop";
    }

    @Override
    List<Value> pixels(Code code, List<PixelIndex> at) {
      Operand fromTop = code.row().index(this, "top", crop -> crop.top, code.indexType());
      Operand fromLeft = code.row().index(this, "left", crop -> crop.left, code.indexType());
      return read(
          code,
          at.stream()
              .map(p -> p.moved(code.add(p.y(), fromTop), code.add(p.x(), fromLeft)))
              .toList());
    }
  }

  /** The image within zeros. */
  static final class Pad extends ImageNode {
    private final PadExpression expression;

    Pad(PadExpression expression, Shape shape, Node source) {
      super(source.dtype(), shape, source);
      this.expression = expression;
    }

    @Override
    String name() {
      return "pad";
    }

    // Outside, the nearest pixel is read and not used: cheaper than a branch.
    @Override
    List<Value> pixels(Code code, List<PixelIndex> at) {
      Operand top = code.row().index(this, "top", pad -> pad.expression.top(), code.indexType());
      Operand left = code.row().index(this, "left", pad -> pad.expression.left(), code.indexType());
      List<PixelIndex> inside = new ArrayList<>();
      List<Operand> isInside = new ArrayList<>();
      for (PixelIndex pixel : at) {
        Operand y = code.subtract(pixel.y(), top);
        Operand x = code.subtract(pixel.x(), left);
        Operand nearY = code.clamp(y, code.index(0), lastRow(code));
        Operand nearX = code.clamp(x, code.index(0), lastColumn(code));
        inside.add(pixel.moved(nearY, nearX));
        isInside.add(code.and(code.compare("eq", y, nearY), code.compare("eq", x, nearX)));
      }
      List<Value> values = read(code, inside);
      List<Value> results = new ArrayList<>();
      for (int i = 0; i < at.size(); i++) {
        Operand zero = Numbers.zero(dtype()).operand();
        Operand kept = code.select(isInside.get(i), values.get(i).operand(), zero);
        results.add(new Value(dtype(), kept));
      }
      return results;
    }
  }

  /** The image turned or mirrored. */
  static final class Orient extends ImageNode {
    private final Orientation orientation;

    Orient(OrientExpression expression, Shape shape, Node source) {
      super(source.dtype(), shape, source);
      this.orientation = expression.orientation();
    }

    @Override
    String name() {
      return orientation.word();
    }

    @Override
    List<Value> pixels(Code code, List<PixelIndex> at) {
      return read(code, at.stream().map(pixel -> turned(code, pixel)).toList());
    }

    private PixelIndex turned(Code code, PixelIndex pixel) {
      Operand row = orientation.swaps() ? pixel.x() : pixel.y();
      Operand column = orientation.swaps() ? pixel.y() : pixel.x();
      return pixel.moved(
          orientation.reversesRows() ? code.subtract(lastRow(code), row) : row,
          orientation.reversesColumns() ? code.subtract(lastColumn(code), column) : column);
    }
  }

  /** The channels first, or last again. */
  static final class Transpose extends ImageNode {
    private final Layout layout;

    Transpose(LayoutExpression expression, Shape shape, Node source) {
      super(source.dtype(), shape, source);
      this.layout = expression.layout();
    }

    /** Whether channels come first in the result. */
    boolean isPlanar() {
      return layout == Layout.NCHW;
    }

    @Override
    String name() {
      return isPlanar() ? "toNchw" : "toNhwc";
    }

    // What a pixel index calls y, x and channel are simply the three dimensions here.
    @Override
    List<Value> pixels(Code code, List<PixelIndex> at) {
      return source()
          .values(
              code,
              at.stream()
                  .map(
                      p ->
                          isPlanar()
                              ? p.ordered(p.x(), p.channel(), p.y())
                              : p.ordered(p.channel(), p.y(), p.x()))
                  .toList());
    }
  }
}
