package dev.headrace.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON, to see that what commands print is some. */
final class JsonObject {
  private final String text;
  private int at;

  private JsonObject(String text) {
    this.text = text;
  }

  /** The one object that a text is. */
  @SuppressWarnings("unchecked") // a cast that fails is a failed test
  static Map<String, Object> read(String text) {
    JsonObject reader = new JsonObject(text.strip());
    Map<String, Object> object = (Map<String, Object>) reader.value();
    if (reader.at != reader.text.length()) {
      throw reader.wrong("the end");
    }
    return object;
  }

  private AssertionError wrong(String expected) {
    return new AssertionError(
        "expected %s, but got %s"
            .formatted(expected, text.substring(at, Math.min(text.length(), at + 40))));
  }

  private Object value() {
    char c = text.charAt(at);
    return switch (c) {
      case '{' -> object();
      case '[' -> list();
      case '"' -> string();
      case 't', 'f' -> {
        boolean value = c == 't';
        at += value ? 4 : 5;
        yield value;
      }
      case 'n' -> {
        at += 4;
        yield "null";
      }
      default -> number();
    };
  }

  private Map<String, Object> object() {
    Map<String, Object> fields = new LinkedHashMap<>();
    at++;
    while (text.charAt(at) != '}') {
      String name = string();
      expect(':');
      fields.put(name, value());
      if (text.charAt(at) == ',') {
        at++;
      }
    }
    at++;
    return fields;
  }

  private List<Object> list() {
    List<Object> values = new ArrayList<>();
    at++;
    while (text.charAt(at) != ']') {
      values.add(value());
      if (text.charAt(at) == ',') {
        at++;
      }
    }
    at++;
    return values;
  }

  private String string() {
    expect('"');
    StringBuilder value = new StringBuilder();
    while (text.charAt(at) != '"') {
      char c = text.charAt(at++);
      if (c == '\\') {
        char escaped = text.charAt(at++);
        if (escaped == 'u') {
          value.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        } else {
          value.append(escaped);
        }
      } else {
        value.append(c);
      }
    }
    at++;
    return value.toString();
  }

  private Object number() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (start == at) {
      throw wrong("a value");
    }
    return Double.parseDouble(text.substring(start, at));
  }

  private void expect(char c) {
    if (text.charAt(at) != c) {
      throw wrong("'" + c + "'");
    }
    at++;
  }
}
