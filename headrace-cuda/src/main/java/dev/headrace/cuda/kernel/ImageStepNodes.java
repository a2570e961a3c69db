package dev.headrace.cuda.kernel;

import static dev.headrace.cuda.kernel.PtxType.B64;
import static dev.headrace.cuda.kernel.PtxType.F32;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.image.AdjustExpression;
import dev.headrace.data.image.Adjustment;
import dev.headrace.data.image.Colour;
import dev.headrace.data.image.ColourExpression;
import dev.headrace.data.image.ConvertImageExpression;
import dev.headrace.data.image.NormaliseExpression;
import java.util.ArrayList;
import java.util.List;

/**
 * Steps that change the values of pixels. They compute with floats, whatever the type: what the
 * core's {@code Steps} do, operation by operation.
 */
final class ImageStepNodes {
  private ImageStepNodes() {}

  /** A step that computes each channel of a pixel from the same channel. */
  abstract static class ByChannel extends ImageNode {
    ByChannel(DType dtype, Shape shape, Node... sources) {
      super(dtype, shape, sources);
    }

    @Override
    final List<Value> pixels(Code code, List<PixelIndex> at) {
      List<Value> values = read(code, at);
      List<Value> results = new ArrayList<>();
      for (int i = 0; i < at.size(); i++) {
        results.add(compute(code, values.get(i), at.get(i)));
      }
      return results;
    }

    abstract Value compute(Code code, Value value, PixelIndex at);
  }

  /** A step that needs all channels of a pixel, of which there are three or one. */
  abstract static class ByPixel extends ImageNode {
    ByPixel(DType dtype, Shape shape, Node source) {
      super(dtype, shape, source);
    }

    @Override
    final List<Value> pixels(Code code, List<PixelIndex> at) {
      return at.stream().map(pixel -> channel(code, pixel)).toList();
    }

    private Value channel(Code code, PixelIndex at) {
      List<PixelIndex> channels = new ArrayList<>();
      for (int channel = 0; channel < sourceChannels(); channel++) {
        channels.add(at.channel(code.index(channel)));
      }
      return pick(code, compute(code, read(code, channels)), at.channel());
    }

    /** Of the values of all channels the one of a channel that only the kernel may know. */
    private static Value pick(Code code, List<Value> channels, Operand channel) {
      if (channel.isInteger()) {
        return channels.get((int) channel.integer());
      }
      Operand picked = channels.getLast().operand();
      for (int i = channels.size() - 2; i >= 0; i--) {
        Operand isThis = code.compare("eq", channel, code.index(i));
        picked = code.select(isThis, channels.get(i).operand(), picked);
      }
      return new Value(channels.getFirst().dtype(), picked);
    }

    abstract int sourceChannels();

    abstract List<Value> compute(Code code, List<Value> channels);
  }

  // ---- scaled to the range of a type

  /** A value as a float of 0 to 1, where its type is an integer. */
  private static Operand toUnit(Code code, Value value) {
    Operand number = Numbers.toFloat(code, value);
    return value.dtype().isInteger()
        ? code.multiply(number, Operand.of((float) (1 / Numbers.most(value.dtype()))))
        : number;
  }

  /** The other way round: the half lets the largest value cover as much as the others. */
  private static Value fromUnit(Code code, Operand number, DType dtype) {
    Operand scaled =
        dtype.isInteger()
            ? code.multiply(number, Operand.of((float) (Numbers.most(dtype) + 0.5)))
            : number;
    return Numbers.settle(code, scaled, dtype);
  }

  /** An image as another type, values scaled to its range. */
  static final class ConvertImage extends ByChannel {
    private final boolean saturate;

    ConvertImage(ConvertImageExpression expression, Shape shape, Node source) {
      super(expression.dtype(), shape, source);
      this.saturate = expression.saturate();
    }

    @Override
    String name() {
      return "convertImage" + (saturate ? " saturate" : "");
    }

    @Override
    Value compute(Code code, Value value, PixelIndex at) {
      return value.dtype().isInteger() && dtype().isInteger()
          ? rescale(code, value)
          : fromUnit(code, toUnit(code, value), dtype());
    }

    // Both ranges are powers of two.
    private Value rescale(Code code, Value value) {
      int bits = usedBits(dtype()) - usedBits(value.dtype());
      Operand whole = Numbers.toLong(code, value);
      if (bits < 0) {
        whole = code.ptx().op(B64, "shr.s64", whole, Operand.of(-bits));
      }
      if (saturate) {
        // Saturated by a double, as the core does, so that 2^63 - 1 is good for uint64 too.
        whole =
            code.clamp(
                whole,
                Operand.of((long) Numbers.least(dtype())),
                Operand.of((long) Numbers.most(dtype())));
      }
      if (bits > 0) {
        whole = code.ptx().op(B64, "shl.b64", whole, Operand.of(bits));
      }
      return Numbers.ofLong(code, whole, dtype());
    }

    private static int usedBits(DType dtype) {
      return dtype.byteSize() * 8 - (dtype.isUnsigned() ? 0 : 1);
    }
  }

  // ---- means and deviations

  /** Less a mean and divided by a deviation, given for each channel or for all. */
  static final class Normalise extends ByChannel {
    private final float[] mean;
    private final float[] deviation;

    Normalise(NormaliseExpression expression, Shape shape, Node source) {
      super(DType.FLOAT32, shape, source);
      this.mean = array(expression.mean());
      this.deviation = array(expression.deviation());
    }

    private static float[] array(List<Float> list) {
      float[] array = new float[list.size()];
      for (int i = 0; i < array.length; i++) {
        array[i] = list.get(i);
      }
      return array;
    }

    @Override
    String name() {
      return "normalise " + (mean.length == 1 ? "1" : "n") + (deviation.length == 1 ? "1" : "n");
    }

    private interface Numbered {
      float[] of(Normalise node);
    }

    @Override
    Value compute(Code code, Value value, PixelIndex at) {
      Operand less = number(code, "mean", node -> node.mean, at.channel());
      Operand by = number(code, "deviation", node -> node.deviation, at.channel());
      Operand number = Numbers.toFloat(code, value);
      return new Value(dtype(), code.divide(code.subtract(number, less), by));
    }

    private Operand number(Code code, String name, Numbered numbers, Operand channel) {
      boolean isOne = numbers.of(this).length == 1;
      if (isOne || channel.isInteger()) {
        int at = isOne ? 0 : (int) channel.integer();
        return code.row().float32(this, name + at, node -> numbers.of(node)[at]);
      }
      Operand array = code.row().array(this, name, numbers::of);
      return code.ptx().load(F32, "ld.global.nc.f32", code.advance(array, channel, 4), 0);
    }
  }

  /** Less the image's mean and divided by its deviation, which a launch before has computed. */
  static final class Standardise extends ByChannel {
    /**
     * @param statistics of each image the mean and the deviation
     */
    Standardise(Shape shape, Node source, Node statistics) {
      super(DType.FLOAT32, shape, source, statistics);
    }

    @Override
    String name() {
      return "standardise";
    }

    @Override
    Value compute(Code code, Value value, PixelIndex at) {
      Operand mean = statistic(code, this, at, code.index(0));
      Operand deviation = statistic(code, this, at, code.index(1));
      Operand number = Numbers.toFloat(code, value);
      return new Value(dtype(), code.divide(code.subtract(number, mean), deviation));
    }
  }

  /** A number of the image that a pixel is of. */
  private static Operand statistic(Code code, Node node, PixelIndex at, Operand which) {
    List<Operand> coordinates = new ArrayList<>(at.image());
    coordinates.add(which);
    return node.sources().getLast().value(code, Index.at(coordinates)).operand();
  }

  // ---- adjustments: floats of 0 to 1, except that float16 and float32 are taken as they are

  private static boolean isDirect(DType dtype) {
    return dtype == DType.FLOAT16 || dtype == DType.FLOAT32;
  }

  private static Operand toAdjust(Code code, Value value) {
    return isDirect(value.dtype()) ? value.operand() : toUnit(code, value);
  }

  private static Value adjusted(Code code, Operand number, DType dtype) {
    return isDirect(dtype) ? Numbers.settle(code, number, dtype) : fromUnit(code, number, dtype);
  }

  /** Brightness, contrast or gamma. */
  static final class AdjustValues extends ByChannel {
    private final Adjustment adjustment;

    /**
     * @param sources the image, and for contrast the means of its channels
     */
    AdjustValues(AdjustExpression expression, Shape shape, Node... sources) {
      super(expression.dtype(), shape, sources);
      this.adjustment = expression.adjustment();
    }

    @Override
    String name() {
      return adjustment.getClass().getSimpleName();
    }

    @Override
    Value compute(Code code, Value value, PixelIndex at) {
      Operand number = toAdjust(code, value);
      return adjusted(
          code,
          switch (adjustment) {
            case Adjustment.Brightness brightness ->
                code.add(number, number(code, "delta", a -> ((Adjustment.Brightness) a).delta()));
            case Adjustment.Contrast contrast -> {
              Operand mean = statistic(code, this, at, at.channel());
              Operand factor = number(code, "factor", a -> ((Adjustment.Contrast) a).factor());
              yield code.add(code.multiply(code.subtract(number, mean), factor), mean);
            }
            case Adjustment.Gamma gamma ->
                code.multiply(
                    number(code, "gain", a -> ((Adjustment.Gamma) a).gain()), power(code, number));
            default -> throw new AssertionError(adjustment);
          },
          dtype());
    }

    private interface OfAdjustment {
      float of(Adjustment adjustment);
    }

    private Operand number(Code code, String name, OfAdjustment number) {
      return code.row().float32(this, name, node -> number.of(node.adjustment));
    }

    /** A float to the power of gamma, as Java's {@code pow}. */
    private Operand power(Code code, Operand number) {
      Operand gamma = code.row().float64(this, "gamma", node -> gamma(node));
      Operand x = code.toDouble(number);
      Operand logarithm = Functions.log(code, code.abs(x));
      Operand power = Functions.exp(code, code.multiply(gamma, logarithm));
      Operand kind = code.row().int32(this, "kind", node -> kind(gamma(node)));
      Operand isOdd = code.compare("eq", kind, Operand.of(ODD));
      Operand isWhole = code.compare("ge", kind, Operand.of(ODD));
      // The sign bit of an odd power is that of the number.
      Operand signed = code.ptx().op(PtxType.F64, "copysign.f64", x, power);
      power = code.select(isOdd, signed, power);
      // A power that is no whole number is none of negative ones, the infinite one excepted.
      Operand isNegative =
          code.and(
              code.compare("lt", x, Operand.of(0.0)),
              code.compare("gt", x, Operand.of(Double.NEGATIVE_INFINITY)));
      Operand fraction = code.select(isNegative, Operand.of(Double.NaN), power);
      power = code.select(isWhole, power, fraction);
      Operand isNone = code.compare("eq", gamma, Operand.of(0.0));
      return code.toFloat(code.select(isNone, Operand.of(1.0), power));
    }

    private static final int ODD = 1;
    private static final int EVEN = 2;

    private static double gamma(AdjustValues node) {
      return ((Adjustment.Gamma) node.adjustment).gamma();
    }

    /** Whether an exponent is an odd number (1), an even one (2), or none (0). */
    private static int kind(double exponent) {
      if (exponent != Math.rint(exponent)) {
        return 0;
      }
      return exponent % 2 == 0 || Double.isInfinite(exponent) ? EVEN : ODD;
    }
  }

  /** Saturation or hue. */
  static final class AdjustColours extends ByPixel {
    private final Adjustment adjustment;

    AdjustColours(AdjustExpression expression, Shape shape, Node source) {
      super(expression.dtype(), shape, source);
      this.adjustment = expression.adjustment();
    }

    @Override
    String name() {
      return adjustment.getClass().getSimpleName();
    }

    @Override
    int sourceChannels() {
      return 3;
    }

    @Override
    List<Value> compute(Code code, List<Value> channels) {
      List<Operand> rgb = channels.stream().map(value -> toAdjust(code, value)).toList();
      Operand number = code.row().float32(this, "number", AdjustColours::number);
      List<Operand> changed =
          adjustment instanceof Adjustment.Hue
              ? Hsv.turn(code, rgb, number)
              : Hsv.saturate(code, rgb, number);
      return changed.stream().map(value -> adjusted(code, value, dtype())).toList();
    }

    private static float number(AdjustColours node) {
      return switch (node.adjustment) {
        case Adjustment.Hue hue -> hue.delta() * 6;
        case Adjustment.Saturation saturation -> saturation.factor();
        default -> throw new AssertionError(node.adjustment);
      };
    }
  }

  // ---- other colours

  /** An image whose channels mean something else. */
  static final class Recolour extends ByPixel {
    private final Colour colour;

    Recolour(ColourExpression expression, Shape shape, Node source) {
      super(source.dtype(), shape, source);
      this.colour = expression.colour();
    }

    @Override
    String name() {
      return colour.word();
    }

    @Override
    int sourceChannels() {
      return colour.sourceChannels();
    }

    @Override
    List<Value> compute(Code code, List<Value> channels) {
      return switch (colour) {
        case RGB_TO_GRAYSCALE -> List.of(grey(code, channels));
        case GRAYSCALE_TO_RGB ->
            List.of(channels.getFirst(), channels.getFirst(), channels.getFirst());
        case RGB_TO_HSV -> settled(code, Hsv.fromRgb(code, floats(code, channels)));
        case HSV_TO_RGB -> settled(code, Hsv.toRgb(code, floats(code, channels)));
      };
    }

    private Value grey(Code code, List<Value> rgb) {
      Operand red = code.multiply(toUnit(code, rgb.get(0)), Operand.of(0.2989f));
      Operand green = code.multiply(toUnit(code, rgb.get(1)), Operand.of(0.5870f));
      Operand blue = code.multiply(toUnit(code, rgb.get(2)), Operand.of(0.1140f));
      return fromUnit(code, code.add(code.add(red, green), blue), dtype());
    }

    private static List<Operand> floats(Code code, List<Value> values) {
      return values.stream().map(value -> Numbers.toFloat(code, value)).toList();
    }

    private List<Value> settled(Code code, List<Operand> numbers) {
      return numbers.stream().map(number -> Numbers.settle(code, number, dtype())).toList();
    }
  }
}
