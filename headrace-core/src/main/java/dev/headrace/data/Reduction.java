package dev.headrace.data;

import java.util.Locale;

/** A way to make one number of many. */
public enum Reduction {
  SUM,
  MEAN,
  MIN,
  MAX;

  /** The name in messages and descriptions. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The result of no floats at all, before {@link #finish(double, long)}. */
  double startOfFloats() {
    return switch (this) {
      case SUM, MEAN -> 0;
      case MIN -> Double.POSITIVE_INFINITY;
      case MAX -> Double.NEGATIVE_INFINITY;
    };
  }

  /** The result of no integers at all: for the least one, the largest value there is. */
  long startOfIntegers(DType dtype) {
    boolean isUnsigned = dtype.isUnsigned();
    return switch (this) {
      case SUM, MEAN -> 0;
      case MIN -> Elements.toInteger(isUnsigned ? 0x1p64 : 0x1p63, dtype);
      case MAX -> Elements.toInteger(isUnsigned ? 0 : -0x1p63, dtype);
    };
  }

  /** NaN makes everything NaN. */
  double apply(double some, double next) {
    return switch (this) {
      case SUM, MEAN -> some + next;
      case MIN -> Math.min(some, next);
      case MAX -> Math.max(some, next);
    };
  }

  /** Of integers of {@code dtype}; sums are of 64 bits. */
  long apply(long some, long next, DType dtype) {
    return switch (this) {
      case SUM, MEAN -> some + next;
      case MIN -> Elements.compare(dtype, some, next) <= 0 ? some : next;
      case MAX -> Elements.compare(dtype, some, next) >= 0 ? some : next;
    };
  }

  double finish(double result, long count) {
    return this == MEAN ? result / count : result;
  }

  /** Means are truncated; the mean of nothing is 0. */
  long finish(long result, long count, DType dtype) {
    if (this != MEAN) {
      return result;
    }
    if (count == 0) {
      return 0;
    }
    return dtype.isUnsigned() ? Long.divideUnsigned(result, count) : result / count;
  }
}
