package dev.headrace.text;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Names in files and names in programs: {@code petal_length} stands for {@code petalLength}. */
final class Names {
  private Names() {}

  /** What a map has under a name, or under one that stands for it. */
  static @Nullable Object find(Map<?, ?> map, String name) {
    Object value = map.get(name);
    if (value != null) {
      return value;
    }
    String wanted = plain(name);
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (entry.getKey() instanceof String key && plain(key).equals(wanted)) {
        return entry.getValue();
      }
    }
    return null;
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
