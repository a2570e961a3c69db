package dev.headrace.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/reference/operators.md} is made of the operators' records, their Javadoc and the verbs of
 * {@code Dataset} that make them. With {@code -Dheadrace.docs.write=true} it is written anew.
 */
class OperatorsPageTest {
  private static final Path MAIN = Path.of("src/main/java/dev/headrace");
  private static final Path PAGE = Path.of("../docs/reference/operators.md");

  private static final Pattern RECORD =
      Pattern.compile(
          "/\\*\\*((?:(?!\\*/).)*)\\*/\\s+public record"
              + " (\\w+)Op\\(((?:(?!\\)\\s+implements).)*)\\)",
          Pattern.DOTALL);
  private static final Pattern VERB =
      Pattern.compile(
          "\n  /\\*\\*((?:(?!\\*/).)*)\\*/\n(?:  @[^\n]*\n)*  public ([^;{]*)\\{\n(.*?)\n  }",
          Pattern.DOTALL);
  private static final Pattern MADE = Pattern.compile("(\\w+)Op(?:\\.of)?\\(");
  private static final Pattern PARAMETER =
      Pattern.compile("@param (\\w+) ((?:(?!@param).)*)", Pattern.DOTALL);

  private record Part(String type, String name, boolean isKnob) {}

  @Test
  void isWhatTheSourcesSay() throws IOException {
    String page = page();
    if (Boolean.getBoolean("headrace.docs.write")) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.readString(PAGE))
        .as(
            "write it with: mvn -pl headrace-core test -Dtest=OperatorsPageTest"
                + " -Dheadrace.docs.write=true")
        .isEqualTo(page);
  }

  private static String page() throws IOException {
    Map<String, List<String>> verbs = verbs();
    Map<String, String> sources = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    Map<String, String> others = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    try (Stream<Path> files = Files.list(MAIN.resolve("op"))) {
      for (Path file : files.filter(f -> f.toString().endsWith("Op.java")).toList()) {
        String source = Files.readString(file);
        Matcher record = RECORD.matcher(source);
        assertThat(record.find()).as("a public record with Javadoc in %s", file).isTrue();
        String name = record.group(2);
        List<Part> parts = parts(record.group(3));
        boolean isSource =
            parts.stream().noneMatch(p -> p.type.equals("Op") || p.type.equals("List<Op>"));
        (isSource ? sources : others)
            .put(
                name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1),
                section(record.group(1), parts, verbs.getOrDefault(name, List.of()), source));
      }
    }
    StringBuilder page = new StringBuilder("# Operators\n\n");
    page.append(
        "Made from the operators' records and their Javadoc; do not edit. A *knob* changes neither"
            + " elements nor order.\n\n"
            + "Porting from tf.data? See [porting from tf.data](../guides/porting-from-tfdata.md).\n");
    page.append("\n## Sources\n");
    sources.forEach((word, text) -> page.append("\n### ").append(word).append("\n\n").append(text));
    page.append("\n## Transformations\n");
    others.forEach((word, text) -> page.append("\n### ").append(word).append("\n\n").append(text));
    return page.toString();
  }

  /** Signatures of the façade by the operator they make. */
  private static Map<String, List<String>> verbs() throws IOException {
    Map<String, List<String>> byWord = new TreeMap<>();
    Map<String, String> wordOf = new TreeMap<>();
    Matcher verb = VERB.matcher(Files.readString(MAIN.resolve("Dataset.java")));
    while (verb.find()) {
      String signature =
          verb.group(2).replaceAll("\\s+", " ").replace("( ", "(").replace("static ", "").strip();
      String word = signature.substring(0, signature.indexOf('(')).replaceAll(".* ", "");
      byWord.computeIfAbsent(word, name -> new ArrayList<>()).add(signature);
      Matcher made = MADE.matcher(verb.group(3));
      if (made.find()) {
        wordOf.putIfAbsent(made.group(1), word);
      }
    }
    Map<String, List<String>> verbs = new TreeMap<>(); // overloads that lead to others included
    wordOf.forEach((op, word) -> verbs.put(op, byWord.getOrDefault(word, List.of())));
    return verbs;
  }

  private static List<Part> parts(String header) {
    List<Part> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    int depth = 0;
    for (char c : (header + ",").toCharArray()) {
      depth += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (c == ',' && depth == 0) {
        String text = part.toString().replaceAll("\\s+", " ").strip();
        boolean isKnob = text.contains("@Knob");
        text = text.replaceAll("@\\w+(\\([^)]*\\))? ?", "").strip();
        int space = text.lastIndexOf(' ');
        if (space > 0) {
          parts.add(new Part(text.substring(0, space), text.substring(space + 1), isKnob));
        }
        part.setLength(0);
      } else {
        part.append(c);
      }
    }
    return parts;
  }

  private static String section(
      String javadoc, List<Part> parts, List<String> verbs, String source) {
    String doc = javadoc.replaceAll("\n\\s*\\* ?", "\n").strip();
    int at = doc.indexOf("@param");
    Map<String, String> parameters = new TreeMap<>();
    Matcher parameter = PARAMETER.matcher(at < 0 ? "" : doc.substring(at));
    while (parameter.find()) {
      parameters.put(parameter.group(1), oneLine(parameter.group(2)));
    }
    StringBuilder text = new StringBuilder(markdown(at < 0 ? doc : doc.substring(0, at)));
    text.append("\n");
    if (!verbs.isEmpty()) {
      text.append("\n```java\n");
      verbs.forEach(verb -> text.append(verb).append('\n'));
      text.append("```\n");
    }
    StringBuilder table = new StringBuilder();
    for (Part part : parts) {
      boolean shown = !List.of("Op", "List<Op>", "Site").contains(part.type);
      if (shown) {
        table.append(
            "| `%s` | `%s` | %s |\n"
                .formatted(
                    part.name,
                    part.type,
                    (part.isKnob ? "knob; " : "") + parameters.getOrDefault(part.name, "")));
      }
    }
    if (!table.isEmpty()) {
      text.append("\n| parameter | type | |\n|---|---|---|\n").append(table);
    }
    String how =
        source.contains("Checkpointing.NONE")
            ? "none, unless it is declared repeatable"
            : source.contains("Checkpointing.VALUE")
                ? "carries data"
                : source.contains("Checkpointing.REPLAY") ? "reads again" : "a position";
    text.append("\nCheckpoint: ").append(how).append(".\n");
    return text.toString();
  }

  private static String oneLine(String javadoc) {
    return markdown(javadoc).replaceAll("\\s+", " ").strip();
  }

  private static String markdown(String javadoc) {
    return javadoc
        .replaceAll("\\{@code\\s+([^}]*)}", "`$1`")
        .replaceAll("\\{@link(?:plain)?\\s+[^}\\s]*\\s+([^}]*)}", "$1")
        .replaceAll("\\{@link\\s+(?:\\w+)?#(\\w+)[^}]*}", "`$1`")
        .replaceAll("\\{@link\\s+([\\w.]+)}", "`$1`")
        .replaceAll("<p>", "")
        .replaceAll("</?(ul|b|i|em|pre)>", "")
        .replaceAll("\\s*<li>", "\n- ")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .strip();
  }
}
