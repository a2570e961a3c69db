package dev.headrace.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void whatIsWrittenCanBeRead() {
    Map<String, Object> value =
        Map.of("text", "a \"b\"\n\\ \u0001é", "numbers", List.of(1.5, -2.0, 1e300), "flag", true);
    assertThat(Json.readObject(Json.write(value))).isEqualTo(value);
    assertThat(Json.readObject(Json.writeIndented(value))).isEqualTo(value);
  }

  @Test
  void whatIsNoNumberInJsonIsNull() {
    assertThat(Json.write(List.of(Double.NaN, Double.POSITIVE_INFINITY))).isEqualTo("[null,null]");
  }

  @Test
  void brokenTextIsNamedWithItsPlace() {
    assertThatThrownBy(() -> Json.readObject("{\"a\": x}"))
        .hasMessage("json: expected a value at character 6, but got 'x'");
    assertThatThrownBy(() -> Json.readObject("{\"a\": 1"))
        .hasMessageContaining("expected '}' at character 7, but got the end");
  }
}
