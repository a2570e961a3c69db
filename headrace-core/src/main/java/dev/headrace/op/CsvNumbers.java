package dev.headrace.op;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads numbers from bytes, without making text of them where they are short. */
final class CsvNumbers {
  /** Says that bytes are no number of the wanted kind; only caught, never shown. */
  static final class NotANumber extends Exception {
    private static final long serialVersionUID = 1;
    private static final NotANumber ONLY = new NotANumber();

    private NotANumber() {
      super(null, null, false, false);
    }
  }

  private static final int MOST_EXACT_DIGITS = 15;
  private static final long MOST_EXACT_IN_FLOAT = 1 << 24;
  private static final double[] TENS = new double[MOST_EXACT_DIGITS + 1];
  private static final int MOST_FLOAT_SCALE = 10; // 10^10 is the last power a float has exactly

  static {
    double power = 1;
    for (int i = 0; i < TENS.length; i++) {
      TENS[i] = power;
      power *= 10;
    }
  }

  private CsvNumbers() {}

  static int parseInt(byte[] bytes, int from, int to) throws NotANumber {
    long value = parseLong(bytes, from, to);
    if (value != (int) value) {
      throw NotANumber.ONLY;
    }
    return (int) value;
  }

  static long parseLong(byte[] bytes, int from, int to) throws NotANumber {
    boolean negative = from < to && bytes[from] == '-';
    int at = from < to && (negative || bytes[from] == '+') ? from + 1 : from;
    if (at == to) {
      throw NotANumber.ONLY;
    }
    long value = 0; // counts down, since there is one more number below zero
    for (; at < to; at++) {
      int digit = bytes[at] - '0';
      if (digit < 0 || digit > 9 || value < (Long.MIN_VALUE + digit) / 10) {
        throw NotANumber.ONLY;
      }
      value = value * 10 - digit;
    }
    if (!negative && value == Long.MIN_VALUE) {
      throw NotANumber.ONLY;
    }
    return negative ? value : -value;
  }

  static boolean parseBoolean(byte[] bytes, int from, int to) throws NotANumber {
    return switch (text(bytes, from, to).toLowerCase(Locale.ROOT)) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default -> throw NotANumber.ONLY;
    };
  }

  static float parseFloat(byte[] bytes, int from, int to) throws NotANumber {
    Decimal decimal = Decimal.of(bytes, from, to);
    if (decimal != null
        && decimal.digits < MOST_EXACT_IN_FLOAT
        && decimal.scale <= MOST_FLOAT_SCALE) {
      float value = (float) decimal.digits / (float) TENS[decimal.scale];
      return decimal.negative ? -value : value;
    }
    String text = text(bytes, from, to);
    Float special = special(text);
    return special != null ? special : Float.parseFloat(text);
  }

  static double parseDouble(byte[] bytes, int from, int to) throws NotANumber {
    Decimal decimal = Decimal.of(bytes, from, to);
    if (decimal != null) {
      double value = decimal.digits / TENS[decimal.scale];
      return decimal.negative ? -value : value;
    }
    String text = text(bytes, from, to);
    Float special = special(text);
    return special != null ? special : Double.parseDouble(text);
  }

  /** A number of few digits: one division of two exact numbers gives the nearest one. */
  private record Decimal(long digits, int scale, boolean negative) {
    static @Nullable Decimal of(byte[] bytes, int from, int to) {
      if (to - from > MOST_EXACT_DIGITS) {
        return null;
      }
      boolean negative = from < to && bytes[from] == '-';
      long digits = 0;
      int count = 0;
      int scale = -1;
      for (int at = negative ? from + 1 : from; at < to; at++) {
        int digit = bytes[at] - '0';
        if (digit >= 0 && digit <= 9) {
          digits = digits * 10 + digit;
          count++;
        } else if (bytes[at] == '.' && scale < 0) {
          scale = count;
        } else {
          return null;
        }
      }
      return count == 0 ? null : new Decimal(digits, scale < 0 ? 0 : count - scale, negative);
    }
  }

  /** Not a number and infinity as people write them; throws for what is no number at all. */
  private static @Nullable Float special(String text) throws NotANumber {
    switch (text.toLowerCase(Locale.ROOT)) {
      case "nan", "+nan", "-nan" -> {
        return Float.NaN;
      }
      case "inf", "+inf", "infinity", "+infinity" -> {
        return Float.POSITIVE_INFINITY;
      }
      case "-inf", "-infinity" -> {
        return Float.NEGATIVE_INFINITY;
      }
      default -> {
        checkNumber(text);
        return null;
      }
    }
  }

  /** Java reads more than numbers as people write them: 1f, 0x1p3. */
  private static void checkNumber(String text) throws NotANumber {
    for (int i = 0; i < text.length(); i++) {
      if ("0123456789+-.eE".indexOf(text.charAt(i)) < 0) {
        throw NotANumber.ONLY;
      }
    }
    try {
      double _ = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw NotANumber.ONLY;
    }
  }

  private static String text(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }
}
