package dev.headrace.cuda.kernel;

import static dev.headrace.cuda.kernel.PtxType.B32;

import java.util.List;

/**
 * Colours of three floats as hue, saturation and value, and back: the operations of the core's
 * {@code Hsv}, in its order.
 */
final class Hsv {
  private static final Operand ZERO = Operand.of(0f);
  private static final Operand ONE = Operand.of(1f);
  private static final Operand SIX = Operand.of(6f);

  private Hsv() {}

  /** The largest of three. */
  private static Operand most(Code code, List<Operand> rgb) {
    return code.max(rgb.get(0), code.max(rgb.get(1), rgb.get(2)));
  }

  /** The least of three. */
  private static Operand least(Code code, List<Operand> rgb) {
    return code.min(rgb.get(0), code.min(rgb.get(1), rgb.get(2)));
  }

  /** Of the numbers for the case that red, green or blue is the largest, the one that applies. */
  private static Operand byMost(
      Code code, List<Operand> rgb, Operand most, Operand red, Operand green, Operand blue) {
    Operand isRed = code.compare("eq", rgb.get(0), most);
    Operand isGreen = code.compare("eq", rgb.get(1), most);
    return code.select(isRed, red, code.select(isGreen, green, blue));
  }

  static List<Operand> fromRgb(Code code, List<Operand> rgb) {
    Operand red = rgb.get(0);
    Operand green = rgb.get(1);
    Operand blue = rgb.get(2);
    Operand most = most(code, rgb);
    Operand range = code.subtract(most, least(code, rgb));
    Operand part = code.divide(ONE, code.multiply(SIX, range));
    Operand ofRed = code.multiply(part, code.subtract(green, blue));
    Operand ofGreen = code.add(code.multiply(part, code.subtract(blue, red)), Operand.of(2 / 6f));
    Operand ofBlue = code.add(code.multiply(part, code.subtract(red, green)), Operand.of(4 / 6f));
    Operand hue = byMost(code, rgb, most, ofRed, ofGreen, ofBlue);
    hue = code.select(code.compare("gt", range, ZERO), hue, ZERO);
    hue = code.select(code.compare("lt", hue, ZERO), code.add(hue, ONE), hue);
    Operand saturation =
        code.select(code.compare("gt", most, ZERO), code.divide(range, most), ZERO);
    return List.of(hue, saturation, most);
  }

  static List<Operand> toRgb(Code code, List<Operand> hsv) {
    Operand sixths = code.multiply(hsv.get(0), SIX);
    Operand two = Operand.of(2f);
    Operand red = code.subtract(code.abs(code.subtract(sixths, Operand.of(3f))), ONE);
    Operand green = code.subtract(two, code.abs(code.subtract(sixths, two)));
    Operand blue = code.subtract(two, code.abs(code.subtract(sixths, Operand.of(4f))));
    return List.of(mixed(code, red, hsv), mixed(code, green, hsv), mixed(code, blue, hsv));
  }

  private static Operand mixed(Code code, Operand share, List<Operand> hsv) {
    Operand saturation = hsv.get(1);
    Operand kept = code.clamp(share, ZERO, ONE);
    Operand sum = code.add(code.subtract(ONE, saturation), code.multiply(saturation, kept));
    return code.multiply(sum, hsv.get(2));
  }

  /** With the saturation multiplied. */
  static List<Operand> saturate(Code code, List<Operand> rgb, Operand factor) {
    List<Operand> hsv = fromRgb(code, rgb);
    Operand saturation = code.clamp(code.multiply(hsv.get(1), factor), ZERO, ONE);
    Operand sixths = code.multiply(hsv.get(0), SIX);
    Operand value = hsv.get(2);
    Operand chroma = code.multiply(saturation, value);
    Operand least = code.subtract(value, chroma);
    Operand whole = code.ptx().op(B32, "cvt.rzi.s32.f32", sixths);
    Operand six = Operand.of(6);
    Operand sector = code.select(code.compare("ge", whole, six), code.subtract(whole, six), whole);
    Operand pairs = code.floor(code.multiply(sixths, Operand.of(0.5f)));
    Operand phase = code.subtract(sixths, code.multiply(Operand.of(2f), pairs));
    Operand middle = code.multiply(chroma, code.subtract(ONE, code.abs(code.subtract(phase, ONE))));
    return bySector(code, sector, code.add(chroma, least), code.add(middle, least), least);
  }

  /** With the hue turned by some sixths of the circle. */
  static List<Operand> turn(Code code, List<Operand> rgb, Operand sixths) {
    Operand most = most(code, rgb);
    Operand least = least(code, rgb);
    Operand hue = code.add(hue(code, rgb, most, least), sixths);
    hue = code.select(code.compare("lt", hue, ZERO), code.add(hue, SIX), hue);
    hue = code.select(code.compare("ge", hue, SIX), code.subtract(hue, SIX), hue);
    Operand sector =
        code.clamp(code.ptx().op(B32, "cvt.rzi.s32.f32", hue), Operand.of(0), Operand.of(5));
    Operand part = code.subtract(hue, code.toFloat(sector));
    Operand isOdd =
        code.compare("ne", code.ptx().op(B32, "and.b32", sector, Operand.of(1)), Operand.of(0));
    Operand share = code.select(isOdd, code.subtract(ONE, part), part);
    Operand middle = code.add(least, code.multiply(code.subtract(most, least), share));
    return bySector(code, sector, most, middle, least);
  }

  /** In sixths of the circle, from 0 on. */
  private static Operand hue(Code code, List<Operand> rgb, Operand most, Operand least) {
    Operand red = rgb.get(0);
    Operand green = rgb.get(1);
    Operand blue = rgb.get(2);
    Operand range = code.subtract(most, least);
    Operand ofRed = code.divide(code.subtract(green, blue), range);
    Operand ofGreen = code.add(code.divide(code.subtract(blue, red), range), Operand.of(2f));
    Operand ofBlue = code.add(code.divide(code.subtract(red, green), range), Operand.of(4f));
    Operand hue = byMost(code, rgb, most, ofRed, ofGreen, ofBlue);
    hue = code.select(code.compare("lt", hue, ZERO), code.add(hue, SIX), hue);
    return code.select(code.compare("gt", range, ZERO), hue, ZERO);
  }

  /** Red, green and blue, of which one is the largest, one the least and one between. */
  private static List<Operand> bySector(
      Code code, Operand sector, Operand most, Operand middle, Operand least) {
    return List.of(
        in(code, sector, 0, 5, most, in(code, sector, 1, 4, middle, least)),
        in(code, sector, 1, 2, most, in(code, sector, 0, 3, middle, least)),
        in(code, sector, 3, 4, most, in(code, sector, 2, 5, middle, least)));
  }

  private static Operand in(
      Code code, Operand sector, int one, int other, Operand then, Operand otherwise) {
    Operand isEither =
        code.or(
            code.compare("eq", sector, Operand.of(one)),
            code.compare("eq", sector, Operand.of(other)));
    return code.select(isEither, then, otherwise);
  }
}
