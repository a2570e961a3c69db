package dev.headrace.report;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A piece of HTML or SVG in which everything that came from outside is escaped.
 *
 * <p>It is made from a template with {@code {}} for each value. Markup goes in as it is, a {@code
 * double} as a coordinate with one decimal, and everything else as text, so that forgetting to
 * escape is not possible.
 */
record Markup(String text) {
  static final Markup NONE = new Markup("");

  /** The template with its values. */
  static Markup of(String template, Object... values) {
    StringBuilder out = new StringBuilder(template.length() + 16 * values.length);
    int from = 0;
    for (Object value : values) {
      int place = template.indexOf("{}", from);
      if (place < 0) {
        throw new IllegalArgumentException("expected {} for " + value + " in " + template);
      }
      out.append(template, from, place);
      append(out, value);
      from = place + 2;
    }
    return new Markup(out.append(template, from, template.length()).toString());
  }

  /** One after another. */
  static Markup join(List<Markup> parts) {
    return new Markup(parts.stream().map(Markup::text).collect(Collectors.joining("\n")));
  }

  boolean isEmpty() {
    return text.isEmpty();
  }

  private static void append(StringBuilder out, Object value) {
    switch (value) {
      case Markup markup -> out.append(markup.text);
      case Double number -> out.append(coordinate(number));
      default -> escape(value.toString(), out);
    }
  }

  /** At most one decimal: a tenth of a pixel is enough, and the page stays small. */
  static String coordinate(double value) {
    if (!Double.isFinite(value)) {
      return "0";
    }
    long tenths = Math.round(Math.clamp(value, -1e9, 1e9) * 10);
    return tenths % 10 == 0 ? Long.toString(tenths / 10) : Double.toString(tenths / 10.0);
  }

  private static void escape(String text, StringBuilder out) {
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      switch (c) {
        case '&' -> out.append("&amp;");
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '"' -> out.append("&quot;");
        case '\'' -> out.append("&#39;");
        case '\n', '\t' -> out.append((char) c);
        default -> out.appendCodePoint(isHarmless(c) ? c : 0xFFFD);
      }
    }
  }

  /** Not so: controls, halves of pairs, and marks that turn the direction of what follows. */
  private static boolean isHarmless(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL, Character.SURROGATE -> false;
      case Character.FORMAT -> !isDirection(c);
      default -> c != 0xFFFE && c != 0xFFFF;
    };
  }

  private static boolean isDirection(int c) {
    return (c >= 0x202A && c <= 0x202E)
        || (c >= 0x2066 && c <= 0x2069)
        || c == 0x200E
        || c == 0x200F
        || c == 0x061C;
  }

  @Override
  public String toString() {
    return text;
  }
}
