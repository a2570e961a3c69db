package dev.headrace.cuda.kernel;

import static dev.headrace.cuda.kernel.ParityCase.exact;
import static dev.headrace.cuda.kernel.ParityCase.within;

import dev.headrace.data.Arithmetic;
import dev.headrace.data.CombineExpression;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.ConvertImageExpression;
import dev.headrace.data.image.CropAndResizeExpression.Box;
import dev.headrace.data.image.Grid;
import dev.headrace.data.image.Resize;
import dev.headrace.data.image.ResizeMethod;
import dev.headrace.data.image.ScaleAndTranslateExpression.Factors;
import dev.headrace.data.image.ScaleKernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Computations of every kind of step, type and shape. */
final class ParityCases {
  private static final List<DType> ALL =
      Arrays.stream(DType.values()).filter(DType::isFixedSize).toList();
  private static final List<DType> NUMBERS =
      ALL.stream().filter(dtype -> dtype != DType.BOOL).toList();
  private static final List<DType> FLOATS = ALL.stream().filter(DType::isFloating).toList();
  private static final float[] MEAN = {123.675f, 116.28f, 103.53f};
  private static final float[] DEVIATION = {58.395f, 57.12f, 57.375f};

  private final List<ParityCase> cases = new ArrayList<>();
  private final Random random = new Random(11);

  private ParityCases() {}

  /** Also those with files that only {@link FakeJpeg} can decode. */
  static List<ParityCase> all() {
    ParityCases some = new ParityCases();
    some.files();
    return Stream.concat(withoutFiles().stream(), some.cases.stream()).toList();
  }

  static List<ParityCase> withoutFiles() {
    ParityCases all = new ParityCases();
    all.moves();
    all.resizes();
    all.conversions();
    all.colours();
    all.statistics();
    all.elementwise();
    all.transcendental();
    all.combinations();
    all.reductions();
    all.stacks();
    all.chains();
    return List.copyOf(all.cases);
  }

  // ---- inputs

  /** Numbers of a type, among them some at the ends of its range and some that are none. */
  private Tensor numbers(DType dtype, long... dims) {
    Shape shape = Shape.of(dims);
    double[] values = new double[(int) shape.elements()];
    for (int i = 0; i < values.length; i++) {
      values[i] =
          switch (random.nextInt(8)) {
            case 0 -> Math.scalb(random.nextDouble() - 0.5, random.nextInt(140) - 70);
            case 1 -> random.nextInt(600) - 300;
            default -> random.nextDouble() * 300 - 150;
          };
      if (i < ENDS.length && values.length > ENDS.length) {
        values[i] = ENDS[i];
      }
    }
    return settled(Tensor.wrap(shape, values).convert(dtype));
  }

  private static final double[] ENDS = {
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    -0.0,
    0.5,
    -0.5,
    0x1p31,
    0x1p32,
    0x1p63,
    0x1p64,
    -0x1p63,
    65504,
    65520,
    Double.MIN_VALUE,
    Float.MIN_VALUE,
    Float.MAX_VALUE,
    255.5,
    -128.5
  };

  /** Pixels of a type: floats of 0 to 1, or the whole range of an integer. */
  private Tensor pixels(DType dtype, long... dims) {
    Shape shape = Shape.of(dims);
    double[] values = new double[(int) shape.elements()];
    double least = dtype.isInteger() ? Numbers.least(dtype) : 0;
    double range = dtype.isInteger() ? Numbers.most(dtype) - least : 1;
    for (int i = 0; i < values.length; i++) {
      // Some pixels are grey, or black.
      values[i] =
          i > 2 && random.nextInt(6) == 0 ? values[i - 1] : least + range * random.nextDouble();
    }
    return settled(Tensor.wrap(shape, values).convert(dtype));
  }

  private Tensor photo(long... dims) {
    return pixels(DType.UINT8, dims);
  }

  /** The same values, computed. */
  private static Tensor settled(Tensor tensor) {
    return Tensor.wrap(tensor.dtype(), tensor.shape(), tensor.segment());
  }

  private void add(ParityCase parityCase) {
    cases.add(parityCase);
  }

  private void addAll(
      List<DType> dtypes, String name, Function<DType, Tensor> input, UnaryOperator<Tensor> step) {
    for (DType dtype : dtypes) {
      add(exact(name + " of " + dtype.tfName(), input.apply(dtype), step));
    }
  }

  // ---- steps

  private void moves() {
    record Move(String name, UnaryOperator<Tensor> step) {}
    List<Move> moves =
        List.of(
            new Move("crop", image -> image.crop(2, 1, 4, 5)),
            new Move("pad", image -> image.pad(2, 3, 11, 12)),
            new Move("flipLeftRight", Tensor::flipLeftRight),
            new Move("flipUpDown", Tensor::flipUpDown),
            new Move("transpose", Tensor::transpose),
            new Move("rot90", image -> image.rot90(1)),
            new Move("rot180", image -> image.rot90(2)),
            new Move("rot270", image -> image.rot90(3)),
            new Move("toNchw", Tensor::toNchw),
            new Move("toNhwc", Tensor::toNhwc),
            new Move("reshape", image -> image.flipUpDown().reshape(Shape.of(21, 2, 3))),
            new Move("nothing", image -> image),
            new Move(
                "all", image -> image.crop(1, 1, 5, 5).pad(1, 0, 9, 8).rot90(1).toNchw().toNhwc()));
    for (Move move : moves) {
      addAll(ALL, move.name, dtype -> numbers(dtype, 7, 6, 3), move.step);
      if (!move.name.equals("reshape")) {
        add(exact(move.name + " of a batch", photo(2, 7, 6, 3), move.step));
        add(exact(move.name + " of one channel", photo(3, 7, 6, 1), move.step));
        add(exact(move.name + " of many channels", photo(7, 6, 9), move.step));
      }
    }
  }

  private void resizes() {
    for (Grid grid : Grid.values()) {
      Resize nearest = Resize.NEAREST.on(grid);
      Resize bilinear = Resize.BILINEAR.on(grid);
      addAll(
          ALL, "nearest " + grid, d -> numbers(d, 7, 6, 3), image -> image.resize(11, 4, nearest));
      addAll(
          ALL, "bilinear " + grid, d -> pixels(d, 7, 6, 3), image -> image.resize(11, 4, bilinear));
      add(
          exact(
              "bilinear of special numbers " + grid,
              numbers(DType.FLOAT32, 7, 6, 3),
              image -> image.resize(11, 4, bilinear)));
      for (int i = 0; i < 12; i++) {
        int height = 1 + random.nextInt(40);
        int width = 1 + random.nextInt(40);
        Tensor image = photo(1 + random.nextInt(40), 1 + random.nextInt(40), 1 + random.nextInt(4));
        add(
            exact(
                "bilinear %s to %d, %d".formatted(image.shape(), height, width),
                image,
                photo -> photo.resize(height, width, bilinear)));
        add(
            exact(
                "nearest %s to %d, %d".formatted(image.shape(), height, width),
                image,
                photo -> photo.resize(height, width, nearest)));
      }
    }
    for (ResizeMethod method : ResizeMethod.values()) {
      for (boolean antialias : new boolean[] {false, true}) {
        Resize options = new Resize(method, antialias, false, Grid.HALF_PIXEL);
        String name = method.tfName() + (antialias ? " antialias" : "");
        for (long[] dims : new long[][] {{23, 31, 3}, {2, 9, 8, 1}, {12, 13, 7}}) {
          add(
              exact(
                  name + " " + Shape.of(dims) + " smaller",
                  photo(dims),
                  image -> image.resize(5, 7, options)));
          add(
              exact(
                  name + " " + Shape.of(dims) + " larger",
                  pixels(DType.FLOAT32, dims),
                  image -> image.resize(29, 33, options)));
        }
        addAll(NUMBERS, name, d -> pixels(d, 7, 6, 3), image -> image.resize(4, 9, options));
      }
    }
    Resize cubic = Resize.of(ResizeMethod.BICUBIC).on(Grid.ALIGN_CORNERS);
    add(exact("bicubic ALIGN_CORNERS", photo(9, 8, 3), image -> image.resize(5, 13, cubic)));
    for (ScaleKernel kernel : ScaleKernel.values()) {
      add(
          exact(
              "scaleAndTranslate " + kernel,
              photo(9, 8, 3),
              image ->
                  image.scaleAndTranslate(
                      12, 11, new Factors(1.3f, 0.7f), new Factors(-2.5f, 3.25f), kernel, true)));
    }
    List<Box> boxes =
        List.of(
            new Box(1, 0.1f, 0.2f, 0.9f, 0.7f),
            new Box(0, 1, 1, 0, 0),
            new Box(1, -0.3f, 0.5f, 1.4f, 1.5f));
    for (DType dtype : List.of(DType.UINT8, DType.FLOAT32, DType.INT64)) {
      add(
          exact(
              "cropAndResize of " + dtype,
              pixels(dtype, 2, 9, 8, 3),
              images -> images.cropAndResize(boxes, 5, 6)));
    }
    add(
        exact(
            "cropAndResize to a pixel",
            photo(9, 8, 3),
            image -> image.cropAndResize(List.of(new Box(0, 0.1f, 0.2f, 0.9f, 0.7f)), 1, 1)));
  }

  private void conversions() {
    for (DType from : ALL) {
      for (DType to : ALL) {
        add(exact("convert " + from + " to " + to, numbers(from, 61), t -> t.convert(to)));
        boolean isImage =
            from != DType.BOOL
                && to != DType.BOOL
                && from != to
                && !(from.isInteger() && to.isInteger() && from.byteSize() > 2);
        if (isImage) {
          for (boolean saturate : new boolean[] {false, true}) {
            add(
                exact(
                    "convertImageDtype %s to %s%s".formatted(from, to, saturate ? " sat" : ""),
                    numbers(from, 4, 5, 3),
                    image -> Tensor.deferred(new ConvertImageExpression(image, to, saturate))));
          }
        }
      }
    }
    addAll(ALL, "scale", dtype -> numbers(dtype, 61), tensor -> tensor.scale(1 / 255.0));
  }

  private void colours() {
    List<DType> types = ALL;
    addAll(types, "brightness", d -> pixels(d, 5, 6, 3), image -> image.adjustBrightness(0.1));
    addAll(
        types,
        "brightness of special numbers",
        d -> numbers(d, 5, 6, 3),
        image -> image.adjustBrightness(-0.3));
    for (double factor : new double[] {0, 0.4, 1, 1.7}) {
      addAll(
          types,
          "saturation " + factor,
          d -> pixels(d, 5, 6, 3),
          image -> image.adjustSaturation(factor));
    }
    for (double delta : new double[] {-1, -0.4, 0, 0.1, 0.5}) {
      addAll(types, "hue " + delta, d -> pixels(d, 5, 6, 3), image -> image.adjustHue(delta));
    }
    addAll(types, "rgbToGrayscale", d -> pixels(d, 5, 6, 3), Tensor::rgbToGrayscale);
    addAll(types, "grayscaleToRgb", d -> numbers(d, 5, 6, 1), Tensor::grayscaleToRgb);
    addAll(FLOATS, "rgbToHsv", d -> pixels(d, 5, 6, 3), Tensor::rgbToHsv);
    addAll(FLOATS, "hsvToRgb", d -> pixels(d, 5, 6, 3), Tensor::hsvToRgb);
    addAll(ALL, "normalise", d -> numbers(d, 5, 6, 3), image -> image.normalise(MEAN, DEVIATION));
    add(
        exact(
            "normalise by one",
            photo(2, 5, 6, 3),
            image -> image.normalise(new float[] {127.5f}, new float[] {127.5f})));
    float[] many = {1, 2, 3, 4, 5, 6, 7};
    add(exact("normalise many channels", photo(5, 6, 7), image -> image.normalise(many, many)));
    add(
        exact(
            "hue, element by element",
            photo(4, 5, 3),
            image -> image.adjustHue(0.2).reshape(Shape.of(60))));
    add(
        exact(
            "saturation and hue in a batch",
            photo(2, 4, 5, 3),
            image -> image.adjustSaturation(1.3).adjustHue(-0.2).rgbToGrayscale().toNchw()));
  }

  private void statistics() {
    for (long[] dims : new long[][] {{9, 8, 3}, {2, 7, 5, 1}, {3, 6, 5, 6}, {150, 130, 3}}) {
      String name = " " + Shape.of(dims);
      add(within(1, "standardise" + name, photo(dims), Tensor::standardise));
      add(within(1, "contrast" + name, photo(dims), image -> image.adjustContrast(1.5)));
      add(
          within(
              2,
              "contrast of floats" + name,
              pixels(DType.FLOAT32, dims),
              image -> image.adjustContrast(0.7)));
    }
    for (DType dtype : NUMBERS) {
      add(within(2, "standardise " + dtype, pixels(dtype, 6, 7, 3), Tensor::standardise));
      add(within(2, "contrast " + dtype, pixels(dtype, 6, 7, 3), image -> image.adjustContrast(2)));
    }
    add(
        exact(
            "standardise grey",
            settled(Tensor.zeros(DType.UINT8, Shape.of(5, 5, 3))),
            Tensor::standardise));
    add(
        within(
            2,
            "contrast after a resize",
            photo(20, 30, 3),
            image -> image.resize(10, 12).adjustContrast(1.2).standardise().toNchw()));
  }

  private void elementwise() {
    addAll(NUMBERS, "square", d -> numbers(d, 61), Tensor::square);
    addAll(NUMBERS, "abs", d -> numbers(d, 61), Tensor::abs);
    addAll(
        NUMBERS.stream().filter(d -> !d.isUnsigned()).toList(),
        "negate",
        d -> numbers(d, 61),
        Tensor::negate);
    addAll(FLOATS, "sqrt", d -> numbers(d, 61), Tensor::sqrt);
    addAll(NUMBERS, "add 3", d -> numbers(d, 61), tensor -> tensor.add(3));
    addAll(NUMBERS, "subtract 100", d -> numbers(d, 61), tensor -> tensor.subtract(100));
    addAll(NUMBERS, "multiply 7", d -> numbers(d, 61), tensor -> tensor.multiply(7));
    addAll(NUMBERS, "divide by 7", d -> numbers(d, 61), tensor -> tensor.divide(7));
    addAll(FLOATS, "add 0.1", d -> numbers(d, 61), tensor -> tensor.add(0.1));
    addAll(NUMBERS, "clip", d -> numbers(d, 61), tensor -> tensor.clip(3, 90));
    add(exact("clip upside down", numbers(DType.FLOAT32, 61), tensor -> tensor.clip(5, -5)));
    add(exact("of a scalar", settled(Tensor.scalar(3f)), tensor -> tensor.square().add(1)));
    add(exact("of many elements", numbers(DType.FLOAT32, 3, 41, 67), t -> t.add(1).square()));
    add(
        exact(
            "of no elements",
            settled(Tensor.zeros(DType.FLOAT32, Shape.of(0, 3))),
            Tensor::square));
  }

  private void transcendental() {
    for (DType dtype : FLOATS) {
      int ulps = dtype == DType.FLOAT64 ? 2 : 1;
      add(within(ulps, "exp of " + dtype, numbers(dtype, 400), Tensor::exp));
      add(within(ulps, "log of " + dtype, numbers(dtype, 400).abs(), Tensor::log));
      add(within(ulps, "log of any " + dtype, numbers(dtype, 100), Tensor::log));
    }
    Tensor wide = settled(Tensor.uniform(Shape.of(2000), 3).scale(250).subtract(130));
    add(within(1, "exp of floats", wide, Tensor::exp));
    add(within(2, "exp of doubles", settled(wide.convert(DType.FLOAT64).scale(6)), Tensor::exp));
    add(
        within(
            2, "log of doubles", settled(wide.convert(DType.FLOAT64).scale(3).exp()), Tensor::log));
    for (double gamma : new double[] {0, 0.45, 1, 2, 2.2, 3}) {
      for (DType dtype : ALL) {
        add(
            within(
                1,
                "gamma %s of %s".formatted(gamma, dtype),
                pixels(dtype, 6, 7, 3),
                image -> image.adjustGamma(gamma, 0.9)));
      }
      add(
          within(
              1,
              "gamma %s of special numbers".formatted(gamma),
              numbers(DType.FLOAT32, 6, 7, 3),
              image -> image.adjustGamma(gamma, 1)));
    }
  }

  private void combinations() {
    for (Arithmetic operation : Arithmetic.values()) {
      for (DType dtype : NUMBERS) {
        Tensor left = numbers(dtype, 5, 13);
        Tensor right = numbers(dtype, 5, 13);
        add(
            new ParityCase(
                operation.word() + " two of " + dtype,
                List.of(left, right),
                in -> Tensor.deferred(new CombineExpression(in.get(0), in.get(1), operation)),
                0));
        add(
            new ParityCase(
                operation.word() + " a scalar of " + dtype,
                List.of(left, settled(Tensor.scalar(3).convert(dtype))),
                in -> Tensor.deferred(new CombineExpression(in.get(0), in.get(1), operation)),
                0));
      }
    }
    add(
        exact(
            "host scalars",
            numbers(DType.FLOAT32, 50),
            t -> Tensor.scalar(7f).subtract(t).divide(Tensor.scalar(3f))));
    Tensor onHost = numbers(DType.FLOAT32, 50);
    add(exact("a host tensor", numbers(DType.FLOAT32, 50), t -> t.add(onHost)));
    add(exact("a tensor with itself", numbers(DType.FLOAT32, 50), t -> t.multiply(t.add(t))));
    add(
        exact(
            "many times the same",
            settled(Tensor.of(1f, 2f)),
            t -> {
              Tensor sum = t;
              for (int i = 0; i < 12; i++) {
                sum = sum.add(sum);
              }
              return sum;
            }));
    add(
        within(
            1,
            "less the mean",
            numbers(DType.FLOAT64, 500).clip(-200, 200),
            t ->
                t.subtract(t.mean())
                    .divide(t.subtract(t.mean()).square().mean().sqrt())
                    .convert(DType.FLOAT32)));
    add(
        new ParityCase(
            "images",
            List.of(photo(9, 8, 3), photo(20, 30, 3)),
            in -> in.get(0).convert(DType.FLOAT32).add(in.get(1).resize(9, 8)).scale(0.5).toNchw(),
            0));
  }

  private void reductions() {
    record Reduce(
        String name, UnaryOperator<Tensor> all, Function<Tensor, Function<int[], Tensor>> along) {}
    List<Reduce> reductions =
        List.of(
            new Reduce("sum", Tensor::sum, t -> t::sum),
            new Reduce("mean", Tensor::mean, t -> t::mean),
            new Reduce("min", Tensor::min, t -> t::min),
            new Reduce("max", Tensor::max, t -> t::max));
    List<int[]> axes =
        List.of(
            new int[] {0},
            new int[] {1},
            new int[] {2},
            new int[] {0, 1},
            new int[] {0, 2},
            new int[] {1, 2},
            new int[0]);
    for (Reduce reduce : reductions) {
      int ulps = reduce.name.startsWith("m") && !reduce.name.equals("mean") ? 0 : 1;
      for (DType dtype : NUMBERS) {
        Tensor tame = settled(numbers(dtype, 4, 50, 30).clip(0, 100));
        int allowed = dtype.isInteger() ? 0 : dtype == DType.FLOAT64 ? ulps * 8 : ulps;
        add(within(allowed, reduce.name + " of " + dtype, tame, reduce.all));
        add(
            within(
                allowed,
                reduce.name + " of " + dtype + " by axis",
                tame,
                t -> reduce.along.apply(t).apply(new int[] {0, 2})));
      }
      for (int[] along : axes) {
        add(
            within(
                ulps,
                reduce.name + " along " + Arrays.toString(along),
                settled(Tensor.uniform(Shape.of(6, 70, 50), 3)),
                t -> reduce.along.apply(t).apply(along)));
      }
      add(
          within(
              ulps,
              reduce.name + " of many",
              settled(Tensor.uniform(Shape.of(70_000), 5)),
              reduce.all));
      add(
          within(
              ulps,
              reduce.name + " of rows of many",
              settled(Tensor.uniform(Shape.of(3, 40_000), 5)),
              t -> reduce.along.apply(t).apply(new int[] {1})));
      add(
          within(
              ulps,
              reduce.name + " side by side",
              settled(Tensor.uniform(Shape.of(40, 5_000), 5)),
              t -> reduce.along.apply(t).apply(new int[] {0})));
      add(exact(reduce.name + " of unsigned", numbers(DType.UINT64, 100), reduce.all));
      add(
          exact(
              reduce.name + " of nothing",
              settled(Tensor.zeros(DType.FLOAT32, Shape.of(0, 3))),
              reduce.all));
      add(
          exact(
              reduce.name + " of no integers",
              settled(Tensor.zeros(DType.INT16, Shape.of(0, 3))),
              reduce.all));
      add(exact(reduce.name + " with NaN", numbers(DType.FLOAT32, 50, 50), reduce.all));
    }
    add(
        within(
            1,
            "sum of squares",
            settled(Tensor.uniform(Shape.of(10_000), 3)),
            t -> t.square().sum()));
    add(
        within(
            1,
            "mean of a resized image",
            photo(30, 40, 3),
            image -> image.resize(20, 20).toNchw().mean(1, 2)));
    add(
        within(
            1,
            "sum of sums",
            settled(Tensor.uniform(Shape.of(40, 50, 60), 3)),
            t -> t.sum(0, 1).sum()));
  }

  private List<Tensor> photos() {
    List<Tensor> photos = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      photos.add(photo(12 + random.nextInt(20), 10 + random.nextInt(20), 3));
    }
    return photos;
  }

  private static Tensor trained(Tensor image) {
    return image.resize(8, 9).normalise(MEAN, DEVIATION).toNchw();
  }

  private void files() {
    List<Tensor> photos = photos();
    add(
        new ParityCase(
            "stack of files",
            photos,
            in -> Tensor.stack(photos.stream().map(p -> trained(FakeJpeg.of(p))).toList()),
            0));
    add(
        new ParityCase(
            "stack of cropped files, some flipped",
            photos,
            in -> {
              Random draws = new Random(5);
              return Tensor.stack(
                  photos.stream()
                      .map(
                          photo -> {
                            int top = draws.nextInt(4);
                            Tensor window =
                                FakeJpeg.of(photo).crop(top, draws.nextInt(3), 8 - top, 7);
                            return trained(draws.nextBoolean() ? window.flipLeftRight() : window);
                          })
                      .toList());
            },
            0));
    add(
        new ParityCase(
            "stack of windows of files",
            photos,
            in -> Tensor.stack(photos.stream().map(p -> FakeJpeg.window(p, 3, 2, 5, 6)).toList()),
            0));
    add(
        new ParityCase(
            "stack of files as they are",
            photos,
            in -> Tensor.stack(List.of(FakeJpeg.of(photos.get(0)), FakeJpeg.of(photos.get(0)))),
            0));
    add(
        new ParityCase(
            "stack of what only the host decodes",
            photos,
            in ->
                Tensor.stack(
                    photos.stream()
                        .map(
                            p ->
                                trained(
                                    Tensor.deferred(
                                            new FakeJpeg(
                                                p,
                                                ((FakeJpeg) FakeJpeg.of(p).expression()).window(),
                                                false))
                                        .crop(1, 2, 8, 7)))
                        .toList()),
            0));
    add(
        new ParityCase(
            "two windows of one file",
            photos,
            in -> {
              Tensor file = FakeJpeg.window(photos.get(0), 1, 2, 10, 8);
              return Tensor.stack(
                  List.of(file.crop(0, 1, 4, 4).resize(5, 5), file.crop(5, 3, 5, 4).resize(5, 5)));
            },
            0));
  }

  private void stacks() {
    List<Tensor> photos = photos();
    add(
        new ParityCase(
            "stack",
            photos,
            in -> Tensor.stack(in.stream().map(ParityCases::trained).toList()),
            0));
    add(
        new ParityCase(
            "steps on a stack",
            photos,
            in ->
                Tensor.stack(in.stream().map(p -> p.resize(8, 9)).toList())
                    .convert(DType.UINT8)
                    .flipUpDown()
                    .adjustHue(0.1)
                    .normalise(MEAN, DEVIATION)
                    .toNchw()
                    .convert(DType.FLOAT16),
            0));
    add(
        new ParityCase(
            "statistics of a stack",
            photos,
            in -> Tensor.stack(in.stream().map(p -> p.resize(8, 9)).toList()).standardise(),
            2));
    add(
        new ParityCase(
            "stack of statistics",
            photos,
            in -> Tensor.stack(in.stream().map(p -> p.adjustContrast(1.3).resize(8, 9)).toList()),
            1));
    add(
        new ParityCase(
            "means of a stack",
            photos,
            in -> Tensor.stack(in.stream().map(p -> p.resize(8, 9)).toList()).mean(1, 2),
            1));
    add(
        new ParityCase(
            "sum of a stack",
            photos,
            in -> Tensor.stack(in.stream().map(p -> p.resize(8, 9)).toList()).sum(),
            1));
    add(
        new ParityCase(
            "mean over a stack",
            photos,
            in -> Tensor.stack(in.stream().map(p -> p.resize(8, 9)).toList()).mean(0),
            1));
    add(
        new ParityCase(
            "stack of reductions",
            photos,
            in -> Tensor.stack(in.stream().map(p -> p.convert(DType.FLOAT32).mean()).toList()),
            1));
    add(
        new ParityCase(
            "stack of stacks",
            photos,
            in ->
                Tensor.stack(
                        List.of(
                            Tensor.stack(List.of(in.get(0).resize(4, 4), in.get(1).resize(4, 4))),
                            Tensor.stack(
                                List.of(
                                    in.get(2).resize(4, 4), in.get(3).flipUpDown().resize(4, 4)))))
                    .scale(2),
            0));
    add(
        new ParityCase(
            "a stack with a batch",
            List.of(photos.get(0), photos.get(1), pixels(DType.FLOAT32, 2, 4, 5, 3)),
            in ->
                Tensor.stack(List.of(in.get(0).resize(4, 5), in.get(1).resize(4, 5)))
                    .multiply(in.get(2))
                    .add(Tensor.scalar(1f)),
            0));
    add(
        new ParityCase(
            "a stack reshaped",
            photos,
            in ->
                Tensor.stack(in.stream().map(p -> p.resize(4, 4)).toList())
                    .reshape(Shape.of(9, 48))
                    .add(1),
            0));
    add(
        new ParityCase(
            "a stack reshaped otherwise",
            photos,
            in ->
                Tensor.stack(in.stream().map(p -> p.resize(4, 4)).toList())
                    .reshape(Shape.of(36, 12))
                    .add(1),
            0));
    add(
        new ParityCase(
            "filtered rows",
            photos,
            in ->
                Tensor.stack(
                    in.stream()
                        .map(
                            p -> p.resize(6, 7, Resize.BILINEAR.antialiased()).convert(DType.UINT8))
                        .toList()),
            0));
    add(
        exact(
            "rows of a batch",
            photo(4, 9, 8, 3),
            batch -> batch.mapRows(row -> row.crop(1, 1, 6, 6).resize(4, 4)).toNchw()));
    add(exact("slices", numbers(DType.FLOAT32, 6, 20), t -> t.slice(1, 4).add(1)));
  }

  private void chains() {
    for (DType to : List.of(DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16)) {
      add(
          exact(
              "training, to " + to,
              photo(40, 50, 3),
              image ->
                  image
                      .crop(3, 4, 30, 33)
                      .resize(24, 24)
                      .flipLeftRight()
                      .normalise(MEAN, DEVIATION)
                      .toNchw()
                      .convert(to)));
      add(
          exact(
              "as keras, to " + to,
              photo(2, 40, 50, 3),
              image -> image.resize(24, 24).divide(127.5).subtract(1).convert(to)));
    }
    for (DType dtype : List.of(DType.UINT8, DType.FLOAT16, DType.FLOAT32)) {
      List<UnaryOperator<Tensor>> steps =
          List.of(
              image -> image.crop(1, 2, 12, 11),
              image -> image.resize(9, 10),
              image -> image.resize(9, 8, Resize.NEAREST),
              image -> image.resize(6, 7, Resize.of(ResizeMethod.AREA)),
              image -> image.pad(1, 1, 13, 14),
              Tensor::flipLeftRight,
              Tensor::flipUpDown,
              image -> image.rot90(1),
              image -> image.adjustBrightness(0.05),
              image -> image.adjustSaturation(1.2),
              image -> image.adjustHue(0.07),
              image -> image.convertImageDtype(DType.FLOAT32),
              image -> image.convertImageDtype(DType.UINT8),
              image -> image.convert(DType.INT16),
              image -> image.scale(0.3),
              image -> image.add(1),
              image -> image.clip(0, 100),
              image -> image.rgbToGrayscale().grayscaleToRgb());
      for (int i = 0; i < 60; i++) {
        List<UnaryOperator<Tensor>> chosen = new ArrayList<>();
        for (int k = 0; k < 5; k++) {
          chosen.add(steps.get(random.nextInt(steps.size())));
        }
        Tensor input = pixels(dtype, 14, 15, 3);
        UnaryOperator<Tensor> all =
            image -> {
              Tensor result = image;
              for (UnaryOperator<Tensor> step : chosen) {
                result = fits(step, result);
              }
              return result;
            };
        add(exact("chain " + i + ": " + all.apply(input).describe(), input, all));
      }
    }
  }

  /** The step, if images are large enough for it. */
  private static Tensor fits(UnaryOperator<Tensor> step, Tensor image) {
    try {
      return step.apply(image);
    } catch (IllegalArgumentException tooSmall) {
      return image;
    }
  }
}
