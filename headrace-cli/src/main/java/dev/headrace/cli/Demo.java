package dev.headrace.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * A program that shows something, as listed by the jar it comes in.
 *
 * @param id a short name, such as 000-1
 * @param type the class with its main method
 * @param title what it shows
 */
record Demo(String id, String type, String title) {
  /** Lines of id, class and title; {@code #} begins a remark. */
  static final String LIST = "META-INF/headrace/demos";

  /** All demos on the class path, by id. */
  static List<Demo> all() throws IOException {
    ClassLoader loader = Demo.class.getClassLoader();
    List<Demo> demos = new ArrayList<>();
    for (URL list : Collections.list(loader.getResources(LIST))) {
      try (InputStream stream = list.openStream();
          BufferedReader reader =
              new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
        for (String line : reader.lines().map(String::strip).toList()) {
          if (!line.isEmpty() && !line.startsWith("#")) {
            demos.add(parse(line, list));
          }
        }
      }
    }
    demos.sort(Comparator.comparing(Demo::id));
    return demos;
  }

  private static Demo parse(String line, URL list) throws IOException {
    String[] parts = line.split("\\s+", 3);
    if (parts.length < 3) {
      throw new IOException(
          "%s: expected an id, a class and a title, but got '%s'".formatted(list, line));
    }
    return new Demo(parts[0], parts[1], parts[2]);
  }
}
