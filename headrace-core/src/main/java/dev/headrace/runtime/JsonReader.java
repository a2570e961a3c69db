package dev.headrace.runtime;

import dev.headrace.spi.PlanDepth;
import dev.headrace.spi.State;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON of checkpoints: an object of texts, whole numbers, true and false, lists, and
 * objects within, which are states.
 *
 * <p>No call is nested, so that the depth of what is read costs no stack.
 */
final class JsonReader {
  /** How many levels an operator's position takes at most: its own, and those of wrappers. */
  private static final int LEVELS_PER_OPERATOR = 8;

  private static final int DEEPEST = LEVELS_PER_OPERATOR * PlanDepth.MOST;

  private final String text;
  private int at;

  /** What was begun and not ended, the innermost first. */
  private final Deque<Open> open = new ArrayDeque<>();

  /** An object, or a list, that is being read. */
  private static final class Open {
    final @Nullable Map<String, Object> fields;
    final List<Object> items = new ArrayList<>();
    String name = "";

    Open(boolean isObject) {
      fields = isObject ? new LinkedHashMap<>() : null;
    }

    boolean isEmpty() {
      return fields == null ? items.isEmpty() : fields.isEmpty();
    }
  }

  JsonReader(String text) {
    this.text = text;
  }

  /** The fields of the one object there is; objects within are states. */
  Map<String, Object> readObject() {
    expect('{');
    Open whole = new Open(true);
    open.push(whole);
    while (!open.isEmpty()) {
      step(open.element());
    }
    skipSpace();
    if (at != text.length()) {
      throw unexpected("the end");
    }
    return whole.fields == null ? Map.of() : whole.fields;
  }

  /** Reads one value of the innermost, or its end. */
  private void step(Open inner) {
    if (next(inner.fields == null ? ']' : '}')) {
      open.pop();
      Open outer = open.peek();
      if (outer != null) {
        add(outer, inner.fields == null ? listOf(inner.items) : stateOf(inner.fields));
      }
      return;
    }
    if (!inner.isEmpty()) {
      expectNext(inner);
    }
    if (inner.fields != null) {
      inner.name = string();
      expect(':');
    }
    if (next('{')) {
      enter(new Open(true));
    } else if (next('[')) {
      enter(new Open(false));
    } else {
      add(inner, value());
    }
  }

  private void expectNext(Open inner) {
    if (!next(',')) {
      throw unexpected(inner.fields == null ? "',' or ']'" : "',' or '}'");
    }
  }

  private void enter(Open within) {
    if (open.size() == DEEPEST) {
      throw unexpected("at most " + DEEPEST + " levels");
    }
    open.push(within);
  }

  private void add(Open to, Object value) {
    if (to.fields == null) {
      to.items.add(value);
    } else if (to.fields.put(to.name, value) != null) {
      throw unexpected("'" + to.name + "' once");
    }
  }

  private static State stateOf(Map<String, Object> fields) {
    Object[] pairs = new Object[2 * fields.size()];
    int i = 0;
    for (Map.Entry<String, Object> entry : fields.entrySet()) {
      pairs[i++] = entry.getKey();
      pairs[i++] = entry.getValue();
    }
    return pairs.length == 0 ? State.START : State.ofPairs(pairs);
  }

  /** A list of states or of texts, or the numbers of one; an empty one is of numbers. */
  private Object listOf(List<Object> items) {
    Object first = items.isEmpty() ? 0L : items.getFirst();
    for (Object item : items) {
      boolean isAlike = item.getClass() == first.getClass();
      if (!isAlike || !(item instanceof Long || item instanceof State || item instanceof String)) {
        throw unexpected("a list of numbers, of texts or of states");
      }
    }
    return first instanceof Long
        ? items.stream().mapToLong(Long.class::cast).toArray()
        : List.copyOf(items);
  }

  private Object value() {
    skipSpace();
    if (at >= text.length()) {
      throw unexpected("a value");
    }
    if (text.charAt(at) == '"') {
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
