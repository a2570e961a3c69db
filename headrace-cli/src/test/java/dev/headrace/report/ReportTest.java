package dev.headrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Trial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReportTest {
  private static final Set<String> USUAL = HtmlTags.names(page(Samples.flowers()));

  private static String page(Diagnosis diagnosis) {
    return Report.of(diagnosis).trials(Samples.trials()).html();
  }

  @Test
  void theAnswerComesFirst() {
    String page = Report.of(Samples.flowers()).title("flowers").html();
    assertThat(page)
        .contains(
            "<title>flowers</title>",
            "serial-bound: an operator runs one element after another",
            "decodes one photo after another on one thread",
            "12\u00a0%",
            "Decode on several threads",
            ".map(Train::decode, AUTOTUNE)",
            "6.3×",
            "THE LIMIT");
    assertThat(page.indexOf("<h1>")).isLessThan(page.indexOf("The pipeline"));
  }

  @Test
  void trialsStandBesidePredictions() {
    String page = page(Samples.flowers());
    assertThat(page)
        .contains("Changed and measured again", "0.6\u00a0% too high", ">measured</tspan>")
        .contains("from 6.8 to 42.5 elements a second");
    assertThat(Report.of(Samples.flowers()).html()).doesNotContain("measured again</h2>");
  }

  @Test
  void theHeadlineCountsNoChangeThatWasTakenBack() {
    Trial kept = Samples.trials().getFirst();
    Trial inVain = new Trial(kept.advice(), kept.after(), kept.before());
    String page = Report.of(Samples.flowers()).trials(List.of(kept, inVain)).html();
    assertThat(page)
        .contains("6.3×", "from 6.8 to 42.5 elements a second", "1 of 2 changes helped")
        .contains("It did not help, and was taken back.");
    assertThat(Report.of(kept.after()).trials(List.of(inVain)).html())
        .contains("42.5 elements a second, as before");
  }

  @Test
  void whereNothingIsToBeChangedItSaysSo() {
    assertThat(Report.of(Samples.branches()).html())
        .contains("Nothing: no change to the pipeline would make it faster.")
        .contains("consumer-bound");
  }

  @Test
  void nothingIsLoadedFromElsewhere() {
    String page = page(Samples.branches());
    assertThat(page.replaceAll("http://www\\.w3\\.org/2000/svg", ""))
        .doesNotContain("http:", "https:", "@import", "src=", "<iframe", "<object", "srcset")
        .contains("default-src 'none'");
    assertThat(Pattern.compile("url\\((?!#)").matcher(page).find()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<script>alert(1)</script>",
        "</title></style></script><img src=x onerror=alert(1)>",
        "\" onmouseover=\"alert(1)",
        "' onload='alert(1)",
        "]]><svg onload=alert(1)>",
        "{} {} &amp; &lt;script&gt; \\u003cscript\\u003e <!-- -->",
        "control \u0000\u0007\u001b[31m\u0085\u009f and a half pair \ud800.",
        "right to left \u202e\u2066exe.gpj\u2069\u202c שלום",
      })
  void hostileTextsStayTexts(String hostile) {
    String page =
        Report.of(OddSamples.everywhere(hostile))
            .trials(List.of(OddSamples.trial(hostile)))
            .title(hostile)
            .command(hostile)
            .html();
    assertThat(USUAL).containsAll(HtmlTags.names(page));
    assertThat(page.split("<script", -1)).hasSize(2);
    assertThat(
            Pattern.compile("[\\p{Cntrl}&&[^\n\t]]|[\u202a-\u202e\u2066-\u2069]")
                .matcher(page)
                .find())
        .as("controls and turned directions")
        .isFalse();
    assertThat(page.codePoints().noneMatch(c -> c >= 0xD800 && c < 0xE000)).isTrue();
  }

  @Test
  void naturalRightToLeftTextIsKept() {
    assertThat(Report.of(OddSamples.everywhere("map 'שלום' (Train.java:7)")).html())
        .contains("<bdi>map &#39;שלום&#39; (Train.java:7)</bdi>");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, 1e-300, 1e300, Double.NaN, Double.POSITIVE_INFINITY})
  void anyNumberCanBeShown(double number) {
    String page = Report.of(OddSamples.numbers(number)).html();
    assertThat(USUAL).containsAll(HtmlTags.names(page));
    assertThat(page).doesNotContain("NaN", "Infinity");
  }

  @Test
  void aBudgetOfHeapAndNativeMemoryTogetherIsTold() {
    assertThat(Report.of(OddSamples.everywhere("map")).html())
        .contains("pipeline, both", "at most 67\u00A0MB");
    assertThat(Report.of(Samples.flowers()).html()).doesNotContain("pipeline, both");
  }

  @Test
  void nothingMeasuredIsStillAPage() {
    String page = Report.of(OddSamples.nothing()).html();
    assertThat(USUAL).containsAll(HtmlTags.names(page));
    assertThat(page).contains("Nothing was delivered.", "too short for a timeline");
  }

  @Test
  void twoHundredOperatorsStandUpright() {
    String page = Report.of(OddSamples.many(200)).html();
    assertThat(USUAL).containsAll(HtmlTags.names(page));
    assertThat(page)
        .contains("188 less busy operators are in the table below", "class=\"wide tall\"");
    assertThat(page.length()).isLessThan(2_000_000);
  }

  @Test
  void veryLongNamesAreCutWhereTheyWouldNotFit() {
    String name = "x".repeat(50_000);
    String page = Report.of(OddSamples.everywhere(name)).html();
    assertThat(page).contains("…");
    assertThat(Pattern.compile("<text[^>]*>[^<]{200}").matcher(page).find()).isFalse();
  }

  @Test
  void theFileIsWholeOrNotThere(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("new/report.html");
    Report.of(Samples.flowers()).writeTo(file);
    String first = Files.readString(file);
    Report.of(Samples.branches()).writeTo(file);
    assertThat(Files.readString(file)).isNotEqualTo(first).endsWith("</html>\n");
    try (var files = Files.list(file.getParent())) {
      assertThat(files).containsExactly(file);
    }
  }
}
