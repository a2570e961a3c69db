package dev.headrace.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.data.Tensor;
import dev.headrace.testing.ParserFuzz;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Damaged examples are refused with a reason, or parsed. */
@Timeout(3600)
class RecordsFuzzTest {
  private static byte[] example() {
    return Example.builder()
        .int64("i", 1, 2, 300)
        .floats("f", 1.5f)
        .bytes("b", "text".getBytes(UTF_8))
        .build()
        .bytesValue();
  }

  @Test
  void examples() {
    var parser =
        Example.parser(
            Feature.int64("i").ragged(),
            Feature.float32("f").orElse(0),
            Feature.bytes("b").varLen());
    ParserFuzz.of("example", List.of(example()), bytes -> parser.apply(Tensor.scalar(bytes))).run();
  }

  @Test
  void sequenceExamples() {
    SequenceExample.Builder builder = SequenceExample.builder();
    builder.context().int64("length", 2);
    byte[] sound =
        builder
            .int64Step("i", 1, 2)
            .int64Step("i", 3)
            .floatStep("f", 1.5f)
            .floatStep("f", 2.5f)
            .bytesStep("b", "x".getBytes(UTF_8))
            .toBytes();
    var parser =
        SequenceExample.parser(
            List.of(Feature.int64("length").orElse(0)),
            List.of(
                Feature.int64("i").ragged(), Feature.float32("f"), Feature.bytes("b").varLen()));
    ParserFuzz.of("sequence-example", List.of(sound), bytes -> parser.apply(Tensor.scalar(bytes)))
        .run();
  }
}
