package dev.headrace.data;

import java.util.Locale;

/** An operation on two numbers of one type, with TensorFlow's rules for the type of the result. */
public enum Arithmetic {
  ADD,
  SUBTRACT,
  MULTIPLY,
  /** As {@code tf.divide}: integers become floats first. */
  DIVIDE;

  /** The name in messages and descriptions. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The type in which operands of type {@code operands} are computed on, and which the result has:
   * their own, except that quotients of integers are float32 or, from 32 bits on, float64.
   */
  public DType resultType(DType operands) {
    if (this != DIVIDE || operands.isFloating()) {
      return operands;
    }
    return operands.byteSize() <= 2 ? DType.FLOAT32 : DType.FLOAT64;
  }

  double apply(double left, double right) {
    return switch (this) {
      case ADD -> left + right;
      case SUBTRACT -> left - right;
      case MULTIPLY -> left * right;
      case DIVIDE -> left / right;
    };
  }

  /** Not yet wrapped to the type; quotients are floats. */
  long apply(long left, long right) {
    return switch (this) {
      case ADD -> left + right;
      case SUBTRACT -> left - right;
      case MULTIPLY -> left * right;
      case DIVIDE -> throw new AssertionError("quotients are floats");
    };
  }
}
