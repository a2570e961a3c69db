package dev.headrace.text;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Names in files and names in programs: {@code petal_length} stands for {@code petalLength}. */
final class Names {
  private Names() {}

  /** Refuses names that could not be told apart if another one stands for them. */
  static void checkDiffer(List<String> names, String type) {
    Map<String, String> known = new HashMap<>();
    for (String name : names) {
      String other = known.put(plain(name), name);
      if (other != null) {
        throw new IllegalArgumentException(
            "Json.parser: expected components of %s that differ in more than case and underscores, but got '%s' and '%s'; rename one"
                .formatted(type, other, name));
      }
    }
  }

  /**
   * What a map has under a name; where it has nothing, under one that stands for it.
   *
   * @throws IllegalArgumentException if several stand for it
   */
  static @Nullable Object find(Map<?, ?> map, String name) {
    Object value = map.get(name);
    if (value != null) {
      return value;
    }
    String wanted = plain(name);
    String found = null;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (entry.getKey() instanceof String key && plain(key).equals(wanted)) {
        if (found != null) {
          throw new IllegalArgumentException(
              "json: expected one member for '%s', but got '%s' and '%s'"
                  .formatted(name, found, key));
        }
        found = key;
        value = entry.getValue();
      }
    }
    return value;
  }

  private static String plain(String name) {
    StringBuilder plain = new StringBuilder();
    name.toLowerCase(Locale.ROOT)
        .chars()
        .filter(Character::isLetterOrDigit)
        .forEach(plain::appendCodePoint);
    return plain.toString();
  }
}
