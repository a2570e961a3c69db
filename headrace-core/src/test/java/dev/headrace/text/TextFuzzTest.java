package dev.headrace.text;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.data.Csv;
import dev.headrace.testing.ParserFuzz;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Damaged texts are refused with a reason, or parsed. */
@Timeout(3600)
class TextFuzzTest {
  private record Nested(int[] a, String b, @org.jspecify.annotations.Nullable Inner c) {}

  private record Inner(boolean d, double e) {}

  private static final byte[] JSON =
      "{\"a\": [1, 25], \"b\": \"x\\u0041\\n\", \"c\": {\"d\": true, \"e\": -2.5e3}}"
          .getBytes(UTF_8);
  private static final String[] TOKENS = {
    "{", "}", "[", "]", "\"", ",", ":", "\\", "\\u", "\\ud83d", "null", "true", "1e999", "-", ".",
    "00", "[[", "é"
  };

  @Test
  void json() {
    ParserFuzz.of(
            "json",
            List.of(JSON, "{}".getBytes(UTF_8)),
            bytes -> JsonReader.readObject(new String(bytes, UTF_8)))
        .tokens(TOKENS)
        .run();
    ParserFuzz.of(
            "json-record",
            List.of(JSON),
            bytes -> Json.parser(Nested.class).apply(new String(bytes, UTF_8)))
        .tokens(TOKENS)
        .run();
    ParserFuzz.of(
            "json-members",
            List.of("{\"a\": [1, 25], \"b\": \"x\"}".getBytes(UTF_8)),
            bytes -> Json.parser().apply(new String(bytes, UTF_8)))
        .tokens(TOKENS)
        .run();
  }

  @Test
  void csvLines() {
    Csv format =
        Csv.columns(Csv.int32("a"), Csv.float32("b").or(1.5), Csv.string("c").or("x"))
            .withoutHeader();
    ParserFuzz.of(
            "csv-line",
            List.of("1,2.5,\"a \"\"b\"\"\"".getBytes(UTF_8), "1,,".getBytes(UTF_8)),
            bytes -> CsvLines.textDecoder(format).apply(new String(bytes, UTF_8)))
        .tokens(",", "\"", "\n", "1e999", "-", "é")
        .run();
  }
}
