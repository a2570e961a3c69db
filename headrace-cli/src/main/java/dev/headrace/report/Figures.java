package dev.headrace.report;

import java.util.Locale;

/** Numbers as people read them; a dash for what is no number. */
final class Figures {
  /** What stands where there is nothing to show. */
  static final String NOTHING = "–";

  private static final char SPACE = '\u00a0'; // keeps a number and its unit on one line
  private static final String[] BYTES = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

  private Figures() {}

  static String percent(double share) {
    if (!Double.isFinite(share)) {
      return NOTHING;
    }
    double percent = 100 * share;
    boolean isTiny = Math.abs(percent) >= 0.05 && Math.abs(percent) < 0.95;
    return format(isTiny ? "%.1f%c%%" : "%.0f%c%%", percent, SPACE);
  }

  /** "4.2×". */
  static String times(double factor) {
    if (!Double.isFinite(factor)) {
      return NOTHING;
    }
    return format(factor < 2 ? "%.2f×" : factor < 100 ? "%.1f×" : "%,.0f×", factor);
  }

  /** Elements a second, without the unit. */
  static String rate(double perSecond) {
    if (!Double.isFinite(perSecond)) {
      return NOTHING;
    }
    if (perSecond >= 9.995e6) {
      return format("%.1f%cM", perSecond / 1e6, SPACE);
    }
    return format(
        perSecond == 0 || perSecond >= 99.95 ? "%,.0f" : perSecond < 1 ? "%.2f" : "%.1f",
        perSecond);
  }

  static String decimal(double value) {
    if (!Double.isFinite(value)) {
      return NOTHING;
    }
    boolean isWhole = value == Math.rint(value);
    return format(isWhole || Math.abs(value) >= 100 ? "%,.0f" : "%.2f", value);
  }

  /** Threads, workers, elements in a buffer: one decimal unless it is whole. */
  static String few(double value) {
    if (!Double.isFinite(value)) {
      return NOTHING;
    }
    boolean isWhole = value >= 100 || Math.abs(value - Math.rint(value)) < 0.05;
    return format(isWhole ? "%,.0f" : "%,.1f", value);
  }

  static String count(long value) {
    return format("%,d", value);
  }

  /** Nanoseconds with the unit that fits. */
  static String time(double ns) {
    if (!Double.isFinite(ns)) {
      return NOTHING;
    }
    double size = Math.abs(ns);
    if (size < 1e3) {
      return format("%.0f%cns", ns, SPACE);
    }
    if (size < 1e6) {
      return format(size < 1e5 ? "%.1f%cµs" : "%.0f%cµs", ns / 1e3, SPACE);
    }
    if (size < 1e9) {
      return format(
          size < 1e7 ? "%.2f%cms" : size < 1e8 ? "%.1f%cms" : "%.0f%cms", ns / 1e6, SPACE);
    }
    return seconds(ns / 1e9);
  }

  static String seconds(double seconds) {
    if (!Double.isFinite(seconds)) {
      return NOTHING;
    }
    if (Math.abs(seconds) < 120) {
      return format(Math.abs(seconds) < 10 ? "%.2f%cs" : "%.1f%cs", seconds, SPACE);
    }
    return format("%,.0f%cmin", seconds / 60, SPACE);
  }

  static String bytes(double bytes) {
    if (!Double.isFinite(bytes)) {
      return NOTHING;
    }
    int unit = 0;
    double value = bytes;
    while (Math.abs(value) >= 1000 && unit + 1 < BYTES.length) {
      value /= 1000;
      unit++;
    }
    boolean isShort = Math.abs(value) < 10 && unit > 0;
    return format(isShort ? "%.1f%c%s" : "%.0f%c%s", value, SPACE, BYTES[unit]);
  }

  /** Cut to a number of characters, with a mark that it was. */
  static String cut(String text, int most) {
    if (text.codePointCount(0, text.length()) <= most) {
      return text;
    }
    return text.substring(0, text.offsetByCodePoints(0, Math.max(0, most - 1))) + "…";
  }

  /** As the beginning of a sentence. */
  static String capital(String text) {
    return text.isEmpty()
        ? text
        : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
