package dev.headrace.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.profile.Diagnosis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DiagnosisJsonTest {
  @Test
  void whatIsWrittenCanBeRead() {
    String json = DiagnosisJson.of(Samples.branches(), Samples.trials());
    Diagnosis read = DiagnosisJson.read(json);
    assertSameAgain(DiagnosisJson.of(read, DiagnosisJson.readTrials(json)));
    assertThat(read.verdict()).isEqualTo(Samples.branches().verdict());
    assertThat(Report.of(read).circumstances(Samples.CIRCUMSTANCES).html().length())
        .isCloseTo(
            Report.of(Samples.branches()).circumstances(Samples.CIRCUMSTANCES).html().length(),
            org.assertj.core.data.Percentage.withPercentage(1));
  }

  @Test
  void oddValuesAreValidJson() {
    for (Diagnosis odd :
        List.of(
            OddSamples.nothing(),
            OddSamples.numbers(Double.NaN),
            OddSamples.numbers(Double.NEGATIVE_INFINITY),
            OddSamples.numbers(1e-300),
            OddSamples.everywhere("\"\\\u0000\n\ud800</script>\u2028"))) {
      String json = DiagnosisJson.of(odd);
      assertSameAgain(DiagnosisJson.of(DiagnosisJson.read(json)));
      assertThat(json.lines()).hasSize(1);
    }
  }

  /** Numbers are rounded when they are written first, and then no more. */
  private static void assertSameAgain(String json) {
    assertThat(DiagnosisJson.of(DiagnosisJson.read(json), DiagnosisJson.readTrials(json)))
        .isEqualTo(json);
  }

  @Test
  void otherFilesAreRefused() {
    assertThatThrownBy(() -> DiagnosisJson.read("{\"format\":\"other/1\"}"))
        .hasMessageContaining("expected an object whose format is \"headrace-diagnosis/1\"");
    assertThatThrownBy(() -> DiagnosisJson.read("{\"a\":[1,"))
        .hasMessageContaining("expected a value, but got the end");
    assertThatThrownBy(() -> DiagnosisJson.read("[".repeat(5000)))
        .hasMessageContaining("at most 100 levels");
    String json = DiagnosisJson.of(Samples.flowers());
    assertThatThrownBy(
            () -> DiagnosisJson.read(json.replace("\"kind\":\"SERIAL_BOUND\"", "\"kind\":7")))
        .hasMessageContaining("diagnosis.verdict.kind: expected one of [CONSUMER_BOUND");
    assertThatThrownBy(() -> DiagnosisJson.read(json.replace("\"delivered\"", "\"x\"")))
        .hasMessageContaining("diagnosis.profile.delivered: expected a value");
  }

  @Test
  void everyKeyIsDocumented() throws IOException {
    Path docs = Path.of("..", "docs", "reference", "metrics.md");
    String text = Files.readString(docs);
    Set<String> keys = new TreeSet<>();
    collect(JsonParser.parse(DiagnosisJson.of(Samples.branches(), Samples.trials())), keys);
    assertThat(keys).allSatisfy(key -> assertThat(text).contains("`" + key + "`"));
  }

  private static void collect(@Nullable Object json, Set<String> keys) {
    if (json instanceof Map<?, ?> map) {
      map.forEach(
          (key, value) -> {
            keys.add(String.valueOf(key));
            collect(value, keys);
          });
    } else if (json instanceof List<?> list) {
      list.forEach(each -> collect(each, keys));
    }
  }
}
