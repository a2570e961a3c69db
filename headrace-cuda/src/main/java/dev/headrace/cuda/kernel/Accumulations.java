package dev.headrace.cuda.kernel;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import java.util.ArrayList;
import java.util.List;

/** The accumulations that there are. */
final class Accumulations {
  private Accumulations() {}

  /** A reduction that the user wrote. */
  static final class Folding extends Accumulation {
    private final Fold fold;
    private final ReducedIndex elements;

    Folding(Fold fold, ReducedIndex elements, Shape shape) {
      super(elements.source(), shape.elements(), elements.terms(), 1);
      this.fold = fold;
      this.elements = elements;
    }

    @Override
    String name() {
      return fold.reduction().word() + elements.axes() + ":" + fold.dtype().tfName();
    }

    @Override
    boolean isFloating() {
      return fold.isFloating();
    }

    @Override
    Operand start() {
      return fold.start();
    }

    @Override
    List<Operand> terms(Code code, Operand result, Operand term) {
      Index element = elements.element(code, elements.kept(code, result), term);
      return List.of(fold.term(code, source().value(code, element)));
    }

    @Override
    Operand merge(Code code, Operand some, Operand next) {
      return fold.merge(code, some, next);
    }

    @Override
    List<Value> finish(Code code, ReduceJob job, List<Operand> totals) {
      Operand count =
          code.row().int64(job, "count", j -> ((Folding) j.accumulation()).elements.terms());
      return List.of(fold.finish(code, totals.getFirst(), count));
    }
  }

  /** Sums over the pixels of each image, as doubles of floats. */
  abstract static class OfImages extends Accumulation {
    OfImages(Node source, long results, long terms, int totals) {
      super(source, results, terms, totals);
    }

    static long images(Node source) {
      return source.shape().rank() == 4 ? source.shape().dim(0) : 1;
    }

    static long pixels(Node source) {
      return ImageNode.height(source) * ImageNode.width(source);
    }

    /** Whether all channels of a pixel are read at once. */
    final boolean isByPixel() {
      return ImageNode.channels(source()) <= ElementJob.MOST_CHANNELS;
    }

    @Override
    final boolean isFloating() {
      return true;
    }

    @Override
    final Operand start() {
      return Operand.of(0.0);
    }

    @Override
    final Operand merge(Code code, Operand some, Operand next) {
      return code.add(some, next);
    }

    /** The channels of a pixel as floats. */
    final List<Operand> pixel(Code code, Operand image, Operand pixel) {
      int rank = source().shape().rank();
      List<Operand> dims = code.dims(source());
      List<Operand> coordinates = new ArrayList<>();
      if (rank == 4) {
        coordinates.add(image);
      }
      coordinates.addAll(Index.split(code, pixel, dims.subList(rank - 3, rank - 1)));
      List<Index> at = new ArrayList<>();
      for (int channel = 0; channel < ImageNode.channels(source()); channel++) {
        List<Operand> element = new ArrayList<>(coordinates);
        element.add(code.index(channel));
        at.add(Index.at(element));
      }
      return source().values(code, at).stream().map(value -> Numbers.toFloat(code, value)).toList();
    }

    /** An element of an image as a float. */
    final Operand element(Code code, Operand image, List<Operand> ofImage) {
      List<Operand> coordinates = new ArrayList<>(ofImage);
      if (source().shape().rank() == 4) {
        coordinates.addFirst(image);
      }
      return Numbers.toFloat(code, source().value(code, Index.at(coordinates)));
    }
  }

  /** The mean and the deviation of each image, as standardising divides by it. */
  static final class Deviations extends OfImages {
    Deviations(Node source) {
      super(source, images(source), terms(source), 2);
    }

    private static long terms(Node source) {
      int channels = ImageNode.channels(source);
      return pixels(source) * (channels <= ElementJob.MOST_CHANNELS ? 1 : channels);
    }

    @Override
    String name() {
      return "deviations" + (isByPixel() ? " x" + ImageNode.channels(source()) : "");
    }

    @Override
    List<Operand> terms(Code code, Operand result, Operand term) {
      List<Operand> floats;
      if (isByPixel()) {
        floats = pixel(code, result, term);
      } else {
        int rank = source().shape().rank();
        List<Operand> dims = code.dims(source()).subList(rank - 3, rank);
        floats = List.of(element(code, result, Index.split(code, term, dims)));
      }
      Operand sum = Operand.of(0.0);
      Operand squares = Operand.of(0.0);
      for (Operand number : floats) {
        Operand exact = code.toDouble(number);
        sum = code.add(sum, exact);
        squares = code.add(squares, code.multiply(exact, exact));
      }
      return List.of(sum, squares);
    }

    @Override
    List<Value> finish(Code code, ReduceJob job, List<Operand> totals) {
      Operand count = code.row().float64(job, "count", Deviations::count);
      Operand mean = code.divide(totals.getFirst(), count);
      Operand meanSquare = code.divide(totals.getLast(), count);
      Operand variance = code.subtract(meanSquare, code.multiply(mean, mean));
      Operand deviation = code.squareRoot(code.maxOrNan(Operand.of(0.0), variance));
      Operand least = code.divide(Operand.of(1.0), code.squareRoot(count));
      return List.of(
          Numbers.settle(code, mean, DType.FLOAT32),
          Numbers.settle(code, code.maxOrNan(deviation, least), DType.FLOAT32));
    }

    private static double count(ReduceJob job) {
      Node source = job.accumulation().source();
      return (double) pixels(source) * ImageNode.channels(source);
    }
  }

  /** The mean of each channel of each image, scaled as adjusting the contrast needs it. */
  static final class ChannelMeans extends OfImages {
    ChannelMeans(Node source) {
      super(
          source,
          images(source) * (isOne(source) ? 1 : ImageNode.channels(source)),
          pixels(source),
          isOne(source) ? ImageNode.channels(source) : 1);
    }

    private static boolean isOne(Node source) {
      return ImageNode.channels(source) <= ElementJob.MOST_CHANNELS;
    }

    @Override
    String name() {
      String channels = isByPixel() ? " x" + ImageNode.channels(source()) : "";
      return "channelMeans" + channels + ":" + source().dtype().tfName();
    }

    @Override
    List<Operand> terms(Code code, Operand result, Operand term) {
      if (isByPixel()) {
        return pixel(code, result, term).stream().map(code::toDouble).toList();
      }
      int rank = source().shape().rank();
      List<Operand> dims = code.dims(source());
      Operand channels = dims.getLast();
      Operand image = code.divide(result, channels);
      List<Operand> coordinates =
          new ArrayList<>(Index.split(code, term, dims.subList(rank - 3, rank - 1)));
      coordinates.add(code.subtract(result, code.multiply(image, channels)));
      return List.of(code.toDouble(element(code, image, coordinates)));
    }

    @Override
    List<Value> finish(Code code, ReduceJob job, List<Operand> totals) {
      Operand count =
          code.row().float64(job, "count", j -> (double) pixels(j.accumulation().source()));
      DType dtype = source().dtype();
      double scale = dtype.isInteger() ? 1 / Numbers.most(dtype) : 1;
      return totals.stream()
          .map(total -> code.multiply(code.divide(total, count), Operand.of(scale)))
          .map(mean -> Numbers.settle(code, mean, DType.FLOAT32))
          .toList();
    }
  }
}
