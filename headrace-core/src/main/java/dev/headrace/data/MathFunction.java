package dev.headrace.data;

import java.util.Locale;

/** A function of one number. */
public enum MathFunction {
  SQUARE,
  ABS,
  /** Not of unsigned integers. */
  NEGATE,
  /** Of floats only. */
  SQRT,
  /** Of floats only. */
  EXP,
  /** The natural logarithm, of floats only. */
  LOG;

  /** The name in messages and descriptions. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether integers have to be made floats before it. */
  boolean needsFloats() {
    return switch (this) {
      case SQUARE, ABS, NEGATE -> false;
      case SQRT, EXP, LOG -> true;
    };
  }

  double apply(double value) {
    return switch (this) {
      case SQUARE -> value * value;
      case ABS -> Math.abs(value);
      case NEGATE -> -value;
      case SQRT -> Math.sqrt(value);
      case EXP -> Math.exp(value);
      case LOG -> Math.log(value);
    };
  }

  /** Not yet wrapped to the type; of a value of a signed type, unless it is a square. */
  long apply(long value) {
    return switch (this) {
      case SQUARE -> value * value;
      case ABS -> Math.abs(value);
      case NEGATE -> -value;
      case SQRT, EXP, LOG -> throw new AssertionError(this);
    };
  }
}
