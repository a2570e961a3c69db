package dev.headrace.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.testing.ParserFuzz;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Damaged JSON of a diagnosis is refused with a reason, or parsed. */
@Timeout(3600)
class JsonFuzzTest {
  @Test
  void diagnoses() {
    byte[] sound =
        "{\"verdict\": \"CONSUMER_BOUND\", \"share\": 0.25, \"list\": [1, -2e3, null, {\"a\": true}]}"
            .getBytes(UTF_8);
    ParserFuzz.of(
            "report-json", List.of(sound), bytes -> JsonParser.parse(new String(bytes, UTF_8)))
        .tokens("{", "}", "[", "]", "\"", ",", ":", "\\", "\\u", "null", "1e999", "-", "[[[[", "é")
        .run();
  }
}
