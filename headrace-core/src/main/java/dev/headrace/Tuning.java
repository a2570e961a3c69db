package dev.headrace;

import dev.headrace.data.PartialFile;
import dev.headrace.tune.Tuned;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the tuner has found good for a pipeline: threads and buffers of each operator that it may
 * choose for. Another run of the same plan can start from it, or keep to it.
 */
public final class Tuning {
  private static final String FIRST = "headrace tuning 1";
  private static final String PLAN = "plan ";
  private static final int MOST_LINES = 10_000;
  private static final int MOST = 1 << 20;
  private static final Pattern LINE =
      Pattern.compile(
          "([0-9]+(?:\\.[0-9]+)*) (\\S+) threads=(yes|no) workers=([0-9]{1,7})"
              + " kind=(platform|virtual) buffer=([0-9]{1,7})");

  private final String fingerprint;
  private final Map<String, Found> found;

  /** What was found for one operator. */
  private record Found(String word, Tuned tuned) {}

  private Tuning(String fingerprint, Map<String, Found> found) {
    this.fingerprint = fingerprint;
    this.found = Collections.unmodifiableMap(new LinkedHashMap<>(found));
  }

  static Tuning of(String fingerprint, Map<String, Tuned> tuned, Map<String, String> words) {
    Map<String, Found> found = new LinkedHashMap<>();
    tuned.forEach(
        (key, value) -> {
          if (!value.equals(Tuned.UNKNOWN)) {
            found.put(key, new Found(words.getOrDefault(key, "?"), value));
          }
        });
    return new Tuning(fingerprint, found);
  }

  /** Which plan it is for: {@link Dataset#fingerprint()}. */
  public String fingerprint() {
    return fingerprint;
  }

  /** For each place of the plan that ran. */
  Map<String, Tuned> values() {
    Map<String, Tuned> values = new LinkedHashMap<>();
    found.forEach((key, one) -> values.put(key, one.tuned));
    return values;
  }

  /** As text that {@link #parse} reads, one operator a line. */
  public String text() {
    StringBuilder text = new StringBuilder(FIRST + "\n" + PLAN + fingerprint + "\n");
    found.forEach(
        (key, one) ->
            text.append(key)
                .append(' ')
                .append(one.word)
                .append(" threads=")
                .append(one.tuned.isEngaged() ? "yes" : "no")
                .append(" workers=")
                .append(one.tuned.workers())
                .append(" kind=")
                .append(one.tuned.onVirtualThreads() ? "virtual" : "platform")
                .append(" buffer=")
                .append(one.tuned.buffer())
                .append('\n'));
    return text.toString();
  }

  /**
   * Reads what {@link #text} wrote.
   *
   * @throws IllegalArgumentException with the line that is not as expected
   */
  public static Tuning parse(String text) {
    String[] lines = text.split("\n", -1);
    if (!lines[0].equals(FIRST) || lines.length < 2 || !lines[1].startsWith(PLAN)) {
      throw new IllegalArgumentException(
          "tuning: expected '%s' and the plan in the first two lines, but got '%s'"
              .formatted(FIRST, shortened(lines[0])));
    }
    Map<String, Found> found = new LinkedHashMap<>();
    for (int i = 2; i < Math.min(lines.length, MOST_LINES); i++) {
      if (lines[i].isEmpty()) {
        continue;
      }
      Matcher line = LINE.matcher(lines[i]);
      if (!line.matches()) {
        throw new IllegalArgumentException(
            "tuning: expected line %d to be like '0.1 map threads=yes workers=8 kind=platform buffer=0', but got '%s'"
                .formatted(i + 1, shortened(lines[i])));
      }
      found.put(
          line.group(1),
          new Found(
              line.group(2),
              new Tuned(
                  line.group(3).equals("yes"),
                  Math.min(MOST, Integer.parseInt(line.group(4))),
                  line.group(5).equals("virtual"),
                  Math.min(MOST, Integer.parseInt(line.group(6))))));
    }
    return new Tuning(lines[1].substring(PLAN.length()), found);
  }

  private static String shortened(String line) {
    return line.length() <= 60 ? line : line.substring(0, 60) + "…";
  }

  /** Writes it to a file, whole or not at all. */
  public void save(Path file) throws IOException {
    PartialFile.write(file, text().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Reads it from a file.
   *
   * @throws IllegalArgumentException with the line that is not as expected, or the file's size
   */
  public static Tuning load(Path file) throws IOException {
    long size = Files.size(file);
    if (size > MOST) {
      throw new IllegalArgumentException(
          "tuning: expected %s to have at most %,d bytes, but it has %,d; it is none that was saved by a pipeline"
              .formatted(file, MOST, size));
    }
    return parse(Files.readString(file));
  }

  @Override
  public String toString() {
    return text();
  }
}
