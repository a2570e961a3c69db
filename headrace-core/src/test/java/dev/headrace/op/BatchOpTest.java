package dev.headrace.op;

import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static dev.headrace.spi.Collator.stack;
import static dev.headrace.spi.Collator.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.DType;
import dev.headrace.data.LeafValues;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.testing.PipelineContract;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BatchOpTest {
  private record Labelled(Tensor image, Tensor label) {}

  private record Nested(Labelled labelled, Map<String, Tensor> extra, List<Tensor> boxes) {}

  private static Labelled labelled(long x) {
    return new Labelled(Tensor.of((float) x, 10f * (float) x), Tensor.scalar((int) x));
  }

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(50).map(x -> x, n).batch(7, stack())).check();
    PipelineContract.of(n -> range(30).map(x -> labelled(Outcomes.refusing(11, x)), n).batch(4))
        .check();
    PipelineContract.of(
            n -> range(20).map(x -> Outcomes.refusing(18, x), n).batch(4, toList(), true))
        .check();
    PipelineContract.of(
            n -> range(12).map(x -> Outcomes.refusing(x / 4 * 4 + 1, x), n).batch(2, stack()))
        .check();
  }

  @Test
  void theLastBatchMayBeSmallerOrDropped() {
    assertThat(Outcomes.of(range(5).batch(2, stack())))
        .containsExactly("int64[2] [0, 1]", "int64[2] [2, 3]", "int64[1] [4]", "end");
    assertThat(Outcomes.of(range(5).batch(2, stack(), true)))
        .containsExactly("int64[2] [0, 1]", "int64[2] [2, 3]", "end");
    assertThat(Outcomes.of(range(0).batch(2, stack()))).containsExactly("end");
    assertThat(Outcomes.of(range(1).batch(2, stack(), true))).containsExactly("end");
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(5).batch(2, toList()).cardinality()).isEqualTo(3);
    assertThat(range(5).batch(2, toList(), true).cardinality()).isEqualTo(2);
    assertThat(range(4).batch(2, toList()).cardinality()).isEqualTo(2);
    assertThat(range(0).batch(2, toList()).cardinality()).isZero();
    assertThat(range(5).filter(x -> true).batch(2, toList()).cardinality()).isEqualTo(UNKNOWN);
    assertThat(range(5).repeat().batch(2, toList()).cardinality()).isEqualTo(Dataset.INFINITE);
  }

  @Test
  void tensorsGainALeadingDimension() {
    Dataset<Tensor> batches = range(3).map(x -> Tensor.full(Shape.of(2, 1), (float) x)).batch(2);
    assertThat(Outcomes.of(batches))
        .containsExactly("float[2, 2, 1] [0.0, 0.0, 1.0, 1.0]", "float[1, 2, 1] [2.0, 2.0]", "end");
    assertThat(Outcomes.of(batches.batch(1)))
        .containsExactly(
            "float[1, 2, 2, 1] [0.0, 0.0, 1.0, 1.0]", "float[1, 1, 2, 1] [2.0, 2.0]", "end");
  }

  @Test
  void recordsAreBatchedLeafByLeaf() {
    List<Labelled> batches = range(3).map(x -> labelled(x)).batch(2).toList();
    assertThat(batches).hasSize(2);
    assertThat(Outcomes.text(batches.get(0)))
        .isEqualTo("float[2, 2] [0.0, 0.0, 1.0, 10.0]; int32[2] [0, 1]");
    assertThat(Outcomes.text(batches.get(1))).isEqualTo("float[1, 2] [2.0, 20.0]; int32[1] [2]");
  }

  @Test
  void mapsListsAndNestsAreBatchedLeafByLeaf() {
    Dataset<Nested> nested =
        range(4)
            .map(
                x ->
                    new Nested(
                        labelled(x),
                        Map.of("weight", Tensor.scalar(0.5 * x), "name", Tensor.scalar("n" + x)),
                        List.of(Tensor.scalar(x % 2 == 0), Tensor.of(x, -x))));
    Nested batch = nested.batch(2).toList().getLast();
    assertThat(batch.labelled().image().shape()).isEqualTo(Shape.of(2, 2));
    assertThat(batch.labelled().label().dtype()).isEqualTo(DType.INT32);
    assertThat(batch.extra().get("weight").toDoubleArray()).containsExactly(1.0, 1.5);
    assertThat(batch.extra().get("name").toStrings()).containsExactly("n2", "n3");
    assertThat(batch.boxes().get(0).toBooleanArray()).containsExactly(true, false);
    assertThat(batch.boxes().get(1).shape()).isEqualTo(Shape.of(2, 2));
    assertThat(batch.boxes().get(1).toLongArray()).containsExactly(2, -2, 3, -3);
  }

  @Test
  void scalarsArraysAndTextsAreStacked() {
    assertThat(Outcomes.of(range(2).map(x -> "t" + x).batch(2, stack())))
        .containsExactly("string[2] [t0, t1]", "end");
    assertThat(Outcomes.of(range(2).map(x -> new int[] {1, 2}).batch(2, stack())))
        .containsExactly("int32[2, 2] [1, 2, 1, 2]", "end");
    assertThat(Outcomes.of(range(2).map(x -> x / 2.0).batch(2, stack())))
        .containsExactly("double[2] [0.0, 0.5]", "end");
    assertThat(range(5).batch(3, toList()).toList())
        .containsExactly(List.of(0L, 1L, 2L), List.of(3L, 4L));
    assertThat(range(5).batch(3, numbers -> numbers.stream().mapToLong(x -> x).sum()).toList())
        .containsExactly(3L, 7L);
  }

  @Test
  void batchesLargerThanAChunkAreWhole() {
    List<Tensor> batches = range(10_000).batch(4_000, stack()).toList();
    assertThat(batches).extracting(Tensor::elements).containsExactly(4000L, 4000L, 2000L);
    assertThat(batches.get(1).longAt(3999)).isEqualTo(7999);
    assertThat(batches.get(2).longAt(1999)).isEqualTo(9999);
    assertThat(range(10_000).map(x -> labelled(x), 2).batch(3_000).count()).isEqualTo(4);
  }

  @Test
  void aFailedElementCostsThatElementAndComesBeforeItsBatch() {
    assertThat(Outcomes.of(range(7).map(x -> Outcomes.refusing(1, x)).batch(3, stack())))
        .containsExactly("error", "int64[3] [0, 2, 3]", "int64[3] [4, 5, 6]", "end");
    assertThat(Outcomes.of(range(7).map(x -> Outcomes.refusing(4, x), 2).batch(3, stack())))
        .containsExactly("int64[3] [0, 1, 2]", "error", "int64[3] [3, 5, 6]", "end");
    assertThat(Outcomes.of(range(3).map(x -> Outcomes.refusing(x, x)).batch(2, stack())))
        .containsExactly("error", "error", "error", "end");
  }

  @Test
  void unequalShapesCostTheirBatchOnly() {
    Dataset<Tensor> batches = range(6).map(x -> Tensor.full(Shape.of(x == 3 ? 2 : 1), x)).batch(2);
    assertThat(Outcomes.of(batches))
        .containsExactly("int64[2, 1] [0, 1]", "error", "int64[2, 1] [4, 5]", "end");
    PipelineException error = Outcomes.errors(batches).getFirst();
    assertThat(error.element()).isEqualTo("2");
    assertThat(error)
        .hasMessageContaining(
            "batch: expected all elements to be alike, but element 0 is int64[1] and element 1 is"
                + " int64[2]; bring them to one shape first, or use a collator");
  }

  @Test
  void unequalTypesAreNamedWithTheirPlace() {
    Dataset<Labelled> batches =
        range(2)
            .map(
                x -> new Labelled(Tensor.scalar(x), x == 0 ? Tensor.scalar(1L) : Tensor.scalar(1f)))
            .batch(2);
    assertThat(Outcomes.errors(batches).getFirst())
        .hasMessageContaining("in 'label' element 0 is int64[] and element 1 is float[]");
  }

  @Test
  void unequalStructuresCostTheirBatch() {
    Dataset<Object> mixed =
        range(4).<Object>map(x -> x == 1 ? labelled(x) : Tensor.scalar(x)).batch(2);
    assertThat(Outcomes.of(mixed)).containsExactly("error", "int64[2] [2, 3]", "end");
    assertThat(Outcomes.errors(mixed).getFirst())
        .hasMessageContaining("batch: expected all elements to have the structure of the first, ")
        .hasMessageContaining("but element 1 of the batch is ")
        .hasMessageContaining("Labelled");
    Dataset<Map<String, Tensor>> keys =
        range(2).map(x -> Map.of("key" + x, Tensor.scalar(x))).batch(2);
    assertThat(Outcomes.errors(keys).getFirst())
        .hasMessageContaining("key0")
        .hasMessageContaining("key1");
  }

  @Test
  void numbersTextsAndTheirArraysAreBatchedAsTensors() {
    assertThat(Outcomes.of((Dataset<?>) range(5).batch(3)))
        .containsExactly("int64[3] [0, 1, 2]", "int64[2] [3, 4]", "end");
    assertThat(Outcomes.of((Dataset<?>) range(3).map(x -> "t" + x).batch(2)))
        .isEqualTo(Outcomes.of(range(3).map(x -> "t" + x).batch(2, stack())));
    List<Object> values =
        List.of(1, 2L, (short) 3, (byte) 4, 5f, 6d, true, 'c', "text", new int[] {1, 2});
    for (Object value : values) {
      Object batch = Dataset.fromList(List.of(value, value)).batch(2).singleElement();
      assertThat(((Tensor) batch).shape().dim(0)).as("%s", value).isEqualTo(2);
    }
    assertThat(values.stream().limit(4).map(v -> LeafValues.tensorOf(v).dtype()))
        .containsExactly(DType.INT32, DType.INT64, DType.INT16, DType.INT8);
    Object arrays =
        Dataset.fromList(
                List.of(List.of(new short[] {1}, new boolean[] {true}, new String[] {"a"})))
            .batch(1)
            .singleElement();
    assertThat(arrays)
        .asInstanceOf(InstanceOfAssertFactories.list(Tensor.class))
        .extracting(Tensor::dtype)
        .containsExactly(DType.INT16, DType.BOOL, DType.STRING);
  }

  private record Row(int a, String b) {}

  private record Photo(Tensor image, float label, Row row) {}

  @Test
  void aRecordThatCannotHoldTensorsBecomesColumnsByName() {
    Dataset<Row> rows = range(3).map(x -> new Row(x.intValue(), "t" + x));
    List<String> expected =
        List.of("{a=int32[2] [0, 1], b=string[2] [t0, t1]}", "{a=int32[1] [2], b=string[1] [t2]}");
    Dataset<Map<String, Tensor>> typed = rows.batch(2, Collator.columns());
    assertThat(typed.toList()).extracting(BatchOpTest::described).isEqualTo(expected);
    assertThat((List<?>) rows.batch(2).toList())
        .extracting(batch -> described((Map<?, ?>) batch))
        .isEqualTo(expected);
    Dataset<Photo> photos =
        range(2).map(x -> new Photo(Tensor.full(Shape.of(1), (float) x), x, new Row(1, "r")));
    Object photo = photos.batch(2).singleElement();
    assertThat(described((Map<?, ?>) photo))
        .startsWith("{image=float[2, 1] [0.0, 1.0], label=float[2] [0.0, 1.0], row={a=");
    assertThat(photos.batch(2, Collator.columns()).singleElement())
        .containsOnlyKeys("image", "label", "row.a", "row.b");
  }

  private static String described(Map<?, ?> map) {
    return map.entrySet().stream()
        .map(
            e ->
                e.getKey()
                    + "="
                    + (e.getValue() instanceof Map<?, ?> inner
                        ? described(inner)
                        : Outcomes.text(e.getValue())))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private record Dated(Row row, List<Object> days) {}

  @Test
  void whatCannotBeALeafIsNamed() {
    String expected =
        "batch: expected a Tensor, a number, boolean or text, an array of them, or a record,"
            + " Map<String, …> or List of them, but ";
    Row row = new Row(1, "");
    for (Map.Entry<Object, String> each :
        List.<Map.Entry<Object, String>>of(
            Map.entry(LocalDate.EPOCH, "got java.time.LocalDate;"),
            Map.entry(
                new Dated(row, List.of(1, LocalDate.EPOCH)),
                "Dated.days[1] is java.time.LocalDate; use batch(2, Collator.toList()) for a list,"
                    + " or a collator of your own"),
            Map.entry(new Row(1, null), "Row.b is null;"),
            Map.entry(Map.of("x", Map.of(1, 2)), "['x'] is a map whose keys are not all texts;"))) {
      assertThat(Outcomes.errors(Dataset.fromList(List.of(each.getKey())).batch(2)))
          .singleElement()
          .asString()
          .contains(expected + each.getValue());
    }
  }

  @Test
  void elementsThatAreNoStructuresNeedACollator() {
    List<PipelineException> errors = Outcomes.errors(range(5).map(x -> new Object()).batch(3));
    assertThat(errors).hasSize(2);
    assertThat(errors.getFirst().isTerminal()).isFalse();
    assertThat(errors.getFirst())
        .hasMessageContaining(
            "but got java.lang.Object; use batch(3, Collator.toList()) for a list, or a collator"
                + " of your own");
    assertThat(Outcomes.errors(range(2).map(x -> new Object()).batch(2, stack())).getFirst())
        .hasMessageContaining("stack: expected numbers, booleans, texts")
        .hasMessageContaining(
            "but got java.lang.Object; use batch(n) for records, maps and lists of");
  }

  @Test
  void aCollatorThatThrowsOrReturnsNullCostsItsBatch() {
    Collator<Long, Long> fails = numbers -> Outcomes.refusing(2, numbers.getFirst());
    assertThat(Outcomes.of(range(6).batch(2, fails)))
        .containsExactly("int64[] [0]", "error", "int64[] [4]", "end");
    Collator<Long, Long> none = numbers -> null;
    assertThat(Outcomes.errors(range(2).batch(2, none)).getFirst())
        .hasMessageMatching(
            "batch \\(BatchOpTest\\.java:\\d+\\) ← range: element 0 of epoch 0 failed: .*"
                + "expected the collator to return a batch, but it returned null");
  }

  @Test
  void refusesBadArguments() {
    for (int size : new int[] {0, -1}) {
      assertThatThrownBy(() -> range(3).batch(size))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("batch: expected a size of at least 1, but got " + size);
    }
    Collator<Long, Long> none = null;
    assertThatThrownBy(() -> range(3).batch(2, none))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("batch: expected a collator, but got null");
  }
}
