package dev.headrace.data.image;

import dev.headrace.data.ConvertExpression;
import dev.headrace.data.DType;
import dev.headrace.data.ElementwiseExpression;
import dev.headrace.data.Expression;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Steps on images that follow one another, computed row by row in one pass: a row is read or
 * resized, taken through all steps as floats, and written where it belongs.
 *
 * <p>This is the engine's own way to compute; users meet it nowhere.
 */
public final class ImagePass {
  private final Tensor input;
  private final @Nullable Resampling resampling;
  private final List<Expression> steps;
  private final ImageSize size;
  private final DType dtype;
  private final boolean isPlanar;
  private final boolean isMirrored;
  private final boolean isUpsideDown;

  private ImagePass(
      Tensor input,
      @Nullable Resampling resampling,
      List<Expression> steps,
      DType dtype,
      boolean isPlanar) {
    this.input = input;
    this.resampling = resampling;
    // All other steps compute each pixel by itself, so that flips may as well be last.
    this.steps = steps.stream().filter(step -> !(step instanceof OrientExpression)).toList();
    this.isMirrored = isOdd(steps, Orientation::reversesColumns);
    this.isUpsideDown = isOdd(steps, Orientation::reversesRows);
    this.dtype = dtype;
    this.isPlanar = isPlanar;
    ImageSize whole = ImageSize.of("image", input);
    this.size =
        resampling == null
            ? whole
            : whole.with(
                resampling.vertical().outputs(),
                resampling.horizontal().outputs(),
                whole.channels());
  }

  private static boolean isOdd(List<Expression> steps, Predicate<Orientation> reverses) {
    return steps.stream()
                .filter(
                    step ->
                        step instanceof OrientExpression orient
                            && reverses.test(orient.orientation()))
                .count()
            % 2
        == 1;
  }

  /**
   * The longest pass that ends in {@code last}.
   *
   * <pre>
   * decode ← crop ← resize ← flip ← normalise ← toNchw
   *          └ input  └────────── one pass ──────────┘
   * </pre>
   */
  static ImagePass endingIn(ImageExpression last) {
    return ending(last);
  }

  /** The pass that computes this step together with the image steps before it, if there are any. */
  public static @Nullable ImagePass after(ElementwiseExpression last) {
    boolean rowwise =
        RowStep.isRowwise(last)
            || last instanceof ConvertExpression convert
                && isWritten(convert.source().dtype(), convert.dtype());
    Expression before = last.source().expression();
    while (rowwise && before instanceof ElementwiseExpression step) {
      rowwise = RowStep.isRowwise(step);
      before = step.source().expression();
    }
    return rowwise && takesIn(before) ? ending(last) : null;
  }

  /**
   * Whether floats that stand for one type can be written as another at the end of a pass: it may
   * be wider than floats, if they hold all values that come about.
   */
  private static boolean isWritten(DType from, DType to) {
    // Negative integers wrap around in unsigned types, to numbers of more bits than floats have.
    boolean wraps = from.isInteger() && !from.isUnsigned() && to.isUnsigned();
    return PixelMemory.isExact(from) && !wraps;
  }

  /** Whether a pass that begins with the step after {@code before} would rather take it in. */
  static boolean takesIn(@Nullable Expression before) {
    return before instanceof Resampling resampling
        ? resampling.givesFloats()
        : before instanceof ImageExpression && RowStep.isRowwise(before);
  }

  private static ImagePass ending(Expression last) {
    List<Expression> steps = new ArrayList<>();
    Tensor input = last.sources().getFirst();
    Expression step = input.expression();
    if (last instanceof Resampling) {
      step = last;
    } else if (!(last instanceof LayoutExpression)) {
      steps.add(last);
      step = RowStep.needsStatistics(last) ? null : step;
    }
    while (step != null && RowStep.isRowwise(step)) {
      steps.add(step);
      input = step.sources().getFirst();
      step = RowStep.needsStatistics(step) ? null : input.expression();
    }
    Collections.reverse(steps);
    Resampling resampling =
        step instanceof Resampling resize && resize.givesFloats() ? resize : null;
    return new ImagePass(
        resampling == null ? input : resampling.source(),
        resampling,
        steps,
        last.dtype(),
        last instanceof LayoutExpression);
  }

  /** Computes all images into memory that has exactly their bytes. */
  public void evaluateInto(MemorySegment destination) {
    Raster.borrow(
        "image",
        input,
        raster -> {
          for (long image = 0; image < size.images(); image++) {
            evaluate(raster, image, destination);
          }
        });
  }

  private void evaluate(Raster raster, long image, MemorySegment destination) {
    boolean isLinear = resampling != null && resampling.vertical().isLinear();
    // Mirroring costs a linear resize nothing: it takes its columns in reverse.
    write(rows(raster, image), isMirrored && !isLinear, image, destination);
  }

  private Rows rows(Raster raster, long image) {
    if (resampling == null) {
      PixelMemory pixels = new PixelMemory(size.rowLength());
      return (y, into) ->
          pixels.load(raster.dtype(), raster.memory(), raster.at(image, y), into, size.rowLength());
    }
    Axis vertical = resampling.vertical();
    Axis horizontal = resampling.horizontal();
    return vertical.isLinear()
        ? new BilinearRows(raster, image, vertical, horizontal, isMirrored)
        : new TappedRows(raster, image, vertical, horizontal);
  }

  private void write(Rows rows, boolean reverses, long image, MemorySegment destination) {
    boolean needsStatistics = !steps.isEmpty() && RowStep.needsStatistics(steps.getFirst());
    Statistics statistics = needsStatistics ? Statistics.of(rows, size) : Statistics.NONE;
    ImageSize now = size;
    int mostChannels = size.channels();
    List<RowStep> rowSteps = new ArrayList<>();
    if (reverses) {
      rowSteps.add((row, pixels) -> Steps.reverse(row, pixels, size.channels()));
    }
    for (Expression step : steps) {
      rowSteps.add(RowStep.of(step, now, statistics));
      if (step instanceof ColourExpression colour) {
        now = now.with(now.height(), now.width(), colour.colour().channels());
        mostChannels = Math.max(mostChannels, now.channels());
      }
      if (RowStep.settles(step.dtype())) {
        int length = now.rowLength();
        rowSteps.add((row, pixels) -> PixelMemory.settle(step.dtype(), row, length));
      }
    }
    RowWriter writer = new RowWriter(now, dtype, isPlanar);
    float[] row = new float[size.width() * mostChannels + Rows.SLACK];
    for (int y = 0; y < size.height(); y++) {
      rows.row(y, row);
      for (RowStep step : rowSteps) {
        step.apply(row, size.width());
      }
      writer.write(row, image, isUpsideDown ? size.height() - 1 - y : y, destination);
    }
  }
}
