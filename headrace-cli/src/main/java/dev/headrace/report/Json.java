package dev.headrace.report;

import java.lang.reflect.Array;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values as JSON on one line: maps, records by their components, lists and arrays, texts, numbers,
 * booleans, nothing. What JSON has no number for (NaN, infinity) is {@code null}.
 */
final class Json {
  private final StringBuilder out = new StringBuilder();

  private Json() {}

  static String of(@Nullable Object value) {
    Json json = new Json();
    json.write(value);
    return json.out.toString();
  }

  private void write(@Nullable Object value) {
    switch (value) {
      case null -> out.append("null");
      case String text -> quote(text);
      case Boolean flag -> out.append(flag);
      case Double number -> number(number);
      case Number number -> out.append(number);
      case Map<?, ?> map -> object(map);
      case Record record -> object(Records.members(record));
      case Iterable<?> all -> array(all.iterator());
      case Enum<?> constant -> quote(constant.name());
      default -> {
        if (value.getClass().isArray()) {
          array(value);
        } else {
          quote(value.toString());
        }
      }
    }
  }

  /** Six digits are more than was measured; whole numbers stay whole. */
  private void number(double value) {
    if (!Double.isFinite(value)) {
      out.append("null");
    } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      out.append((long) value);
    } else {
      double digits = Math.pow(10, 5 - Math.floor(Math.log10(Math.abs(value))));
      double rounded = Math.rint(value * digits) / digits;
      out.append(Double.isFinite(rounded) ? rounded : value);
    }
  }

  private void object(Map<?, ?> map) {
    out.append('{');
    boolean isFirst = true;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      isFirst = separate(isFirst);
      quote(String.valueOf(entry.getKey()));
      out.append(':');
      write(entry.getValue());
    }
    out.append('}');
  }

  private void array(Iterator<?> values) {
    out.append('[');
    for (boolean isFirst = true; values.hasNext(); ) {
      isFirst = separate(isFirst);
      write(values.next());
    }
    out.append(']');
  }

  private void array(Object array) {
    out.append('[');
    boolean isFirst = true;
    for (int i = 0; i < Array.getLength(array); i++) {
      isFirst = separate(isFirst);
      write(Array.get(array, i));
    }
    out.append(']');
  }

  private boolean separate(boolean isFirst) {
    if (!isFirst) {
      out.append(',');
    }
    return false;
  }

  private void quote(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || (c >= 0x7f && c < 0xa0) || Character.isSurrogate(c)) {
        out.append("\\u%04x".formatted((int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
