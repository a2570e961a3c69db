package dev.headrace.cuda.kernel;

import static dev.headrace.cuda.kernel.PtxType.B32;
import static dev.headrace.cuda.kernel.PtxType.B64;
import static dev.headrace.cuda.kernel.PtxType.F64;

/**
 * Exponentials and logarithms of doubles, in a few dozen operations each. Their error is below one
 * unit in the last place, so that of floats almost all are those that Java computes, and none is
 * further away than the next one.
 */
final class Functions {
  private static final double LN2_HIGH = 0x1.62e42feep-1;
  private static final double LN2_LOW = 0x1.a39ef35793c76p-33;
  private static final double LOG2_E = 1 / Math.log(2);

  /** The series of the exponential, as far as it matters for up to half of ln 2. */
  private static final int TERMS = 13;

  // The polynomial of FreeBSD's e_log.c, from the highest power down.
  private static final double[] LOG_TERMS = {
    0x1.2f112df3e5244p-3,
    0x1.39a09d078c69fp-3,
    0x1.7466496cb03dep-3,
    0x1.c71c51d8e78afp-3,
    0x1.2492494229359p-2,
    0x1.999999997fa04p-2,
    0x1.5555555555593p-1
  };

  private Functions() {}

  /** e to the power of a double. */
  static Operand exp(Code code, Operand x) {
    // Beyond these bounds the result is 0 or infinite anyway.
    Operand bounded = code.clamp(x, Operand.of(-800.0), Operand.of(800.0));
    Operand turns =
        code.ptx().op(F64, "cvt.rni.f64.f64", code.multiply(bounded, Operand.of(LOG2_E)));
    Operand minus = code.negate(turns);
    Operand rest = code.fused(minus, Operand.of(LN2_HIGH), bounded);
    rest = code.fused(minus, Operand.of(LN2_LOW), rest);
    double factorial = 1;
    for (int i = 2; i <= TERMS; i++) {
      factorial *= i;
    }
    Operand sum = Operand.of(1 / factorial);
    for (int i = TERMS; i > 0; i--) {
      factorial /= i;
      sum = code.fused(sum, rest, Operand.of(1 / factorial));
    }
    // In two steps, since the power alone may be beyond what a double holds.
    Operand exponent = code.ptx().op(B32, "cvt.rzi.s32.f64", turns);
    Operand half = code.ptx().op(B32, "shr.s32", exponent, Operand.of(1));
    Operand scaled = code.multiply(sum, powerOfTwo(code, half));
    scaled = code.multiply(scaled, powerOfTwo(code, code.subtract(exponent, half)));
    return code.select(code.compare("nan", x, x), x, scaled);
  }

  private static Operand powerOfTwo(Code code, Operand exponent) {
    Ptx ptx = code.ptx();
    Operand wide = ptx.op(B64, "cvt.s64.s32", code.add(exponent, Operand.of(1023)));
    return ptx.op(F64, "mov.b64", ptx.op(B64, "shl.b64", wide, Operand.of(52)));
  }

  /** The natural logarithm of a double. */
  static Operand log(Code code, Operand x) {
    Ptx ptx = code.ptx();
    // Numbers too small to be normal are made so first.
    Operand isSmall = code.compare("lt", x, Operand.of(Double.MIN_NORMAL));
    Operand normal = code.select(isSmall, code.multiply(x, Operand.of(0x1p54)), x);
    Operand bits = ptx.op(B64, "mov.b64", normal);
    // Taken apart so that the fraction lies around 1: between the roots of a half and of two.
    Operand raised = code.add(bits, Operand.of(0x3FF0000000000000L - 0x3FE6A09E667F3BCDL));
    Operand exponent =
        code.subtract(
            ptx.op(B64, "shr.s64", raised, Operand.of(52)),
            code.select(isSmall, Operand.of(1023L + 54), Operand.of(1023L)));
    Operand kept = ptx.op(B64, "and.b64", raised, Operand.of(0x000FFFFFFFFFFFFFL));
    Operand fraction = ptx.op(F64, "mov.b64", code.add(kept, Operand.of(0x3FE6A09E667F3BCDL)));
    Operand f = code.subtract(fraction, Operand.of(1.0));
    Operand s = code.divide(f, code.add(f, Operand.of(2.0)));
    Operand z = code.multiply(s, s);
    Operand sum = Operand.of(LOG_TERMS[0]);
    for (int i = 1; i < LOG_TERMS.length; i++) {
      sum = code.fused(sum, z, Operand.of(LOG_TERMS[i]));
    }
    sum = code.multiply(sum, z);
    Operand half = code.multiply(code.multiply(f, f), Operand.of(0.5));
    Operand k = ptx.op(F64, "cvt.rn.f64.s64", exponent);
    // k ln 2 - ((half - (s (half + sum) + k ln2 low)) - f), smallest parts first
    Operand low =
        code.add(code.multiply(s, code.add(half, sum)), code.multiply(k, Operand.of(LN2_LOW)));
    Operand rest = code.subtract(code.subtract(half, low), f);
    Operand result = code.subtract(code.multiply(k, Operand.of(LN2_HIGH)), rest);
    result =
        code.select(
            code.compare("eq", x, Operand.of(0.0)), Operand.of(Double.NEGATIVE_INFINITY), result);
    result = code.select(code.compare("lt", x, Operand.of(0.0)), Operand.of(Double.NaN), result);
    // Infinity and NaN are their own.
    Operand isFinite = code.compare("lt", code.abs(x), Operand.of(Double.POSITIVE_INFINITY));
    Operand isInfinite = code.compare("eq", x, Operand.of(Double.POSITIVE_INFINITY));
    return code.select(isFinite, result, code.select(isInfinite, x, Operand.of(Double.NaN)));
  }
}
