package dev.headrace.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Ragged;
import dev.headrace.data.Shape;
import dev.headrace.data.Sparse;
import dev.headrace.data.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The values are those that TensorFlow 2.21 gave for the same records. */
class SequenceExampleTest {
  private static final Tensor FIRST = first();
  private static final Tensor SECOND = second();

  private static Tensor first() {
    SequenceExample.Builder builder = SequenceExample.builder();
    builder.context().int64("l", 7);
    return builder.int64Step("t", 1).int64Step("t", 2).floatStep("v", 1, 2).floatStep("v").build();
  }

  private static Tensor second() {
    SequenceExample.Builder builder = SequenceExample.builder();
    builder.context().int64("l", 8);
    return builder.int64Step("t", 4).build();
  }

  private static Features parse(Tensor serialised, Feature... lists) throws Exception {
    return SequenceExample.parser(List.of(Feature.int64("l")), List.of(lists)).apply(serialised);
  }

  @Test
  void parsesOne() throws Exception {
    Features parsed =
        parse(
            FIRST,
            Feature.int64("t"),
            Feature.float32("v").varLen(),
            Feature.float32("v").ragged().as("r"),
            Feature.int64("w").sequence());
    assertThat(parsed.tensor("l").longValue()).isEqualTo(7);
    assertThat(parsed.tensor("t").toLongArray()).containsExactly(1, 2);
    assertThat(parsed.tensor("w").shape()).isEqualTo(Shape.of(0));
    Sparse v = parsed.sparse("v");
    assertThat(v.indices().toLongArray()).containsExactly(0, 0, 0, 1);
    assertThat(v.values().toFloatArray()).containsExactly(1, 2);
    assertThat(v.denseShape().toLongArray()).containsExactly(2, 2);
    Ragged r = parsed.ragged("r");
    assertThat(r.rowSplits().toLongArray()).containsExactly(0, 2, 2);
  }

  @Test
  void parsesBatches() throws Exception {
    Features parsed =
        parse(
            Tensor.stackStrings(List.of(FIRST, SECOND)),
            Feature.int64("t"),
            Feature.float32("v").varLen(),
            Feature.float32("v").ragged().as("r"),
            Feature.int64("w").sequence());
    assertThat(parsed.tensor("l").toLongArray()).containsExactly(7, 8);
    assertThat(parsed.tensor("t").shape()).isEqualTo(Shape.of(2, 2));
    assertThat(parsed.tensor("t").toLongArray()).containsExactly(1, 2, 4, 0);
    assertThat(parsed.tensor("t.length").toLongArray()).containsExactly(2, 1);
    assertThat(parsed.tensor("w").shape()).isEqualTo(Shape.of(2, 0));
    assertThat(parsed.tensor("w.length").toLongArray()).containsExactly(0, 0);
    Sparse v = parsed.sparse("v");
    assertThat(v.indices().toLongArray()).containsExactly(0, 0, 0, 0, 0, 1);
    assertThat(v.denseShape().toLongArray()).containsExactly(2, 2, 2);
    NestedRagged r = parsed.nestedRagged("r");
    assertThat(r.rowSplits().get(0).toLongArray()).containsExactly(0, 2, 2);
    assertThat(r.rowSplits().get(1).toLongArray()).containsExactly(0, 2, 2);
  }

  @Test
  void refusesStepsAndListsThatDoNotFit() {
    assertThatThrownBy(() -> parse(FIRST, Feature.float32("v")))
        .hasMessageStartingWith("sequence example: feature 'v': expected 1 value, but got 2");
    assertThatThrownBy(() -> parse(FIRST, Feature.int64("w")))
        .hasMessage(
            "sequence example: feature 'w': expected a list, but it is not there; say sequence()"
                + " where it may be missing");
    assertThatThrownBy(() -> parse(Tensor.scalar("garbage!"), Feature.int64("t")))
        .hasMessageContaining("is it a serialised tf.train.SequenceExample?");
  }

  @Test
  void survivesBrokenRecords() {
    Random random = new Random(3);
    byte[] whole = FIRST.bytesValue();
    var parser =
        SequenceExample.parser(
            List.of(Feature.int64("l").orElse(0)),
            List.of(
                Feature.int64("t").sequence(),
                Feature.float32("v").ragged(),
                Feature.float32("v").varLen().as("s")));
    List<String> texts = new ArrayList<>();
    for (int run = 0; run < 20_000; run++) {
      byte[] bytes = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
      for (int i = random.nextInt(3); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        texts.add(parser.apply(Tensor.scalar(bytes)).tensor("t").toString());
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageStartingWith("sequence example: ");
      } catch (Exception e) {
        throw new AssertionError(Arrays.toString(bytes), e);
      }
    }
    assertThat(texts).isNotEmpty();
  }
}
