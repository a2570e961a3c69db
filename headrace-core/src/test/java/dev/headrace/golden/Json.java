package dev.headrace.golden;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the recordings: objects as maps, arrays as lists, numbers as the text they were. */
final class Json {
  /** A number as it was written, so that no precision is lost before its type is known. */
  record Numeral(String text) {}

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object read(String text) {
    return new Json(text).value();
  }

  private Object value() {
    return switch (peek()) {
      case '{' -> object();
      case '[' -> list();
      case '"' -> string();
      default -> word();
    };
  }

  private Map<String, Object> object() {
    Map<String, Object> fields = new LinkedHashMap<>();
    at++;
    while (peek() != '}') {
      String name = string();
      expect(':');
      fields.put(name, value());
      if (peek() == ',') {
        at++;
      }
    }
    at++;
    return fields;
  }

  private List<Object> list() {
    List<Object> items = new ArrayList<>();
    at++;
    while (peek() != ']') {
      items.add(value());
      if (peek() == ',') {
        at++;
      }
    }
    at++;
    return items;
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
      if (c != '\\') {
        out.append(c);
        continue;
      }
      char escaped = text.charAt(at++);
      switch (escaped) {
        case 'n' -> out.append('\n');
        case 't' -> out.append('\t');
        case 'r' -> out.append('\r');
        case 'u' -> {
          out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        }
        default -> out.append(escaped);
      }
    }
    return out.toString();
  }

  /** true, false, null or a number. */
  private Object word() {
    int start = at;
    while (at < text.length() && ",]}".indexOf(text.charAt(at)) < 0 && text.charAt(at) > ' ') {
      at++;
    }
    String word = text.substring(start, at);
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      default -> new Numeral(word);
    };
  }

  private void expect(char wanted) {
    if (peek() != wanted) {
      throw new IllegalArgumentException(
          "expected '" + wanted + "' at " + at + ", but got '" + text.charAt(at) + "'");
    }
    at++;
  }

  private char peek() {
    while (text.charAt(at) <= ' ') {
      at++;
    }
    return text.charAt(at);
  }
}
