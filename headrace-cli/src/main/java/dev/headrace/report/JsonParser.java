package dev.headrace.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link Json} writes, from anybody: objects as maps, arrays as lists, texts, numbers as
 * {@code Double} or {@code Long}, booleans and null. Depth is bounded.
 */
final class JsonParser {
  private static final int DEEPEST = 100;

  private final String text;
  private int at;
  private int depth;

  private JsonParser(String text) {
    this.text = text;
  }

  static @Nullable Object parse(String text) {
    JsonParser parser = new JsonParser(text);
    @Nullable Object value = parser.value();
    parser.skipSpace();
    if (parser.at != text.length()) {
      throw parser.expected("the end");
    }
    return value;
  }

  private @Nullable Object value() {
    skipSpace();
    if (at == text.length()) {
      throw expected("a value");
    }
    return switch (text.charAt(at)) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object() {
    enter();
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    boolean isFirst = true;
    while (!ended('}', isFirst)) {
      isFirst = false;
      skipSpace();
      String name = string();
      skipSpace();
      take(':');
      object.put(name, value());
    }
    return object;
  }

  private List<@Nullable Object> array() {
    enter();
    List<@Nullable Object> array = new ArrayList<>();
    while (!ended(']', array.isEmpty())) {
      array.add(value());
    }
    return array;
  }

  private void enter() {
    if (++depth > DEEPEST) {
      throw expected("at most " + DEEPEST + " levels");
    }
    at++;
  }

  /** Whether the end is here; before every member but the first there is a comma. */
  private boolean ended(char end, boolean isFirst) {
    skipSpace();
    if (at < text.length() && text.charAt(at) == end) {
      at++;
      depth--;
      return true;
    }
    if (!isFirst) {
      take(',');
    }
    return false;
  }

  private String string() {
    take('"');
    StringBuilder out = new StringBuilder();
    while (true) {
      if (at == text.length()) {
        throw expected("a closing quote");
      }
      char c = text.charAt(at++);
      if (c == '"') {
        return out.toString();
      }
      if (c < ' ') {
        at--;
        throw expected("no control character");
      }
      out.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() {
    if (at == text.length()) {
      throw expected("what the backslash is for");
    }
    char c = text.charAt(at++);
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        int end = at + 4;
        if (end > text.length() || !text.substring(at, end).matches("[0-9a-fA-F]{4}")) {
          throw expected("four hexadecimal digits");
        }
        char code = (char) Integer.parseInt(text, at, end, 16);
        at = end;
        yield code;
      }
      default -> {
        at--;
        throw expected("a known escape");
      }
    };
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw expected("a value");
    }
    at += word.length();
    return value;
  }

  private Object number() {
    int start = at;
    while (at < text.length() && "+-0123456789.eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String digits = text.substring(start, at);
    if (!digits.matches("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?")) {
      at = start;
      throw expected("a value");
    }
    try {
      return Long.valueOf(digits);
    } catch (NumberFormatException e) {
      return Double.valueOf(digits); // a fraction, or beyond 64 bits
    }
  }

  private void take(char c) {
    if (at == text.length() || text.charAt(at) != c) {
      throw expected("'" + c + "'");
    }
    at++;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IllegalArgumentException expected(String what) {
    String got = at < text.length() ? Figures.cut(text.substring(at), 20) : "the end";
    return new IllegalArgumentException(
        "JSON, character %d: expected %s, but got %s".formatted(at, what, got));
  }
}
