package dev.headrace.cuda.kernel;

import static dev.headrace.cuda.kernel.PtxType.B32;
import static dev.headrace.cuda.kernel.PtxType.F32;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.image.Axis;
import dev.headrace.data.image.CropAndResizeExpression;
import dev.headrace.data.image.Grid;
import dev.headrace.data.image.Resampling;
import dev.headrace.data.image.Taps;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Images in other sizes. Every operation on floats is the one that the core makes, in its order, so
 * that the bits are the same.
 */
final class ResampleNodes {
  private ResampleNodes() {}

  /** Whole pixels, the nearest ones. */
  static final class Nearest extends ImageNode {
    private final Axis vertical;
    private final Axis horizontal;

    Nearest(Resampling expression, Shape shape, Node source) {
      super(source.dtype(), shape, source);
      this.vertical = expression.vertical();
      this.horizontal = expression.horizontal();
    }

    @Override
    String name() {
      return "nearest " + vertical.grid();
    }

    @Override
    List<Value> pixels(Code code, List<PixelIndex> at) {
      Operand rowStep = code.row().float32(this, "rowStep", n -> n.vertical.step());
      Operand columnStep = code.row().float32(this, "columnStep", n -> n.horizontal.step());
      return read(
          code,
          at.stream()
              .map(
                  pixel ->
                      pixel.moved(
                          nearest(code, pixel.y(), rowStep, lastRow(code)),
                          nearest(code, pixel.x(), columnStep, lastColumn(code))))
              .toList());
    }

    private Operand nearest(Code code, Operand output, Operand step, Operand last) {
      Operand number = code.toFloat(output);
      Operand place =
          switch (vertical.grid()) {
            case HALF_PIXEL -> code.floor(code.multiply(code.add(number, Operand.of(0.5f)), step));
            case ALIGN_CORNERS -> {
              Operand exact = code.toDouble(code.multiply(number, step));
              yield code.toFloat(code.floor(code.add(exact, Operand.of(0.5))));
            }
            case UPPER_LEFT -> code.floor(code.multiply(number, step));
          };
      return code.clamp(code.toIndex(place), code.index(0), last);
    }
  }

  /** Between two by two pixels: rows first, then columns. */
  static final class Bilinear extends ImageNode {
    private final Axis vertical;
    private final Axis horizontal;

    Bilinear(Resampling expression, Shape shape, Node source) {
      super(DType.FLOAT32, shape, source);
      this.vertical = expression.vertical();
      this.horizontal = expression.horizontal();
    }

    @Override
    String name() {
      return "bilinear " + vertical.grid();
    }

    @Override
    List<Value> pixels(Code code, List<PixelIndex> at) {
      Operand rowStep = code.row().float32(this, "rowStep", n -> n.vertical.step());
      Operand columnStep = code.row().float32(this, "columnStep", n -> n.horizontal.step());
      List<Square> squares = new ArrayList<>();
      for (PixelIndex pixel : at) {
        Span rows = span(code, place(code, pixel.y(), rowStep), lastRow(code));
        Span columns = span(code, place(code, pixel.x(), columnStep), lastColumn(code));
        squares.add(new Square(pixel, rows, columns));
      }
      List<Value> results = new ArrayList<>();
      for (Corners corners : corners(code, this, squares)) {
        Operand left = blend(code, corners.topLeft, corners.bottomLeft, corners.rowWeight);
        Operand right = blend(code, corners.topRight, corners.bottomRight, corners.rowWeight);
        results.add(new Value(dtype(), blend(code, left, right, corners.columnWeight)));
      }
      return results;
    }

    private Operand place(Code code, Operand output, Operand step) {
      Operand number = code.toFloat(output);
      if (vertical.grid() != Grid.HALF_PIXEL) {
        return code.multiply(number, step);
      }
      Operand middle = code.multiply(code.add(number, Operand.of(0.5f)), step);
      return code.subtract(middle, Operand.of(0.5f));
    }
  }

  /** Two inputs of an axis, and how far the output lies between them. */
  private record Span(Operand low, Operand high, Operand weight) {}

  /** The pixels around an output. */
  private record Square(PixelIndex output, Span rows, Span columns) {}

  /** Their values, as floats. */
  private record Corners(
      Operand topLeft,
      Operand topRight,
      Operand bottomLeft,
      Operand bottomRight,
      Operand rowWeight,
      Operand columnWeight) {}

  private static Span span(Code code, Operand place, Operand last) {
    Operand floor = code.floor(place);
    return new Span(
        code.clamp(code.toIndex(floor), code.index(0), last),
        code.clamp(code.toIndex(code.ceil(place)), code.index(0), last),
        code.subtract(place, floor));
  }

  private static List<Corners> corners(Code code, ImageNode node, List<Square> squares) {
    List<PixelIndex> at = new ArrayList<>();
    for (Square square : squares) {
      PixelIndex output = square.output;
      at.add(output.moved(square.rows.low, square.columns.low));
      at.add(output.moved(square.rows.low, square.columns.high));
      at.add(output.moved(square.rows.high, square.columns.low));
      at.add(output.moved(square.rows.high, square.columns.high));
    }
    List<Operand> floats =
        node.read(code, at).stream().map(value -> Numbers.toFloat(code, value)).toList();
    List<Corners> corners = new ArrayList<>();
    for (int i = 0; i < squares.size(); i++) {
      corners.add(
          new Corners(
              floats.get(4 * i),
              floats.get(4 * i + 1),
              floats.get(4 * i + 2),
              floats.get(4 * i + 3),
              squares.get(i).rows.weight,
              squares.get(i).columns.weight));
    }
    return corners;
  }

  private static Operand blend(Code code, Operand from, Operand to, Operand weight) {
    return code.add(from, code.multiply(code.subtract(to, from), weight));
  }

  /** Weighted sums by any filter that works on columns and rows apart; weights are in the table. */
  static final class Tapped extends ImageNode {
    private final Taps rows;
    private final Taps columns;

    Tapped(Resampling expression, Shape shape, Node source) {
      super(DType.FLOAT32, shape, source);
      this.rows = Taps.along(expression.vertical());
      this.columns = Taps.along(expression.horizontal());
    }

    @Override
    String name() {
      return "filtered";
    }

    @Override
    boolean loops() {
      return true;
    }

    /** The run of inputs of an output, and where its weights begin. */
    private record Run(Operand start, Operand count, Operand weights) {}

    @Override
    List<Value> pixels(Code code, List<PixelIndex> at) {
      // All channels of a pixel in one loop.
      Map<PixelIndex, List<PixelIndex>> byPixel = new LinkedHashMap<>();
      for (PixelIndex pixel : at) {
        byPixel.computeIfAbsent(pixel.channel(code.index(0)), key -> new ArrayList<>()).add(pixel);
      }
      Map<PixelIndex, Operand> sums = new LinkedHashMap<>();
      for (List<PixelIndex> channels : byPixel.values()) {
        List<Operand> results = filter(code, channels);
        for (int i = 0; i < results.size(); i++) {
          sums.put(channels.get(i), results.get(i));
        }
      }
      return at.stream()
          .map(pixel -> new Value(dtype(), Objects.requireNonNull(sums.get(pixel))))
          .toList();
    }

    private List<Operand> filter(Code code, List<PixelIndex> channels) {
      Ptx ptx = code.ptx();
      RowRecord row = code.row();
      PixelIndex pixel = channels.getFirst();
      Run vertical =
          run(
              code,
              pixel.y(),
              row.array(this, "rowStarts", n -> n.rows.starts()),
              row.array(this, "rowCounts", n -> n.rows.counts()),
              row.array(this, "rowWeights", n -> n.rows.weights()),
              row.index(this, "rowSpan", n -> n.rows.span(), code.indexType()));
      Run horizontal =
          run(
              code,
              pixel.x(),
              row.array(this, "columnStarts", n -> n.columns.starts()),
              row.array(this, "columnCounts", n -> n.columns.counts()),
              row.array(this, "columnWeights", n -> n.columns.weights()),
              row.index(this, "columnSpan", n -> n.columns.span(), code.indexType()));
      List<Ptx.Variable> totals = zeros(ptx, channels.size());
      ptx.loop(
          code.index(0),
          vertical.count,
          code.index(1),
          y -> {
            Operand sourceRow = code.add(vertical.start, y);
            List<Ptx.Variable> sums = zeros(ptx, channels.size());
            ptx.loop(
                code.index(0),
                horizontal.count,
                code.index(1),
                x -> {
                  Operand column = code.add(horizontal.start, x);
                  List<Value> values =
                      read(code, channels.stream().map(p -> p.moved(sourceRow, column)).toList());
                  add(code, sums, floats(code, values), weight(code, horizontal, x));
                });
            add(code, totals, sums.stream().map(ptx::read).toList(), weight(code, vertical, y));
          });
      return totals.stream().map(ptx::read).toList();
    }

    private static Run run(
        Code code, Operand output, Operand starts, Operand counts, Operand weights, Operand span) {
      return new Run(
          load(code, starts, output),
          load(code, counts, output),
          code.advance(weights, code.multiply(output, span), 4));
    }

    private static Operand load(Code code, Operand array, Operand at) {
      Operand address = code.advance(array, at, 4);
      return code.widened(code.ptx().load(B32, "ld.global.nc.b32", address, 0));
    }

    private static Operand weight(Code code, Run run, Operand number) {
      return code.ptx().load(F32, "ld.global.nc.f32", code.advance(run.weights, number, 4), 0);
    }

    private static List<Ptx.Variable> zeros(Ptx ptx, int count) {
      List<Ptx.Variable> zeros = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        zeros.add(ptx.variable(Operand.of(0f)));
      }
      return zeros;
    }

    private static List<Operand> floats(Code code, List<Value> values) {
      return values.stream().map(value -> Numbers.toFloat(code, value)).toList();
    }

    private static void add(
        Code code, List<Ptx.Variable> sums, List<Operand> values, Operand weight) {
      for (int i = 0; i < sums.size(); i++) {
        Operand before = code.ptx().read(sums.get(i));
        Operand term = code.multiply(values.get(i), weight);
        code.ptx().assign(sums.get(i), code.add(before, term));
      }
    }
  }

  /** Boxes of images, each between two by two pixels: columns first, then rows. */
  static final class Boxes extends ImageNode {
    private static final int NUMBERS = 4;

    private final float outside;
    private final int[] images;

    /** For each box where its first row lies, from row to row, and the same of columns. */
    private final float[] places;

    Boxes(CropAndResizeExpression expression, Node source) {
      super(DType.FLOAT32, expression.shape(), source);
      this.outside = expression.outside();
      int count = expression.boxes().size();
      this.images = new int[count];
      this.places = new float[NUMBERS * count];
      for (int i = 0; i < count; i++) {
        CropAndResizeExpression.Box box = expression.boxes().get(i);
        images[i] = box.image();
        long lastRow = height(source) - 1;
        long lastColumn = width(source) - 1;
        setPlaces(NUMBERS * i, box.top(), box.bottom(), expression.height(), lastRow);
        setPlaces(NUMBERS * i + 2, box.left(), box.right(), expression.width(), lastColumn);
      }
    }

    private void setPlaces(int at, float from, float to, int outputs, long last) {
      if (outputs == 1) {
        places[at] = 0.5f * (from + to) * last;
      } else {
        places[at] = from * last;
        places[at + 1] = (to - from) * last / (outputs - 1);
      }
    }

    @Override
    String name() {
      return "boxes";
    }

    @Override
    List<Value> pixels(Code code, List<PixelIndex> at) {
      List<Square> squares = new ArrayList<>();
      List<Operand> isInside = new ArrayList<>();
      for (PixelIndex pixel : at) {
        Operand box = pixel.image().getFirst();
        Operand numbers =
            code.advance(code.row().array(this, "places", n -> n.places), box, NUMBERS * 4);
        Operand y = place(code, pixel.y(), numbers, 0);
        Operand x = place(code, pixel.x(), numbers, 2 * 4);
        isInside.add(
            code.and(isInside(code, y, lastRow(code)), isInside(code, x, lastColumn(code))));
        Span rows = span(code, y, lastRow(code));
        Span columns = span(code, x, lastColumn(code));
        squares.add(new Square(inImage(code, pixel, box), rows, columns));
      }
      Operand beyond = code.row().float32(this, "outside", n -> n.outside);
      List<Corners> all = corners(code, this, squares);
      List<Value> results = new ArrayList<>();
      for (int i = 0; i < at.size(); i++) {
        Corners corners = all.get(i);
        Operand top = blend(code, corners.topLeft, corners.topRight, corners.columnWeight);
        Operand bottom = blend(code, corners.bottomLeft, corners.bottomRight, corners.columnWeight);
        Operand value = blend(code, top, bottom, corners.rowWeight);
        results.add(new Value(dtype(), code.select(isInside.get(i), value, beyond)));
      }
      return results;
    }

    /** The pixel, of the image that its box is of. */
    private PixelIndex inImage(Code code, PixelIndex pixel, Operand box) {
      if (source().shape().rank() == 3) {
        return new PixelIndex(List.of(), pixel.y(), pixel.x(), pixel.channel());
      }
      Operand address = code.advance(code.row().array(this, "images", n -> n.images), box, 4);
      Operand image = code.widened(code.ptx().load(B32, "ld.global.nc.b32", address, 0));
      return new PixelIndex(List.of(image), pixel.y(), pixel.x(), pixel.channel());
    }

    private static Operand place(Code code, Operand output, Operand numbers, int offset) {
      Operand first = code.ptx().load(F32, "ld.global.nc.f32", numbers, offset);
      Operand step = code.ptx().load(F32, "ld.global.nc.f32", numbers, offset + 4L);
      return code.add(first, code.multiply(code.toFloat(output), step));
    }

    private static Operand isInside(Code code, Operand place, Operand last) {
      return code.and(
          code.compare("ge", place, Operand.of(0f)), code.compare("le", place, code.toFloat(last)));
    }
  }
}
