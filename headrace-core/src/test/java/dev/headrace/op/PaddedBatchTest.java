package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.DType;
import dev.headrace.data.Padding;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code paddedBatch} and {@code Collator.pad}. */
@Timeout(60)
class PaddedBatchTest {
  private record Sentence(Tensor tokens, Tensor words, Tensor label) {}

  private static final long ANY = Shape.UNKNOWN;

  private static Sentence sentence(long x) {
    String[] words = new String[(int) x];
    java.util.Arrays.fill(words, "w" + x);
    return new Sentence(
        Tensor.full(Shape.of(x), (int) x), Tensor.ofStrings(words), Tensor.scalar((float) x));
  }

  private static Dataset<Tensor> filled(long count) {
    return range(count).map(x -> Tensor.full(Shape.of(x), x));
  }

  @Test
  void recordsArePaddedLeafByLeaf() {
    assertThat(Outcomes.of(range(1, 4).map(x -> sentence(x)).paddedBatch(2)))
        .containsExactly(
            "int32[2, 2] [1, 0, 2, 2]; string[2, 2] [w1, , w2, w2]; float[2] [1.0, 2.0]",
            "int32[1, 3] [3, 3, 3]; string[1, 3] [w3, w3, w3]; float[1] [3.0]",
            "end");
  }

  @Test
  void leavesHaveShapesAndValuesOfTheirOwn() {
    Padding padding =
        Padding.zeros()
            .shape("tokens", Shape.of(3))
            .value("tokens", -1)
            .shape("words", Shape.of(ANY))
            .value("words", "<pad>");
    assertThat(Outcomes.of(range(1, 3).map(x -> sentence(x)).paddedBatch(2, padding)))
        .containsExactly(
            "int32[2, 3] [1, -1, -1, 2, 2, -1]; string[2, 2] [w1, <pad>, w2, w2];"
                + " float[2] [1.0, 2.0]",
            "end");
  }

  @Test
  void everyDimensionIsPadded() {
    Dataset<Tensor> shapes =
        range(2)
            .map(
                x ->
                    x == 0
                        ? Tensor.of(Shape.of(2, 1, 2), new int[] {1, 2, 3, 4})
                        : Tensor.of(Shape.of(1, 2, 1), new int[] {5, 6}));
    assertThat(Outcomes.of(shapes.paddedBatch(2)))
        .containsExactly(
            "int32[2, 2, 2, 2] [1, 2, 0, 0, 3, 4, 0, 0, 5, 0, 6, 0, 0, 0, 0, 0]", "end");
    assertThat(Outcomes.of(shapes.paddedBatch(2, Padding.zeros().value(9)).take(1)))
        .containsExactly(
            "int32[2, 2, 2, 2] [1, 2, 9, 9, 3, 4, 9, 9, 5, 9, 6, 9, 9, 9, 9, 9]", "end");
    assertThat(Outcomes.of(shapes.paddedBatch(1, Padding.zeros().shape(Shape.of(ANY, ANY, 2)))))
        .containsExactly("int32[1, 2, 1, 2] [1, 2, 3, 4]", "int32[1, 1, 2, 2] [5, 0, 6, 0]", "end");
  }

  @Test
  void deferredTensorsAndEmptyOnesArePadded() {
    assertThat(
            Outcomes.of(
                range(3)
                    .map(x -> Tensor.full(Shape.of(x), x).convert(DType.FLOAT32))
                    .paddedBatch(3, Padding.zeros().value(0.5))))
        .containsExactly("float[3, 2] [0.5, 0.5, 1.0, 0.5, 2.0, 2.0]", "end");
    assertThat(Outcomes.of(range(2).map(x -> Tensor.full(Shape.of(0), x)).paddedBatch(2)))
        .containsExactly("int64[2, 0] []", "end");
  }

  @Test
  void slabsAreFilledToo() {
    Dataset<Tensor> batches =
        range(60)
            .map(x -> Tensor.full(Shape.of(x % 2 == 0 ? 700 : 3, x % 3 + 1), x + 1))
            .paddedBatch(2);
    try (Pipeline<Tensor> pipeline = batches.open()) {
      long x = 0;
      for (Tensor batch : pipeline) {
        assertThat(batch.lease()).isNotNull();
        long columns = batch.shape().dim(2);
        for (long row = 0; row < 2; row++, x++) {
          for (long i : new long[] {0, 2, 3, 699}) {
            for (long c = 0; c < columns; c++) {
              boolean inside = i < (x % 2 == 0 ? 700 : 3) && c < x % 3 + 1;
              assertThat(batch.longAt((row * 700 + i) * columns + c)).isEqualTo(inside ? x + 1 : 0);
            }
          }
        }
      }
    }
  }

  @Test
  void scalarsAndArraysArePaddedByACollator() {
    assertThat(Outcomes.of(range(3).map(x -> new float[x.intValue()]).batch(3, Collator.pad())))
        .containsExactly("float[3, 2] [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]", "end");
    assertThat(Outcomes.of(range(3).batch(2, Collator.pad())))
        .containsExactly("int64[2] [0, 1]", "int64[1] [2]", "end");
    assertThat(Outcomes.of((Dataset<?>) range(3).paddedBatch(2)))
        .containsExactly("int64[2] [0, 1]", "int64[1] [2]", "end");
    assertThat(Outcomes.errors(range(3).map(x -> new Object()).paddedBatch(2)).getFirst())
        .hasMessageContaining(
            "paddedBatch: expected a Tensor, a number, boolean or text, an array of them, or a"
                + " record, Map<String, …> or List of them, but got java.lang.Object; use a"
                + " collator of your own");
  }

  @Test
  void anElementLargerThanTheShapeCostsItsBatch() {
    Dataset<Tensor> batches = filled(6).paddedBatch(2, Padding.zeros().shape(Shape.of(3)));
    assertThat(Outcomes.of(batches))
        .containsExactly(
            "int64[2, 3] [0, 0, 0, 1, 0, 0]", "int64[2, 3] [2, 2, 0, 3, 3, 3]", "error", "end");
    assertThat(Outcomes.errors(batches).getFirst())
        .hasMessageContaining("element 4 of epoch 0")
        .hasMessageContaining(
            "paddedBatch: expected at most 3 along dimension 0, but element 0 of the batch is"
                + " int64[4]; pad to a larger shape, cut elements, or drop them by filter");
  }

  @Test
  void unequalRanksTypesAndNamesAreNamed() {
    assertThat(
            Outcomes.errors(
                    range(2)
                        .map(
                            x ->
                                Map.of(
                                    "a",
                                    Tensor.zeros(
                                        DType.INT32, Shape.of(new long[x.intValue() + 1]))))
                        .paddedBatch(2))
                .getFirst())
        .hasMessageContaining(
            "paddedBatch: expected in 'a' one type and rank, but element 0 is int32[0] and element"
                + " 1 is int32[0, 0]");
    assertThat(
            Outcomes.errors(filled(2).paddedBatch(2, Padding.zeros().shape(Shape.of(ANY, ANY))))
                .getFirst())
        .hasMessageContaining(
            "paddedBatch: expected tensors of rank 2 as the padded shape [?, ?] says, but got"
                + " int64[0]");
    assertThat(
            Outcomes.errors(
                    range(2)
                        .map(x -> sentence(x))
                        .paddedBatch(2, Padding.zeros().value("token", 1)))
                .getFirst())
        .hasMessageContaining(
            "paddedBatch: expected padding for leaves among [tokens, words, label], but got"
                + " 'token'");
  }

  @Test
  void valuesMustFitTheType() {
    for (Object value : List.of(0.5, true, "x")) {
      assertThat(Outcomes.errors(filled(2).paddedBatch(2, Padding.zeros().value(value))).getFirst())
          .hasMessageContaining(
              "padding: expected a value of type int64, but got "
                  + value.getClass().getSimpleName()
                  + " "
                  + value);
    }
    Padding padding = Padding.zeros().value("a", 300).value("b", true);
    assertThatThrownBy(() -> padding.valueOf("a", DType.UINT8))
        .hasMessage("padding: expected a value of type uint8 for 'a', but got Integer 300");
    assertThat(padding.valueOf("a", DType.UINT16).longValue()).isEqualTo(300);
    assertThat(padding.valueOf("a", DType.BFLOAT16).doubleValue()).isEqualTo(300);
    assertThat(padding.valueOf("b", DType.BOOL).booleanValue()).isTrue();
    assertThat(padding.valueOf("c", DType.STRING).stringValue()).isEmpty();
    assertThatThrownBy(() -> Padding.zeros().value('c'))
        .hasMessage("padding: expected a number, a boolean or a text, but got java.lang.Character");
  }

  @Test
  void isExplainedByItsOwnWord() {
    Dataset<Tensor> dataset =
        filled(6).paddedBatch(2, Padding.zeros().shape(Shape.of(4)).value(-1), true);
    assertThat(dataset.explain())
        .startsWith("paddedBatch(size=2, dropRemainder=true, pad(to [4], with -1))");
    assertThat(dataset.cardinality()).isEqualTo(3);
    assertThat(dataset.fingerprint())
        .isEqualTo(
            filled(6)
                .paddedBatch(2, Padding.zeros().value(-1).shape(Shape.of(4)), true)
                .fingerprint())
        .isNotEqualTo(
            filled(6)
                .paddedBatch(2, Padding.zeros().value(-2).shape(Shape.of(4)), true)
                .fingerprint());
    assertThatThrownBy(() -> filled(2).paddedBatch(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("paddedBatch: expected a size of at least 1, but got 0");
    Padding none = null;
    assertThatThrownBy(() -> filled(2).paddedBatch(2, none))
        .hasMessage("paddedBatch: expected a padding, but got null");
  }
}
