package dev.headrace.data;

import java.util.HexFormat;

/**
 * Text from outside, such as names of files and messages of other programs, as it may be shown: a
 * terminal obeys control characters, so each is written out as {@code \x1b} or {@code \u202e}.
 *
 * <p>Line breaks and tabs stay.
 */
public final class VisibleText {
  private VisibleText() {}

  /** The text without characters that a terminal obeys. */
  public static String of(String text) {
    int length = text.length();
    for (int i = 0; i < length; i++) {
      if (isHidden(text.charAt(i))) {
        return written(text, i);
      }
    }
    return text;
  }

  private static String written(String text, int from) {
    StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, from);
    for (int i = from; i < text.length(); i++) {
      append(text.charAt(i), out);
    }
    return out.toString();
  }

  /** Appends a character, written out if a terminal would obey it. */
  public static void append(char c, StringBuilder out) {
    if (!isHidden(c)) {
      out.append(c);
    } else if (c < 0x100) {
      out.append("\\x").append(HexFormat.of().toHexDigits((byte) c));
    } else {
      out.append("\\u").append(HexFormat.of().toHexDigits(c));
    }
  }

  /** Control characters, and those that change the direction in which text is read. */
  private static boolean isHidden(char c) {
    if (c < ' ') {
      return c != '\n' && c != '\t';
    }
    return (c >= 0x7f && c < 0xa0)
        || (c >= 0x200e && c <= 0x200f)
        || (c >= 0x2028 && c <= 0x202e)
        || (c >= 0x2066 && c <= 0x2069);
  }
}
