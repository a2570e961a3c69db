package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTextTest {
  @Test
  void writesNestedValues() {
    assertThat(JsonText.of(Map.of("a", List.of(1, 2.5, true, "x"))))
        .isEqualTo("{\"a\":[1,2.5,true,\"x\"]}");
  }

  @Test
  void escapesWhatJsonAsksFor() {
    assertThat(JsonText.of("a\"b\\c\n")).isEqualTo("\"a\\\"b\\\\c\\u000a\"");
  }
}
