package dev.headrace.golden;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/**
 * One recording of what tf.data does, as lines of text that {@link Outcomes} writes too.
 *
 * @param iterations what each iterator over the dataset gave: elements, {@code error}, {@code end}
 */
record GoldenCase(String name, Map<String, Object> fields, List<List<String>> iterations) {

  static List<GoldenCase> all() {
    return all("pipelines.json");
  }

  /** The cases of a recording. */
  static List<GoldenCase> all(String recording) {
    Object cases = fields(Json.read(resource(recording))).get("cases");
    return items(cases).stream().map(GoldenCase::of).toList();
  }

  static String resource(String name) {
    try (InputStream in =
        Objects.requireNonNull(GoldenCase.class.getResourceAsStream("/golden/" + name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether tf.data refused to build the dataset. */
  boolean isRefused() {
    return iterations.equals(List.of(List.of("refused")));
  }

  long cardinality() {
    return Long.parseLong(
        ((Json.Numeral) Objects.requireNonNull(fields.get("cardinality"))).text());
  }

  /** The codes of the errors that an iterator met, in order; one for ever is one. */
  List<String> errorCodes(int iteration) {
    Object all = items(fields.getOrDefault("iterations", List.of())).get(iteration);
    List<String> codes = new ArrayList<>();
    for (Object event : items(all)) {
      if (fields(event).get("error") instanceof Map<?, ?> error) {
        codes.add((String) error.get("code"));
      }
    }
    int kept = (int) iterations.get(iteration).stream().filter(Outcomes.ERROR::equals).count();
    return codes.subList(0, kept);
  }

  /** The code with which the dataset was refused, or the call failed. */
  String errorCode() {
    for (String kind : List.of("error", "cardinality_error")) {
      if (fields.get(kind) instanceof Map<?, ?> error) {
        return (String) error.get("code");
      }
    }
    return "none";
  }

  /** What a recorded call gave, where the case is one; {@code error} where it failed. */
  String output() {
    return fields.containsKey("error")
        ? Outcomes.ERROR
        : items(Objects.requireNonNull(fields.get("outputs"))).stream()
            .map(GoldenCase::tensor)
            .collect(Collectors.joining("; "));
  }

  private static GoldenCase of(Object json) {
    Map<String, Object> fields = fields(json);
    List<List<String>> iterations = new ArrayList<>();
    for (Object iteration : items(fields.getOrDefault("iterations", List.of()))) {
      List<String> events =
          new ArrayList<>(items(iteration).stream().map(GoldenCase::event).toList());
      // Without an end: an error that no later call could pass, however often it was met.
      while (events.size() > 1
          && events.getLast().equals(Outcomes.ERROR)
          && events.get(events.size() - 2).equals(Outcomes.ERROR)) {
        events.removeLast();
      }
      iterations.add(List.copyOf(events));
    }
    return new GoldenCase((String) fields.get("name"), fields, iterations);
  }

  private static String event(Object json) {
    Map<String, Object> event = fields(json);
    if (event.containsKey("element")) {
      return items(event.get("element")).stream()
          .map(GoldenCase::tensor)
          .collect(Collectors.joining("; "));
    }
    if (event.containsKey("make_iterator_error")) {
      return "refused";
    }
    return event.containsKey("error") ? Outcomes.ERROR : Outcomes.END;
  }

  private static String tensor(Object json) {
    Map<String, Object> tensor = fields(json);
    String dtype = (String) tensor.get("dtype");
    StringJoiner values = new StringJoiner(", ", "[", "]");
    for (Object value : items(tensor.get("values"))) {
      values.add(valueText(dtype, value));
    }
    return dtype
        + items(tensor.get("shape")).stream().map(dim -> ((Json.Numeral) dim).text()).toList()
        + " "
        + values;
  }

  private static String valueText(String dtype, Object value) {
    String text = value instanceof Json.Numeral number ? number.text() : value.toString();
    return switch (dtype) {
      case "float" -> Float.toString(Float.parseFloat(text));
      case "double" -> Double.toString(Double.parseDouble(text));
      default -> text;
    };
  }

  @SuppressWarnings("unchecked") // the reader makes no other maps
  static Map<String, Object> fields(Object json) {
    return (Map<String, Object>) json;
  }

  @SuppressWarnings("unchecked") // the reader makes no other lists
  private static List<Object> items(Object json) {
    return (List<Object>) json;
  }

  @Override
  public String toString() {
    return name;
  }
}
