package dev.headrace.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Values as JSON on one line: maps, lists, texts, numbers and booleans. */
final class JsonText {
  private JsonText() {}

  /** What is JSON already. */
  record Written(String json) {}

  static String of(Object value) {
    return switch (value) {
      case Written(String json) -> json;
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(entry -> quoted(String.valueOf(entry.getKey())) + ":" + of(entry.getValue()))
              .collect(Collectors.joining(",", "{", "}"));
      case List<?> list ->
          list.stream().map(JsonText::of).collect(Collectors.joining(",", "[", "]"));
      case Number number -> number.toString();
      case Boolean flag -> flag.toString();
      default -> quoted(value.toString());
    };
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append("\\u%04x".formatted((int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
