package dev.headrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Csv;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The results are those that {@code tf.io.decode_csv} of TensorFlow 2.21 gave. */
class CsvLinesTest {
  private static final Csv.Column NUMBER = Csv.int32("n");
  private static final Csv.Column TEXT = Csv.string("t").or("");

  private static Tensor last(Csv format, String line) throws Exception {
    Map<String, Tensor> row = CsvLines.textDecoder(format.withoutHeader()).apply(line);
    return row.values().stream().toList().getLast();
  }

  @Test
  void takesLinesApart() throws Exception {
    Map<String, Tensor> columns =
        CsvLines.decoder(
                Csv.columns(Csv.int32("a").or(0), Csv.float32("b").or(1.5), Csv.string("c").or("d"))
                    .withoutHeader())
            .apply(Tensor.ofStrings("1,2.5,x", "3,,\"a,\"\"b\""));
    assertThat(Objects.requireNonNull(columns.get("a")).toIntArray()).containsExactly(1, 3);
    assertThat(Objects.requireNonNull(columns.get("b")).toFloatArray()).containsExactly(2.5f, 1.5f);
    assertThat(Objects.requireNonNull(columns.get("c")).toStrings()).containsExactly("x", "a,\"b");
    assertThat(last(Csv.columns(NUMBER, TEXT), "1, 2 ").stringValue()).isEqualTo(" 2 ");
    assertThat(last(Csv.columns(TEXT, Csv.float32("f")), "x, 2 ").floatValue()).isEqualTo(2f);
    assertThat(last(Csv.columns(NUMBER, TEXT).withoutQuotes(), "1,a\"b").stringValue())
        .isEqualTo("a\"b");
    assertThat(last(Csv.columns(NUMBER, Csv.int32("m").or(7)).missing("NA"), "1,NA").intValue())
        .isEqualTo(7);
    assertThat(last(Csv.columns(NUMBER, TEXT).delimiter('\t'), "1\t2").stringValue())
        .isEqualTo("2");
    assertThat(last(Csv.columns(TEXT, Csv.string("u")), "a,\"x\ny\"").stringValue())
        .isEqualTo("x\ny");
    assertThat(
            last(Csv.columns(NUMBER).withoutHeader().with(java.util.List.of(NUMBER.at(2))), "1,2,3")
                .intValue())
        .isEqualTo(3);
  }

  @Test
  void keepsTheShapeOfTheLines() throws Exception {
    Tensor lines = Tensor.ofStrings("1", "2", "3", "4").reshape(Shape.of(2, 2));
    assertThat(
            CsvLines.decoder(Csv.columns(NUMBER).withoutHeader()).apply(lines).values().stream()
                .map(Tensor::shape))
        .containsExactly(Shape.of(2, 2));
  }

  @Test
  void refusesWhatTensorFlowRefuses() {
    Csv two = Csv.columns(NUMBER, TEXT);
    assertThatThrownBy(() -> last(two, ",2"))
        .hasMessage(
            "decodeCsv: expected a value of column 'n', but it is missing in line 0; give the"
                + " column a default by or(…)");
    assertThatThrownBy(() -> last(two, "abc,2"))
        .hasMessage("decodeCsv: expected int32 in column 'n', but got \"abc\" in line 0");
    assertThatThrownBy(() -> last(two, "99999999999,2")).hasMessageContaining("expected int32");
    assertThatThrownBy(() -> last(two, "1,\"2"))
        .hasMessage(
            "decodeCsv: expected a quote at the end of the field, but got the end at byte 4 of"
                + " line 0");
    for (String bad : new String[] {"1,a\"b", "1,\"2\"x", "1,2\n", "1", "1,2,3", ""}) {
      assertThatThrownBy(() -> last(two, bad)).as(bad).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> CsvLines.decoder(two))
        .hasMessageContaining("say Csv.columns(…).withoutHeader()");
  }

  @Test
  void bytesThatAreNoTextAreKept() throws Exception {
    byte[] line = {'1', ',', (byte) 0xFF, (byte) 0x80, '"'};
    Map<String, Tensor> row =
        CsvLines.decoder(Csv.columns(NUMBER, TEXT).withoutHeader().withoutQuotes())
            .apply(Tensor.wrapString(MemorySegment.ofArray(line)));
    assertThat(Objects.requireNonNull(row.get("t")).bytesValue()).containsExactly(0xFF, 0x80, '"');
    assertThat(last(Csv.columns(NUMBER, TEXT), "1,\"grüße, 猫\"").stringValue())
        .isEqualTo("grüße, 猫");
    assertThat(
            last(Csv.columns(NUMBER, Csv.string("t").or("für")).missing("ä"), "1,ä").stringValue())
        .isEqualTo("für");
  }
}
