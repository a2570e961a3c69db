package dev.headrace.runtime;

import dev.headrace.data.Plural;
import dev.headrace.spi.Draws;
import dev.headrace.spi.State;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints as JSON with a sum at the end. What is read is treated as hostile: depth and length
 * are bounded, and everything that is not expected is an error that says where.
 */
public final class CheckpointText {
  private static final int VERSION = 1;
  private static final String SUM = "\nsum ";

  private CheckpointText() {}

  /**
   * What a checkpoint says.
   *
   * @param drawn as {@link Draws#toNumbers}
   */
  public record Content(
      long epoch, List<String> structure, List<String> functions, long[] drawn, State state) {}

  public static String write(Content content) {
    StringBuilder out = new StringBuilder();
    out.append("{\"headrace\": \"checkpoint\", \"version\": ").append(VERSION);
    out.append(",\n \"epoch\": ").append(content.epoch);
    out.append(",\n \"plan\": ");
    writeTexts(content.structure, out);
    out.append(",\n \"functions\": ");
    writeTexts(content.functions, out);
    if (content.drawn.length > 0) {
      out.append(",\n \"drawn\": ");
      writeValue(content.drawn, out);
    }
    out.append(",\n \"state\": ");
    writeState(content.state, out);
    out.append('}');
    String body = out.toString();
    return body + SUM + sumOf(body) + "\n";
  }

  public static Content read(String text) {
    int at = text.lastIndexOf(SUM);
    if (!text.startsWith("{\"headrace\"")) {
      throw new IllegalArgumentException(
          "checkpoint: expected a text that starts with {\"headrace\", but got "
              + (text.isEmpty()
                  ? "nothing"
                  : "'" + text.substring(0, Math.min(20, text.length())) + "…'"));
    }
    if (at < 0 || !text.endsWith("\n")) {
      throw new IllegalArgumentException(
          "checkpoint: expected a sum in the last line, but it is missing; the file was cut off"
              + " after "
              + text.length()
              + " "
              + Plural.word(text.length(), "character"));
    }
    String body = text.substring(0, at);
    String sum = text.substring(at + SUM.length()).strip();
    if (!sum.equals(sumOf(body))) {
      throw new IllegalArgumentException(
          "checkpoint: expected the sum %s, but got %s; the file is damaged"
              .formatted(sumOf(body), sum));
    }
    Map<String, Object> fields = new JsonReader(body).readObject();
    Object version = fields.get("version");
    if (!Long.valueOf(VERSION).equals(version)) {
      throw new IllegalArgumentException(
          "checkpoint: expected version %d, but got %s; it was written by another version of Headrace"
              .formatted(VERSION, version));
    }
    if (!(fields.get("epoch") instanceof Long epoch)
        || epoch < 0
        || !(fields.get("state") instanceof State state)) {
      throw new IllegalArgumentException("checkpoint: expected an epoch and a state");
    }
    if (!(fields.getOrDefault("drawn", new long[0]) instanceof long[] drawn)
        || !Draws.arePossible(drawn)) {
      throw new IllegalArgumentException(
          "checkpoint: expected the seeds that were drawn, but got other than their numbers");
    }
    return new Content(
        epoch, texts(fields.get("plan")), texts(fields.get("functions")), drawn, state);
  }

  private static String sumOf(String body) {
    CRC32C sum = new CRC32C();
    sum.update(body.getBytes(StandardCharsets.UTF_8));
    return String.format(Locale.ROOT, "%08x", sum.getValue());
  }

  private static void writeTexts(List<String> texts, StringBuilder out) {
    out.append('[');
    for (int i = 0; i < texts.size(); i++) {
      out.append(i == 0 ? "\n  " : ",\n  ");
      writeText(texts.get(i), out);
    }
    out.append(']');
  }

  private static void writeState(State state, StringBuilder out) {
    out.append('{');
    String separator = "";
    for (Map.Entry<String, Object> entry : state.resolved().entrySet()) {
      out.append(separator);
      writeText(entry.getKey(), out);
      out.append(": ");
      writeValue(entry.getValue(), out);
      separator = ", ";
    }
    out.append('}');
  }

  private static void writeValue(Object value, StringBuilder out) {
    switch (value) {
      case Long number -> out.append(number);
      case Integer number -> out.append(number);
      case Boolean flag -> out.append(flag);
      case String text -> writeText(text, out);
      case State state -> writeState(state, out);
      case long[] numbers -> {
        out.append('[');
        for (int i = 0; i < numbers.length; i++) {
          out.append(i == 0 ? "" : ",").append(numbers[i]);
        }
        out.append(']');
      }
      case List<?> states -> {
        out.append('[');
        for (int i = 0; i < states.size(); i++) {
          out.append(i == 0 ? "" : ", ");
          writeValue(states.get(i), out);
        }
        out.append(']');
      }
      default ->
          throw new IllegalArgumentException(
              "checkpoint: expected numbers, flags, texts or states, but an operator's state holds "
                  + value.getClass().getName());
    }
  }

  private static void writeText(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  private static List<String> texts(@Nullable Object value) {
    if (value instanceof long[] none && none.length == 0) {
      return List.of(); // the reader takes an empty list for one of numbers
    }
    if (!(value instanceof List<?> list)) {
      throw new IllegalArgumentException("checkpoint: expected a list of texts, but got " + value);
    }
    List<String> texts = new ArrayList<>();
    for (Object item : list) {
      if (!(item instanceof String text)) {
        throw new IllegalArgumentException("checkpoint: expected a text, but got " + item);
      }
      texts.add(text);
    }
    return texts;
  }
}
