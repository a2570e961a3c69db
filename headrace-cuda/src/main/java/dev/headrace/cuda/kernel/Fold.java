package dev.headrace.cuda.kernel;

import static dev.headrace.cuda.kernel.PtxType.B64;
import static dev.headrace.cuda.kernel.PtxType.F64;

import dev.headrace.data.DType;
import dev.headrace.data.Reduction;

/**
 * How a reduction takes elements of a type together: floats as doubles, integers in 64 bits.
 *
 * @param dtype of the elements and of the result
 */
record Fold(Reduction reduction, DType dtype) {

  boolean isFloating() {
    return dtype.isFloating();
  }

  /** The result of nothing. */
  Operand start() {
    if (isFloating()) {
      return Operand.of(
          switch (reduction) {
            case SUM, MEAN -> 0.0;
            case MIN -> Double.POSITIVE_INFINITY;
            case MAX -> Double.NEGATIVE_INFINITY;
          });
    }
    boolean is64Unsigned = dtype == DType.UINT64;
    return Operand.of(
        switch (reduction) {
          case SUM, MEAN -> 0L;
          case MIN -> is64Unsigned ? -1L : (long) Numbers.most(dtype);
          case MAX -> is64Unsigned ? 0L : (long) Numbers.least(dtype);
        });
  }

  /** An element as it is taken in. */
  Operand term(Code code, Value value) {
    return isFloating() ? code.toDouble(value.operand()) : Numbers.toLong(code, value);
  }

  Operand merge(Code code, Operand some, Operand next) {
    return switch (reduction) {
      case SUM, MEAN -> code.add(some, next);
      case MIN -> isFloating() ? code.minOrNan(some, next) : extreme(code, "min", some, next);
      case MAX -> isFloating() ? code.maxOrNan(some, next) : extreme(code, "max", some, next);
    };
  }

  private Operand extreme(Code code, String word, Operand some, Operand next) {
    String type = dtype == DType.UINT64 ? ".u64" : ".s64";
    return code.ptx().op(B64, word + type, some, next);
  }

  /**
   * What has been taken together as an element of the result.
   *
   * @param count how many elements there were, as a 64-bit integer
   */
  Value finish(Code code, Operand total, Operand count) {
    boolean isMean = reduction == Reduction.MEAN;
    if (isFloating()) {
      Operand number = code.ptx().op(F64, "cvt.rn.f64.s64", count);
      return Numbers.settle(code, isMean ? code.divide(total, number) : total, dtype);
    }
    if (!isMean) {
      return Numbers.ofLong(code, total, dtype);
    }
    String division = dtype.isUnsigned() ? "div.u64" : "div.s64";
    Operand quotient = code.ptx().op(B64, division, total, count);
    Operand isNone = code.compare("eq", count, Operand.of(0L));
    return Numbers.ofLong(code, code.select(isNone, Operand.of(0L), quotient), dtype);
  }
}
