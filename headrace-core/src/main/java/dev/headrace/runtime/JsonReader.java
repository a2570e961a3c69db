package dev.headrace.runtime;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the JSON of checkpoints: objects, lists, texts, whole numbers, true and false. */
final class JsonReader {
  private static final int DEEPEST = 500;

  private final String text;
  private int at;
  private int depth;

  JsonReader(String text) {
    this.text = text;
  }

  Map<String, Object> readObject() {
    Map<String, Object> object = object();
    skipSpace();
    if (at != text.length()) {
      throw unexpected("the end");
    }
    return object;
  }

  private Map<String, Object> object() {
    enter();
    Map<String, Object> object = new LinkedHashMap<>();
    expect('{');
    if (!next('}')) {
      do {
        String name = string();
        expect(':');
        if (object.put(name, value()) != null) {
          throw unexpected("'" + name + "' once");
        }
      } while (next(','));
      expect('}');
    }
    depth--;
    return object;
  }

  private List<Object> list() {
    enter();
    List<Object> list = new ArrayList<>();
    expect('[');
    if (!next(']')) {
      do {
        list.add(value());
      } while (next(','));
      expect(']');
    }
    depth--;
    return list;
  }

  private Object value() {
    skipSpace();
    if (at >= text.length()) {
      throw unexpected("a value");
    }
    char c = text.charAt(at);
    if (c == '{') {
      return object();
    }
    if (c == '[') {
      return list();
    }
    if (c == '"') {
      return string();
    }
    if (text.startsWith("true", at)) {
      at += 4;
      return true;
    }
    if (text.startsWith("false", at)) {
      at += 5;
      return false;
    }
    return number();
  }

  private Long number() {
    int start = at;
    while (at < text.length() && "-0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    try {
      return Long.parseLong(text.substring(start, at));
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
        if (c == 'u') {
          if (at + 4 > text.length()) {
            throw unexpected("four hex digits");
          }
          try {
            c = (char) Integer.parseInt(text.substring(at, at + 4), 16);
          } catch (NumberFormatException e) {
            throw unexpected("four hex digits");
          }
          at += 4;
        }
      }
      out.append(c);
    }
    expect('"');
    return out.toString();
  }

  private void enter() {
    if (++depth > DEEPEST) {
      throw unexpected("at most " + DEEPEST + " levels");
    }
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
        "checkpoint: expected "
            + wanted
            + " at character "
            + at
            + ", but got "
            + (at < text.length() ? "'" + text.charAt(at) + "'" : "the end"));
  }
}
