package dev.headrace.data;

import java.util.Locale;

/** Words for counted things, as people say them: {@code 1 element}, {@code 1,000 elements}. */
public final class Plural {
  private Plural() {}

  /** The number and the word. */
  public static String of(long count, String one) {
    return String.format(Locale.ROOT, "%,d %s", count, word(count, one));
  }

  /** The word alone, to stand after the number. */
  public static String word(long count, String one) {
    if (count == 1) {
      return one;
    }
    if (one.endsWith("leaf")) {
      return one.substring(0, one.length() - 1) + "ves";
    }
    return one.endsWith("ch") || one.endsWith("s") || one.endsWith("x") ? one + "es" : one + "s";
  }
}
