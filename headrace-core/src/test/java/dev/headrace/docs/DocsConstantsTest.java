package dev.headrace.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Numbers that pages name are those of the code: a constant is read off its source, and put into
 * the words in which the page has it.
 */
class DocsConstantsTest {
  private static final Path MAIN = Path.of("src/main/java/dev/headrace");
  private static final Path DOCS = Path.of("../docs");

  @ParameterizedTest(name = "{0}: {2}.{3}")
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      textBlock =
          """
          inside/architecture.md; every # ms in the first;           runtime/Governor;         FIRST_TICK_NS
          inside/architecture.md; in the first # ms after;           runtime/Governor;         FIRST_FOR_NS
          inside/architecture.md; then every # ms until a second;    runtime/Governor;         FAST_TICK_NS
          inside/architecture.md; then every # ms, and every;        runtime/Governor;         SLOW_TICK_NS
          inside/architecture.md; and every # ms when nothing;       runtime/Governor;         CALM_TICK_NS
          inside/architecture.md; has changed for # s;               runtime/Governor;         CALM_AFTER_NS
          inside/architecture.md; cores · (1 + # (1 − c) / c);       runtime/WorkerRule;       SLACK
          inside/autotune.md;     cores · (1 + # (1 − c) / c);       runtime/WorkerRule;       SLACK
          inside/architecture.md; if *c* is # or more;               runtime/WorkerRule;       COMPUTING
          inside/architecture.md; 2 at first, 3 with functions, up to #; op/DeviceRing;        LONGEST
          inside/architecture.md; # at first, 3 with functions;      op/PrefetchToDeviceOp;    DOUBLE_BUFFER
          inside/architecture.md; "2 at first, # with functions";    op/PrefetchToDeviceOp;    TRIPLE_BUFFER
          guides/devices.md;      begins with # (3 with functions);  op/PrefetchToDeviceOp;    DOUBLE_BUFFER
          guides/devices.md;      up to # and an eighth;             op/DeviceRing;            LONGEST
          guides/errors.md;       the first # always pass;           spi/ErrorBudget;          LEAST_OF_SHARE
          guides/tabular.md;      from the first # rows;             data/Csv;                 ROWS_TO_INFER_FROM
          guides/mixing-and-packing.md; Up to # rows are open;       Dataset;                  PACKING_BINS
          guides/epochs-and-batches.md; At most # operators may;     spi/PlanDepth;            MOST
          """)
  void numbersAreThoseOfTheCode(String page, String words, String source, String constant)
      throws IOException {
    String expected = words.replace("#", value(source, constant));
    assertThat(Files.readString(DOCS.resolve(page)).replaceAll("\\s+", " ")).contains(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "inside/architecture.md, under about 500 µs, runtime/ChunkPacer, TARGET_NS = 500_000",
    "inside/autotune.md, half a millisecond, runtime/ChunkPacer, TARGET_NS = 500_000",
    "guides/parallelism.md, up to nine times the cores, runtime/WorkerRule, SLACK = 8;",
    "inside/architecture.md, at least half as many, runtime/CrewWatch, before >="
        + " settings.threadLimit() / 2",
    "inside/architecture.md, three quarters of the blocked, runtime/Looks, parked >= 0.75 *"
        + " blocked",
    "inside/architecture.md, did 10 % more, tune/Growth, HELPED = 1.1;",
    "inside/autotune.md, did 10 % more, tune/Growth, HELPED = 1.1;",
    "inside/autotune.md, at least 15 % more, runtime/VirtualWatch, HELPED = 1.15;",
    "inside/autotune.md, above 8 % they are given, tune/Tuner, WORTH_IT = 1.08;",
    "inside/autotune.md, Below 3 % they go, tune/Tuner, HELPED = 1.03;",
    "guides/parallelism.md, can win 2 %, tune/Standstill, WORTH_IT = 0.02;"
  })
  void wordsAreThoseOfTheCode(String page, String words, String source, String code)
      throws IOException {
    assertThat(Files.readString(MAIN.resolve(source + ".java"))).contains(code);
    assertThat(Files.readString(DOCS.resolve(page)).replaceAll("\\s+", " ")).contains(words);
  }

  /** The number in a constant's initialiser, without a unit around it. */
  private static String value(String source, String constant) throws IOException {
    Matcher initialiser =
        Pattern.compile("\\b" + constant + "\\s*=\\s*(?:TimeUnit\\.\\w+\\.toNanos\\()?([\\d_.]+)")
            .matcher(Files.readString(MAIN.resolve(source + ".java")));
    assertThat(initialiser.find()).as("%s in %s", constant, source).isTrue();
    return initialiser.group(1).replace("_", "");
  }
}
