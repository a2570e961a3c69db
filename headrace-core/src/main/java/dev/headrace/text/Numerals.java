package dev.headrace.text;

import dev.headrace.data.DType;
import java.util.Locale;

/** Values as people write them. */
final class Numerals {
  private Numerals() {}

  /** The value of a text, as Boolean, Integer, Long, Float, Double or String. */
  static Object parse(DType dtype, String text) {
    return switch (dtype) {
      case STRING -> text;
      case BOOL -> bool(text);
      case INT32 -> Integer.parseInt(ascii(text.strip()));
      case INT64 -> Long.parseLong(ascii(text.strip()));
      case FLOAT32 -> Float.parseFloat(decimal(text.strip()));
      default -> Double.parseDouble(decimal(text.strip()));
    };
  }

  private static boolean bool(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default -> throw new NumberFormatException(text);
    };
  }

  /** Refuses digits of other scripts, which Java reads as numbers. */
  private static String ascii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > 127) {
        throw new NumberFormatException(text);
      }
    }
    return text;
  }

  /** Refuses what Java reads as numbers and people do not: 1f, 0x1p3. */
  private static String decimal(String text) {
    switch (text.toLowerCase(Locale.ROOT)) {
      case "nan", "+nan", "-nan" -> {
        return "NaN";
      }
      case "inf", "+inf", "infinity", "+infinity" -> {
        return "Infinity";
      }
      case "-inf", "-infinity" -> {
        return "-Infinity";
      }
      default -> {
        for (int i = 0; i < text.length(); i++) {
          if ("0123456789+-.eE".indexOf(text.charAt(i)) < 0) {
            throw new NumberFormatException(text);
          }
        }
        return text;
      }
    }
  }
}
