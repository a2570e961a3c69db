package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.junit.jupiter.api.Test;

/** {@code docs/reference/events.md} names all events, their fields, and all loggers. */
class EventsPageTest {
  private static final Path PAGE = Path.of("../docs/reference/events.md");
  private static final Pattern LOGGER =
      Pattern.compile("Log\\s*\\.named\\(\\s*\"(headrace\\.\\w+)\"");
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  @Test
  void namesEveryEventWithItsFields() throws IOException {
    Map<String, List<String>> events = new TreeMap<>();
    for (Class<?> type : Events.class.getDeclaredClasses()) {
      if (Event.class.isAssignableFrom(type)) {
        events.put(
            type.getAnnotation(Name.class).value(),
            Arrays.stream(type.getDeclaredFields())
                .filter(field -> field.isAnnotationPresent(Label.class))
                .map(Field::getName)
                .toList());
      }
    }
    assertThat(events).isNotEmpty();
    assertThat(rows("## Flight Recorder")).isEqualTo(events);
  }

  @Test
  void namesEveryLogger() throws IOException {
    Set<String> loggers = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Path.of(".."))) {
      for (Path file : files.filter(f -> f.toString().matches(".*/src/main/.*\\.java")).toList()) {
        LOGGER
            .matcher(Files.readString(file))
            .results()
            .forEach(found -> loggers.add(found.group(1)));
      }
    }
    assertThat(loggers).contains("headrace.engine");
    Set<String> named = new TreeSet<>();
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("| `headrace.") && !line.matches("\\| `headrace\\.[A-Z].*")) {
        QUOTED
            .matcher(line.substring(0, line.indexOf('|', 1)))
            .results()
            .forEach(found -> named.add(found.group(1)));
      }
    }
    assertThat(named).isEqualTo(loggers);
  }

  /** The first cell of each row of a section's table, and what is quoted in its last one. */
  private static Map<String, List<String>> rows(String heading) throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf(heading);
    String section = page.substring(from, page.indexOf("\n## ", from + 1));
    Map<String, List<String>> rows = new TreeMap<>();
    for (String line : section.lines().filter(each -> each.startsWith("| `")).toList()) {
      String[] cells = line.substring(1).split("\\|");
      Matcher fields = QUOTED.matcher(cells[2]);
      rows.put(
          cells[0].strip().replace("`", ""),
          fields.results().map(found -> found.group(1)).toList());
    }
    return rows;
  }
}
