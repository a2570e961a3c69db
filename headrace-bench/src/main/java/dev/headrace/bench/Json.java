package dev.headrace.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON text: maps, lists, texts, numbers, true, false and null. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  // ---- writing ----------------------------------------------------------------------------------

  /** A value on one line. */
  static String write(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out, -1);
    return out.toString();
  }

  /** A value with the outer two levels indented, for files that people read too. */
  static String writeIndented(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out, 0);
    return out.append('\n').toString();
  }

  private static void write(@Nullable Object value, StringBuilder out, int level) {
    switch (value) {
      case null -> out.append("null");
      case String string -> writeString(string, out);
      case Double number when number.isNaN() || number.isInfinite() -> out.append("null");
      case Number number -> out.append(number);
      case Boolean flag -> out.append(flag);
      case Map<?, ?> map -> {
        List<Runnable> entries = new ArrayList<>();
        map.forEach(
            (name, entry) ->
                entries.add(
                    () -> {
                      writeString(String.valueOf(name), out);
                      out.append(level < 0 ? ":" : ": ");
                      write(entry, out, deeper(level));
                    }));
        writeAll('{', entries, '}', out, level);
      }
      case Iterable<?> list -> {
        List<Runnable> entries = new ArrayList<>();
        list.forEach(entry -> entries.add(() -> write(entry, out, deeper(level))));
        writeAll('[', entries, ']', out, level);
      }
      default ->
          throw new IllegalArgumentException(
              "json: expected a map, list, text, number or boolean, but got "
                  + value.getClass().getName());
    }
  }

  private static int deeper(int level) {
    return level < 0 || level == 1 ? -1 : level + 1;
  }

  private static void writeAll(
      char open, List<Runnable> entries, char close, StringBuilder out, int level) {
    out.append(open);
    String between = level < 0 ? "" : "\n" + "  ".repeat(level + 1);
    for (int i = 0; i < entries.size(); i++) {
      out.append(i == 0 ? "" : ",").append(between);
      entries.get(i).run();
    }
    if (level >= 0 && !entries.isEmpty()) {
      out.append('\n').append("  ".repeat(level));
    }
    out.append(close);
  }

  private static void writeString(String string, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ') {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  // ---- reading ----------------------------------------------------------------------------------

  /** The object that a text holds. */
  static Map<String, @Nullable Object> readObject(String text) {
    Json json = new Json(text);
    Map<String, @Nullable Object> object = json.object();
    json.skipSpace();
    if (json.at != text.length()) {
      throw json.unexpected("the end");
    }
    return object;
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    expect('{');
    if (!next('}')) {
      do {
        String name = string();
        expect(':');
        object.put(name, value());
      } while (next(','));
      expect('}');
    }
    return object;
  }

  private List<@Nullable Object> list() {
    List<@Nullable Object> list = new ArrayList<>();
    expect('[');
    if (!next(']')) {
      do {
        list.add(value());
      } while (next(','));
      expect(']');
    }
    return list;
  }

  private @Nullable Object value() {
    skipSpace();
    char c = at < text.length() ? text.charAt(at) : ' ';
    if (c == '{') {
      return object();
    }
    if (c == '[') {
      return list();
    }
    if (c == '"') {
      return string();
    }
    int start = at;
    while (at < text.length() && "+-.0123456789aeflnrstuE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String word = text.substring(start, at);
    try {
      return switch (word) {
        case "true" -> true;
        case "false" -> false;
        case "null" -> null;
        default -> Double.parseDouble(word);
      };
    } catch (NumberFormatException e) {
      at = start;
      throw unexpected("a value");
    }
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at++);
      if (c == '\\' && at < text.length()) {
        c = text.charAt(at++);
        switch (c) {
          case 'n' -> c = '\n';
          case 't' -> c = '\t';
          case 'r' -> c = '\r';
          case 'b' -> c = '\b';
          case 'f' -> c = '\f';
          case 'u' -> {
            if (at + 4 > text.length()) {
              throw unexpected("four hex digits");
            }
            c = (char) Integer.parseInt(text, at, at + 4, 16);
            at += 4;
          }
          default -> {}
        }
      }
      out.append(c);
    }
    expect('"');
    return out.toString();
  }

  private boolean next(char c) {
    skipSpace();
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char c) {
    if (!next(c)) {
      throw unexpected("'" + c + "'");
    }
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private IllegalArgumentException unexpected(String wanted) {
    return new IllegalArgumentException(
        "json: expected "
            + wanted
            + " at character "
            + at
            + ", but got "
            + (at < text.length() ? "'" + text.charAt(at) + "'" : "the end"));
  }
}
