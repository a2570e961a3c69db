package dev.headrace.cuda.kernel;

/**
 * What an instruction reads: a register that is written once, or a number.
 *
 * @param text as it stands in instructions
 * @param depth in how many loops it changes; numbers and what is computed before all loops have 0
 */
record Operand(PtxType type, String text, int depth) {
  static Operand of(int value) {
    return new Operand(PtxType.B32, Integer.toString(value), 0);
  }

  static Operand of(long value) {
    return new Operand(
        PtxType.B64, value == Long.MIN_VALUE ? "0x8000000000000000" : Long.toString(value), 0);
  }

  static Operand of(float value) {
    return new Operand(PtxType.F32, "0f%08X".formatted(Float.floatToRawIntBits(value)), 0);
  }

  static Operand of(double value) {
    return new Operand(PtxType.F64, "0d%016X".formatted(Double.doubleToRawLongBits(value)), 0);
  }

  /** Whether this is an integer that stands in the text. */
  boolean isInteger() {
    return !type.isFloating() && text.charAt(0) != '%' && !text.startsWith("0x");
  }

  /** The integer that stands in the text. */
  long integer() {
    return Long.parseLong(text);
  }

  @Override
  public String toString() {
    return text;
  }
}
