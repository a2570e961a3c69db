package dev.headrace.text;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON as RFC 8259 has it, and nothing else: objects as maps, arrays as lists, texts, {@link
 * Numeral}s, booleans and {@link #NULL}. Depth is bounded, and a name comes once in an object.
 */
final class JsonReader {
  /** A number as it was written, so that nothing is lost before its type is known. */
  record Numeral(String text) {
    boolean isWhole() {
      return text.indexOf('.') < 0 && text.indexOf('e') < 0 && text.indexOf('E') < 0;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** The value {@code null}. */
  static final Object NULL =
      new Object() {
        @Override
        public String toString() {
          return "null";
        }
      };

  private static final int DEEPEST = 100;

  private final String text;
  private int at;
  private int depth;

  private JsonReader(String text) {
    this.text = text;
  }

  /** The object that the text is, with nothing behind it. */
  static Map<String, Object> readObject(String text) {
    JsonReader reader = new JsonReader(text);
    reader.skipSpace();
    if (reader.at == text.length() || text.charAt(reader.at) != '{') {
      throw reader.unexpected("an object");
    }
    Map<String, Object> object = reader.object();
    reader.skipSpace();
    if (reader.at != text.length()) {
      throw reader.unexpected("the end");
    }
    return object;
  }

  private Object value() {
    skipSpace();
    if (at == text.length()) {
      throw unexpected("a value");
    }
    return switch (text.charAt(at)) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", NULL);
      default -> number();
    };
  }

  private Map<String, Object> object() {
    enter();
    Map<String, Object> object = new LinkedHashMap<>();
    at++;
    if (!next('}')) {
      do {
        skipSpace();
        int start = at;
        String name = string();
        if (!next(':')) {
          throw unexpected("':'");
        }
        if (object.put(name, value()) != null) {
          at = start;
          throw unexpected("each name once");
        }
      } while (next(','));
      if (!next('}')) {
        throw unexpected("',' or '}'");
      }
    }
    depth--;
    return object;
  }

  private List<Object> array() {
    enter();
    List<Object> items = new ArrayList<>();
    at++;
    if (!next(']')) {
      do {
        items.add(value());
      } while (next(','));
      if (!next(']')) {
        throw unexpected("',' or ']'");
      }
    }
    depth--;
    return items;
  }

  private void enter() {
    if (++depth > DEEPEST) {
      throw unexpected("at most " + DEEPEST + " levels");
    }
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw unexpected("a value");
    }
    at += word.length();
    return value;
  }

  private Numeral number() {
    int start = at;
    if (is('-')) {
      at++;
    }
    if (is('0')) {
      at++;
    } else {
      digits(start, "a value");
    }
    if (is('.')) {
      at++;
      digits(start, "a digit");
    }
    if (is('e') || is('E')) {
      at++;
      if (is('+') || is('-')) {
        at++;
      }
      digits(start, "a digit");
    }
    return new Numeral(text.substring(start, at));
  }

  private void digits(int start, String expected) {
    int first = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (at == first) {
      at = expected.equals("a value") && first == start ? start : at;
      throw unexpected(expected);
    }
  }

  private boolean is(char c) {
    return at < text.length() && text.charAt(at) == c;
  }

  /** A text in quotes; half of a surrogate pair is none, and would be lost where it is encoded. */
  private String string() {
    int start = at;
    String string = unchecked();
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (Character.isSurrogate(c)) {
        if (!Character.isHighSurrogate(c)
            || i + 1 == string.length()
            || !Character.isLowSurrogate(string.charAt(i + 1))) {
          at = start;
          throw unexpected("a text without a lone surrogate \\u%04x".formatted((int) c));
        }
        i++;
      }
    }
    return string;
  }

  private String unchecked() {
    if (!is('"')) {
      throw unexpected("a name or text in quotes");
    }
    at++;
    int plain = at;
    while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\') {
      checkPlain();
      at++;
    }
    if (is('"')) {
      return text.substring(plain, at++);
    }
    StringBuilder out = new StringBuilder(text.substring(plain, at));
    while (true) {
      if (at == text.length()) {
        throw unexpected("'\"'");
      }
      char c = text.charAt(at);
      if (c == '"') {
        at++;
        return out.toString();
      }
      if (c == '\\') {
        at++;
        out.append(escaped());
      } else {
        checkPlain();
        out.append(c);
        at++;
      }
    }
  }

  private void checkPlain() {
    if (text.charAt(at) < ' ') {
      throw unexpected("a control character to be escaped");
    }
  }

  private char escaped() {
    if (at == text.length()) {
      throw unexpected("an escaped character");
    }
    char c = text.charAt(at++);
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> hex();
      default -> {
        at--;
        throw unexpected("an escaped character");
      }
    };
  }

  private char hex() {
    int value = 0;
    for (int i = 0; i < 4; i++, at++) {
      int digit = at < text.length() ? hexDigit(text.charAt(at)) : -1;
      if (digit < 0) {
        throw unexpected("four hex digits");
      }
      value = value << 4 | digit;
    }
    return (char) value;
  }

  private static int hexDigit(char c) {
    return c >= '0' && c <= '9'
        ? c - '0'
        : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  }

  private boolean next(char c) {
    skipSpace();
    if (is(c)) {
      at++;
      return true;
    }
    return false;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IllegalArgumentException unexpected(String expected) {
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < at; i++) {
      if (text.charAt(i) == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    return new IllegalArgumentException(
        "json: expected %s, but got %s at %scolumn %d"
            .formatted(
                expected,
                at < text.length() ? "'" + text.charAt(at) + "'" : "the end",
                line == 1 ? "" : "line " + line + ", ",
                at - lineStart + 1));
  }
}
