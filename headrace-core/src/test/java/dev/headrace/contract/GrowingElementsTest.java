package dev.headrace.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Elements that grow a thousandfold in the middle of a run, in a small heap of their own. */
@Timeout(300)
class GrowingElementsTest {

  @Test
  void whatIsHeldStaysWithinTheBudget() throws Exception {
    String output = run("-Xmx256m", "budget", "3000");
    Matcher figures = Pattern.compile("held (\\d+) account (\\d+)").matcher(output);
    assertThat(figures.find()).as(output).isTrue();
    // A budget of 30 MB, and one element of each of seven workers that was not known to be large.
    assertThat(Integer.parseInt(figures.group(2))).isBetween(20, 30 + 7);
    assertThat(Integer.parseInt(figures.group(1))).isBetween(20, 30 + 2 * 7);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-Xmx256m", "-Xmx64m"})
  void everythingTunedNeitherRunsOutOfMemoryNorHangs(String heap) throws Exception {
    assertThat(run(heap, "everywhere", "400")).contains("gave 800");
  }

  @Test
  void threeCachesThatDoNotFitTogetherSaySo() throws Exception {
    assertThat(run("-Xmx128m", "caches", "0"))
        .contains("cache: expected its elements to fit the memory budget")
        .contains("MB for all pipelines of this process)");
  }

  /**
   * In thousands of bytes: what was held, by the JVM and by the account, while all consumers had an
   * element in hand; the most the account ever held, and the most after all elements were large;
   * the limit.
   */
  private record Use(long held, long account, long peak, long later, long limit) {
    static Use of(String output) {
      Matcher figures =
          Pattern.compile("held (\\d+) in account (\\d+) at most (\\d+) later (\\d+) of (\\d+)")
              .matcher(output);
      assertThat(figures.find()).as(output).isTrue();
      return new Use(
          Long.parseLong(figures.group(1)),
          Long.parseLong(figures.group(2)),
          Long.parseLong(figures.group(3)),
          Long.parseLong(figures.group(4)),
          Long.parseLong(figures.group(5)));
    }

    /** The limit and 2 %, and an element for each stage of the pipeline whose turn it is. */
    long most(long elementBytes) {
      return limit * 102 / 100 + 3 * elementBytes / 1000;
    }
  }

  @Test
  void fiftyPipelinesInOneHeapHoldTheBudgetWithinTwoPercent() throws Exception {
    String output = run("-Xmx256m", "fifty", "300", "50", "20000", "60MB");
    assertThat(output).contains("gave 15000 failures 0");
    Use use = Use.of(output);
    assertThat(use.peak).isBetween(use.limit / 2, use.limit * 102 / 100);
    assertThat(use.held).isBetween(use.limit / 2, use.limit * 102 / 100);
  }

  /** The budget is the default one, half of the heap; consumers alone come to hold 100 MB of it. */
  @Test
  void fiftyPipelinesOfLargeElementsAllComeToTheirEnd() throws Exception {
    assertThat(run("-Xmx256m", "fifty", "30", "50", "1000000", "128MB"))
        .contains("gave 1500 failures 0");
  }

  /** What some read ahead before the others needed as much has been consumed by then. */
  @Test
  @Tag("long")
  void fiftyPipelinesOfLargeElementsHoldTheBudgetForAsLongAsTheyRun() throws Exception {
    String output = run("-Xmx256m", "fifty", "2000", "50", "1000000", "128MB");
    assertThat(output).contains("gave 100000 failures 0");
    Use use = Use.of(output);
    assertThat(use.held).isBetween(use.limit / 2, use.most(1_000_000));
    assertThat(use.later).isBetween(use.limit / 2, use.most(1_000_000));
  }

  private static String run(String heap, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            heap,
            "-cp",
            System.getProperty("java.class.path"),
            GrowingProgram.class.getName());
    builder.command().addAll(List.of(arguments));
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
    assertThat(output).doesNotContain("OutOfMemoryError");
    return output;
  }
}
