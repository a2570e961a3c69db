package dev.headrace.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.data.Indexed;
import dev.headrace.data.Padded;
import dev.headrace.data.Pair;
import dev.headrace.data.Ragged;
import dev.headrace.data.Sparse;
import dev.headrace.spi.Packed;
import dev.headrace.spi.Resampled;
import dev.headrace.spi.Scanned;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Pages that name records with their components, or methods of the façade, name those there are.
 */
class DocsRecordsTest {
  private static final Path DOCS = Path.of("../docs");
  private static final Map<String, Class<?>> RECORDS =
      Stream.of(
              Indexed.class,
              Padded.class,
              Pair.class,
              Ragged.class,
              Sparse.class,
              Packed.class,
              Resampled.class,
              Scanned.class)
          .collect(Collectors.toMap(Class::getSimpleName, Function.identity()));

  /** Of other types than the façade, or Python's. */
  private static final Set<String> ELSEWHERE = Set.of("iterator", "at", "parser", "gpu", "decode");

  @Test
  void recordsHaveTheComponentsThatPagesName() throws IOException {
    Pattern named = Pattern.compile("`(\\w+)\\((\\w+(?:, \\w+)*)\\)`");
    int found = 0;
    for (Path page : pages()) {
      Matcher record = named.matcher(Files.readString(page));
      while (record.find()) {
        Class<?> type = RECORDS.get(record.group(1));
        if (type != null) {
          found++;
          assertThat(List.of(record.group(2).split(", ")))
              .as("%s in %s", record.group(), page)
              .isEqualTo(
                  Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList());
        }
      }
    }
    assertThat(found).isGreaterThan(5);
  }

  @Test
  void methodsBesideThoseOfTfDataExist() throws IOException {
    Set<String> methods =
        Stream.of(Dataset.class, Pipeline.class, Options.class)
            .flatMap(type -> Arrays.stream(type.getMethods()))
            .map(Method::getName)
            .collect(Collectors.toSet());
    methods.addAll(ELSEWHERE);
    String page = Files.readString(DOCS.resolve("guides/porting-from-tfdata.md"));
    int from = page.indexOf("## Methods of tf.data.Dataset");
    String table = page.substring(from, page.indexOf("\n## ", from + 1));
    List<String> rows = table.lines().filter(line -> line.startsWith("| `")).toList();
    assertThat(rows).hasSizeGreaterThan(40);
    for (String row : rows) {
      String ours = row.split("\\|")[2];
      Matcher method = Pattern.compile("(?<![\\w])([a-z]\\w*)\\(").matcher(ours);
      while (method.find()) {
        assertThat(methods).as(row).contains(method.group(1));
      }
    }
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(DOCS)) {
      return files.filter(file -> file.toString().endsWith(".md")).toList();
    }
  }
}
