package dev.headrace.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/reference/operators.md} is made of the verbs of {@code Dataset}, the operators they
 * make, and their Javadoc. With {@code -Dheadrace.docs.write=true} it is written again.
 */
class OperatorsPageTest {
  private static final Path MAIN = Path.of("src/main/java/dev/headrace");
  private static final Path PAGE = Path.of("../docs/reference/operators.md");

  private static final Pattern RECORD =
      Pattern.compile(
          "/\\*\\*((?:(?!\\*/).)*)\\*/\\s+public record"
              + " (\\w+)Op\\(((?:(?!\\)\\s+implements).)*)\\)",
          Pattern.DOTALL);
  private static final Pattern METHOD =
      Pattern.compile(
          "\n(?:  /\\*\\*((?:(?!\\*/).)*)\\*/\n)?(?:  @[^\n]*\n)*"
              + "  (public|private) ([^;{=]*\\([^;{]*)\\{\n(.*?)\n  }",
          Pattern.DOTALL);
  private static final Pattern MADE = Pattern.compile("\\b(\\w+)Op(?:\\.of)?\\(");
  private static final Pattern CALLED = Pattern.compile("(?<![\\w.])(\\w+)\\(|\\)\\s*\\.(\\w+)\\(");
  private static final Pattern PARAMETER =
      Pattern.compile("@param (\\w+) ((?:(?!@param).)*)", Pattern.DOTALL);

  private record Part(String type, String name, boolean isKnob) {}

  /** An operator: its Javadoc, its parameters, and how it is resumed. */
  private record Operator(String doc, List<Part> parts, String checkpoint) {
    boolean isSource() {
      return parts.stream().noneMatch(p -> p.type.equals("Op") || p.type.equals("List<Op>"));
    }
  }

  /** A method of {@code Dataset}. */
  private record Method(boolean isPublic, String name, String signature, String doc, String body) {
    boolean givesDataset() {
      return signature.matches("(?:<.*?> )?(?:final )?Dataset<.*");
    }
  }

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

  @Test
  void hasEveryMethodOfDataset() throws IOException {
    String page = Files.readString(PAGE);
    for (java.lang.reflect.Method method : Dataset.class.getDeclaredMethods()) {
      boolean isOfObject = List.of("toString", "op").contains(method.getName());
      if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic() && !isOfObject) {
        assertThat(page).containsPattern("[ `]" + method.getName() + "\\(");
      }
    }
    assertThat(page).contains("### fromList\n", "### snapshot\n", "### paddedBatch\n");
  }

  private static String page() throws IOException {
    Map<String, Operator> operators = operators();
    List<Method> methods = methods();
    Map<String, List<String>> made = made(methods);
    Map<String, String> sources = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    Map<String, String> others = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    StringBuilder declarations = new StringBuilder();
    StringBuilder running = new StringBuilder();
    Map<String, List<Method>> verbs = new LinkedHashMap<>();
    for (Method method : methods) {
      if (method.isPublic) {
        boolean makes = method.givesDataset() && !madeBy(method, made).isEmpty();
        if (makes) {
          verbs.computeIfAbsent(method.name, name -> new ArrayList<>()).add(method);
        } else if (!method.doc.isEmpty() && !List.of("toString", "op").contains(method.name)) {
          (method.givesDataset() || method.signature.contains(" Fn<") ? declarations : running)
              .append("| `%s` | %s |\n".formatted(method.signature, first(method.doc)));
        }
      }
    }
    Set<String> used = new TreeSet<>();
    verbs.forEach(
        (verb, overloads) -> {
          List<String> ops = new ArrayList<>();
          overloads.forEach(each -> madeBy(each, made).forEach(ops::add));
          String home = ops.contains(verb) ? verb : ops.getFirst();
          boolean isSource = ops.stream().anyMatch(op -> get(operators, op).isSource());
          used.add(home);
          List<Operator> alone = new ArrayList<>(); // behind this verb, and not one of their own
          for (String op : new TreeSet<>(ops)) {
            if (!op.equals(home) && !verbs.containsKey(op) && used.add(op)) {
              alone.add(get(operators, op));
            }
          }
          (isSource ? sources : others)
              .put(verb, section(verb, overloads, home, get(operators, home), alone));
        });
    StringBuilder page = new StringBuilder("# Operators\n\n");
    page.append(
        "Made from the methods of `Dataset`, the operators behind them and their Javadoc; do not"
            + " edit. A *knob* changes neither elements nor order.\n\n"
            + "Porting from tf.data? See [porting from"
            + " tf.data](../guides/porting-from-tfdata.md).\n\n");
    page.append("**Sources:** ").append(links(sources.keySet())).append("\n\n");
    page.append("**Transformations:** ").append(links(others.keySet())).append("\n\n");
    page.append(
        "**More:** [declarations and options](#declarations-and-options) · [running and"
            + " looking](#running-and-looking) · [what the optimizer"
            + " adds](#what-the-optimizer-adds)\n");
    page.append("\n## Sources\n");
    sources.forEach((word, text) -> page.append("\n### ").append(word).append("\n\n").append(text));
    page.append("\n## Transformations\n");
    others.forEach((word, text) -> page.append("\n### ").append(word).append("\n\n").append(text));
    page.append("\n## Declarations and options\n\n| method | |\n|---|---|\n");
    page.append(declarations);
    page.append("\n## Running and looking\n\n| method | |\n|---|---|\n").append(running);
    page.append("\n## What the optimizer adds\n\nPrograms do not write these.\n");
    operators.forEach(
        (word, operator) -> {
          if (!used.contains(word)) {
            page.append("\n### ").append(word).append("\n\n").append(withoutTags(operator.doc));
            page.append("\n\nCheckpoint: ").append(operator.checkpoint).append(".\n");
          }
        });
    return page.toString();
  }

  private static Operator get(Map<String, Operator> operators, String word) {
    return Objects.requireNonNull(operators.get(word), word);
  }

  private static String links(Set<String> words) {
    return words.stream()
        .map(word -> "[%s](#%s)".formatted(word, word.toLowerCase(Locale.ROOT)))
        .collect(Collectors.joining(" · "));
  }

  private static Map<String, Operator> operators() throws IOException {
    Map<String, Operator> operators = new TreeMap<>();
    try (Stream<Path> files = Files.list(MAIN.resolve("op"))) {
      for (Path file : files.filter(f -> f.toString().endsWith("Op.java")).toList()) {
        String source = Files.readString(file);
        Matcher record = RECORD.matcher(source);
        assertThat(record.find()).as("a public record with Javadoc in %s", file).isTrue();
        String checkpoint =
            source.contains("Checkpointing.NONE")
                ? "none, unless it is declared repeatable"
                : source.contains("Checkpointing.VALUE")
                    ? "carries data"
                    : source.contains("Checkpointing.REPLAY") ? "reads again" : "a position";
        operators.put(
            word(record.group(2)),
            new Operator(text(record.group(1)), parts(record.group(3)), checkpoint));
      }
    }
    return operators;
  }

  private static String word(String name) {
    return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
  }

  private static List<Method> methods() throws IOException {
    List<Method> methods = new ArrayList<>();
    String facade = Files.readString(MAIN.resolve("Dataset.java"));
    Matcher method = METHOD.matcher(facade.substring(0, facade.indexOf("// ---- inside")));
    while (method.find()) {
      String signature =
          method.group(3).replaceAll("\\s+", " ").replace("( ", "(").replace("static ", "").strip();
      String doc = text(Objects.requireNonNullElse(method.group(1), ""));
      methods.add(
          new Method(
              method.group(2).equals("public"),
              signature.substring(0, signature.indexOf('(')).replaceAll(".* ", ""),
              signature,
              doc,
              method.group(4)));
    }
    assertThat(methods).hasSizeGreaterThan(100);
    return methods;
  }

  /** The operators that methods of a name make, by themselves or by others that they call. */
  private static Map<String, List<String>> made(List<Method> methods) {
    Map<String, List<String>> made = new TreeMap<>();
    for (int round = 0; round < 4; round++) { // calls are never deeper
      for (Method method : methods) {
        List<String> of = made.computeIfAbsent(method.name, name -> new ArrayList<>());
        madeBy(method, made).stream().filter(op -> !of.contains(op)).forEach(of::add);
      }
    }
    return made;
  }

  private static List<String> madeBy(Method method, Map<String, List<String>> made) {
    List<String> ops = new ArrayList<>();
    MADE.matcher(method.body).results().forEach(found -> ops.add(word(found.group(1))));
    if (ops.isEmpty()) {
      CALLED
          .matcher(method.body)
          .results()
          .map(found -> found.group(1) == null ? found.group(2) : found.group(1))
          .filter(name -> !List.of("of", "with", "apply").contains(name))
          .forEach(name -> ops.addAll(made.getOrDefault(name, List.of())));
    }
    return ops;
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
      String verb, List<Method> overloads, String home, Operator operator, List<Operator> alone) {
    StringBuilder text = new StringBuilder();
    String own = withoutTags(overloads.getFirst().doc);
    if (verb.equals(home)) {
      text.append(withoutTags(operator.doc));
      int more = own.indexOf("\n\n");
      text.append(more < 0 ? "" : own.substring(more));
    } else {
      text.append(own);
    }
    for (Operator other : alone) {
      text.append("\n\n").append(withoutTags(other.doc));
    }
    text.append("\n\n```java\n");
    overloads.forEach(each -> text.append(each.signature).append('\n'));
    text.append("```\n");
    if (verb.equals(home)) {
      text.append(table(operator));
    }
    for (Operator other : alone) {
      text.append(table(other));
    }
    boolean isRepeatable = verb.startsWith("repeatable");
    Set<String> checkpoints =
        new LinkedHashSet<>(List.of(isRepeatable ? "reads again" : operator.checkpoint));
    alone.forEach(other -> checkpoints.add(other.checkpoint));
    text.append("\nCheckpoint: ").append(String.join("; ", checkpoints)).append(".\n");
    return text.toString();
  }

  private static String table(Operator operator) {
    Map<String, String> parameters = new TreeMap<>();
    Matcher parameter = PARAMETER.matcher(operator.doc);
    while (parameter.find()) {
      parameters.put(parameter.group(1), oneLine(parameter.group(2)));
    }
    StringBuilder table = new StringBuilder();
    for (Part part : operator.parts) {
      boolean isInside = part.type.matches("Op|List<Op>|Site|Fn<Op, .*");
      if (!isInside) {
        String knob = part.isKnob ? "knob" : "";
        String what = parameters.getOrDefault(part.name, "");
        table.append(
            "| `%s` | `%s` | %s |\n"
                .formatted(
                    part.name,
                    part.type,
                    knob + (knob.isEmpty() || what.isEmpty() ? "" : "; ") + what));
      }
    }
    return table.isEmpty() ? "" : "\n| parameter | type | |\n|---|---|---|\n" + table;
  }

  private static String text(String javadoc) {
    return javadoc.replaceAll("\n\\s*\\* ?", "\n").strip();
  }

  private static String withoutTags(String doc) {
    Matcher tag = Pattern.compile("(?:^|\n)@\\w").matcher(doc);
    return markdown(tag.find() ? doc.substring(0, tag.start()) : doc);
  }

  private static String first(String doc) {
    String text = withoutTags(doc).replaceAll("\\s+", " ");
    int end = text.indexOf(". ");
    return (end < 0 ? text : text.substring(0, end + 1)).replace("|", "\\\\|");
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
