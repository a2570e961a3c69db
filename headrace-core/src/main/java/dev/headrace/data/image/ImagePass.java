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

  private ImagePass(
      Tensor input,
      @Nullable Resampling resampling,
      List<Expression> steps,
      DType dtype,
      boolean isPlanar) {
    this.input = input;
    this.resampling = resampling;
    this.steps = steps;
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
    // A type wider than floats may be written at the end, but not worked on.
    boolean rowwise =
        RowStep.isRowwise(last)
            || last instanceof ConvertExpression convert
                && convert.dtype().isFixedSize()
                && PixelMemory.isExact(convert.source().dtype());
    Expression before = last.source().expression();
    while (rowwise && before instanceof ElementwiseExpression step) {
      rowwise = RowStep.isRowwise(step);
      before = step.source().expression();
    }
    return rowwise && takesIn(before) ? ending(last) : null;
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
    if (resampling == null) {
      PixelMemory pixels = new PixelMemory(size.rowLength());
      write(
          (y, into) ->
              pixels.load(
                  raster.dtype(), raster.memory(), raster.at(image, y), into, size.rowLength()),
          image,
          destination);
    } else if (resampling.vertical().isLinear()) {
      write(
          new BilinearRows(raster, image, resampling.vertical(), resampling.horizontal()),
          image,
          destination);
    } else {
      write(
          new TappedRows(raster, image, resampling.vertical(), resampling.horizontal()),
          image,
          destination);
    }
  }

  private void write(Rows rows, long image, MemorySegment destination) {
    boolean needsStatistics = !steps.isEmpty() && RowStep.needsStatistics(steps.getFirst());
    Statistics statistics = needsStatistics ? Statistics.of(rows, size) : Statistics.NONE;
    boolean upsideDown = false;
    int channels = size.channels();
    int mostChannels = channels;
    List<RowStep> rowSteps = new ArrayList<>();
    for (Expression step : steps) {
      if (step instanceof OrientExpression orient) {
        upsideDown ^= orient.orientation().reversesRows();
        if (!orient.orientation().reversesColumns()) {
          continue;
        }
      }
      RowStep rowStep =
          RowStep.of(step, size.with(size.height(), size.width(), channels), statistics);
      if (step instanceof ColourExpression colour) {
        channels = colour.colour().channels();
        mostChannels = Math.max(mostChannels, channels);
      }
      rowSteps.add(rowStep);
      if (RowStep.settles(step.dtype())) {
        int after = channels;
        rowSteps.add((row, pixels) -> PixelMemory.settle(step.dtype(), row, pixels * after));
      }
    }
    RowWriter writer =
        new RowWriter(size.with(size.height(), size.width(), channels), dtype, isPlanar);
    float[] row = new float[size.width() * mostChannels + Rows.SLACK];
    for (int y = 0; y < size.height(); y++) {
      rows.row(y, row);
      for (RowStep step : rowSteps) {
        step.apply(row, size.width());
      }
      writer.write(row, image, upsideDown ? size.height() - 1 - y : y, destination);
    }
  }
}
