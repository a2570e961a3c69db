package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Packed;
import dev.headrace.spi.Packing;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class PackOpTest {
  private record Example(Tensor tokens, Tensor mask) {}

  /** Sequences of these lengths; the i-th has only i, from 1, as its tokens. */
  private static Dataset<Tensor> sequences(int... lengths) {
    return range(lengths.length)
        .map(i -> Tensor.full(Shape.of(lengths[Math.toIntExact(i)]), i + 1));
  }

  private static List<String> rows(Dataset<Packed<Tensor>> packed) {
    return packed.toList().stream()
        .map(
            row ->
                digits(row.tokens())
                    + " "
                    + digits(row.segmentIds())
                    + " "
                    + digits(row.positions()))
        .toList();
  }

  private static String digits(Tensor tensor) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < tensor.elements(); i++) {
      text.append(tensor.longAt(i));
    }
    return text.toString();
  }

  private static Tensor sequence(long x) {
    return Tensor.full(Shape.of(Outcomes.refusing(11, x) * 7 % 12), x);
  }

  @ParameterizedTest
  @EnumSource(Packing.class)
  void keepsTheContract(Packing packing) {
    PipelineContract.of(n -> range(50).map(x -> sequence(x), n).pack(10, packing, 4, 0).prefetch(n))
        .named(packing.name())
        .check();
    PipelineContract.of(n -> range(30).map(x -> new long[(int) (x % 5)], n).pack(7, packing))
        .named(packing.name())
        .check();
  }

  @Test
  void firstFitTakesTheFirstRowWithRoom() {
    assertThat(rows(sequences(3, 2, 4, 2).pack(5, Packing.FIRST_FIT)))
        .containsExactly("11122 11122 01201", "33330 11110 01230", "44000 11000 01000");
    // Six are open when 4 comes: both rows of 3 have room, and the older one takes it.
    assertThat(rows(sequences(4, 3, 2).pack(6, Packing.FIRST_FIT)))
        .containsExactly("111133 111122 012301", "222000 111000 012000");
  }

  @Test
  void bestFitTakesTheRowWithTheLeastRoom() {
    assertThat(rows(sequences(3, 4, 2).pack(6, Packing.BEST_FIT)))
        .containsExactly("222233 111122 012301", "111000 111000 012000");
    assertThat(rows(sequences(3, 4, 2).pack(6, Packing.FIRST_FIT)))
        .containsExactly("111330 111220 012010", "222200 111100 012300");
  }

  @Test
  void concatSplitLeavesNoGaps() {
    assertThat(rows(sequences(3, 4, 9, 1).pack(5, Packing.CONCAT_SPLIT)))
        .containsExactly(
            "11122 11122 01201", "22333 11222 01012", "33333 11111 01234", "34000 12000 00000");
    assertThat(rows(sequences(5, 5).pack(5, Packing.CONCAT_SPLIT)))
        .containsExactly("11111 11111 01234", "22222 11111 01234");
  }

  @Test
  void theRowOpenedFirstMakesRoom() {
    assertThat(rows(sequences(3, 4, 3, 1).pack(5, Packing.FIRST_FIT, 2, 0)))
        .containsExactly("11100 11100 01200", "22224 11112 01230", "33300 11100 01200");
    // A sequence that is a row by itself needs nobody's room.
    assertThat(rows(sequences(3, 5, 2).pack(5, Packing.FIRST_FIT, 1, 0)))
        .containsExactly("22222 11111 01234", "11133 11122 01201");
  }

  @Test
  void emptySequencesTakeNoPlace() {
    for (Packing packing : Packing.values()) {
      assertThat(rows(sequences(0, 2, 0, 1, 0).pack(4, packing))).containsExactly("2240 1120 0100");
      assertThat(rows(sequences(0, 0).pack(4, packing))).isEmpty();
      assertThat(rows(sequences().pack(4, packing))).isEmpty();
    }
  }

  @Test
  void packsStructuresLeafByLeaf() {
    List<Packed<Example>> packed =
        range(3)
            .map(
                x ->
                    new Example(
                        Tensor.full(Shape.of(x + 1), x), Tensor.full(Shape.of(x + 1), 0.5f)))
            .pack(4, Packing.FIRST_FIT, 2, 9)
            .toList();
    assertThat(packed).hasSize(2);
    assertThat(packed.getFirst().tokens().tokens().toLongArray()).containsExactly(0, 1, 1, 9);
    assertThat(packed.getFirst().tokens().mask().toFloatArray())
        .containsExactly(0.5f, 0.5f, 0.5f, 9f);
    assertThat(packed.getFirst().segmentIds().toIntArray()).containsExactly(1, 2, 2, 0);
    assertThat(packed.getFirst().segmentIds().dtype()).isEqualTo(DType.INT32);
  }

  @Test
  void packedTensorsCanBeBatched() {
    Packed<Tensor> batch =
        sequences(3, 2, 4, 2).pack(5, Packing.FIRST_FIT).batch(3).first().orElseThrow();
    assertThat(batch.tokens().shape()).isEqualTo(Shape.of(3, 5));
    assertThat(batch.positions().shape()).isEqualTo(Shape.of(3, 5));
  }

  @Test
  void arraysStayArrays() {
    List<Packed<long[]>> longs =
        range(2).map(x -> new long[] {x, x}).pack(5, Packing.FIRST_FIT, 1, -1).toList();
    assertThat(longs.getFirst().tokens()).containsExactly(0, 0, 1, 1, -1);
    List<Packed<int[]>> ints =
        range(2).map(x -> new int[] {(int) (long) x, 7}).pack(3, Packing.CONCAT_SPLIT).toList();
    assertThat(ints)
        .extracting(row -> Arrays.toString(row.tokens()))
        .containsExactly("[0, 7, 1]", "[7, 0, 0]");
  }

  @Test
  void aSequenceLongerThanARowIsAFailureInItsPlace() {
    for (Packing packing : List.of(Packing.FIRST_FIT, Packing.BEST_FIT)) {
      Dataset<Packed<Tensor>> packed = sequences(2, 6, 2).pack(5, packing);
      assertThat(Outcomes.of(packed)).hasSize(3).startsWith("error");
      assertThat(Outcomes.errors(packed).getFirst())
          .hasMessageContaining("element 1 of epoch 0 failed")
          .hasMessageContaining(
              "pack: expected a sequence of at most 5, the length of a row, but got one of 6;"
                  + " shorten it, or use Packing.CONCAT_SPLIT");
    }
  }

  @Test
  void whatIsNoSequenceIsAFailureInItsPlace() {
    assertThat(message(range(1).map(x -> "text").pack(5, Packing.FIRST_FIT)))
        .contains(
            "pack: expected a sequence (a Tensor of rank 1, long[], int[], or a structure of"
                + " tensors of rank 1), but got java.lang.String");
    assertThat(message(range(1).map(x -> Tensor.scalar(x)).pack(5, Packing.FIRST_FIT)))
        .contains("pack: expected tensors of numbers and rank 1, but got");
    assertThat(message(range(1).map(x -> Tensor.ofStrings("a")).pack(5, Packing.FIRST_FIT)))
        .contains("pack: expected tensors of numbers and rank 1, but got");
    assertThat(
            message(
                range(1)
                    .map(x -> new Example(Tensor.of(1L, 2L), Tensor.of(new float[] {1})))
                    .pack(5, Packing.FIRST_FIT)))
        .contains(
            "pack: expected sequences of one length within an element, but got 2 for tokens and 1"
                + " for mask");
    assertThat(
            message(
                range(2)
                    .map(x -> x == 0 ? Tensor.of(new long[] {1}) : Tensor.of(new float[] {1}))
                    .pack(5, Packing.CONCAT_SPLIT)))
        .contains(
            "pack: expected all sequences to be like the first, Tensor[INT64], but got Tensor");
    assertThat(
            message(range(1).map(x -> Tensor.ofBytes((byte) 1)).pack(5, Packing.FIRST_FIT, 1, 300)))
        .contains("pack: expected a padding of 0 to 255 for tensors of UINT8, but got 300");
  }

  private static String message(Dataset<?> dataset) {
    return Outcomes.errors(dataset).getFirst().getMessage();
  }

  @Test
  void rowsHaveTheIdOfTheirFirstSequence() {
    assertThat(ids(sequences(3, 4, 3, 1).pack(5, Packing.FIRST_FIT, 2, 0)))
        .containsExactly("0", "1", "2");
    // A long sequence begins several rows, each at another place of it.
    assertThat(ids(sequences(3, 9).pack(5, Packing.CONCAT_SPLIT)))
        .containsExactly("0/0", "1/2", "1/7");
  }

  private static List<String> ids(Dataset<Packed<Tensor>> packed) {
    return Outcomes.errors(packed.map(row -> Outcomes.refusing(0, 0))).stream()
        .map(PipelineException::element)
        .toList();
  }

  @Test
  void readsNoMoreThanIsAskedFor() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<Packed<Tensor>> packed =
        range(100)
            .map(x -> Tensor.full(Shape.of(2 + 0 * calls.incrementAndGet()), x))
            .pack(4, Packing.FIRST_FIT);
    assertThat(packed.take(3).toList()).hasSize(3);
    assertThat(calls).hasValue(6);
  }

  @Test
  void knowsItsCardinality() {
    assertThat(sequences(1, 2).pack(5, Packing.FIRST_FIT).cardinality()).isEqualTo(UNKNOWN);
    assertThat(sequences().pack(5, Packing.FIRST_FIT).cardinality()).isZero();
    assertThat(sequences(1).repeat().pack(5, Packing.FIRST_FIT).cardinality()).isEqualTo(INFINITE);
  }

  @Test
  void failsWithTheSizeNeededWhereOpenRowsDoNotFit() {
    List<PipelineException> errors =
        Outcomes.errors(
            range(10_000)
                .map(x -> Tensor.full(Shape.of(600), x))
                .pack(1000, Packing.FIRST_FIT, 5000, 0)
                .options(o -> o.heapBudget(1 << 20)));
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().isTerminal()).isTrue();
    assertThat(errors.getFirst())
        .hasMessageContaining("pack: expected its open rows to fit the memory budget, but")
        .hasMessageContaining("use fewer bins, or raise options.heapBudget");
  }

  @Test
  void refusesBadArguments() {
    assertThatThrownBy(() -> sequences(1).pack(0, Packing.FIRST_FIT))
        .hasMessage("pack: expected a row length of at least 1, but got 0");
    assertThatThrownBy(() -> sequences(1).pack(5, Packing.FIRST_FIT, 0, 0))
        .hasMessage("pack: expected at least 1 row to be open at once, but got 0");
    assertThatThrownBy(() -> sequences(1).pack(5, null))
        .hasMessage("pack: expected a way of packing, but got null");
  }
}
