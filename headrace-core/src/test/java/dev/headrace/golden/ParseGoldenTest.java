package dev.headrace.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Csv;
import dev.headrace.data.DType;
import dev.headrace.data.Ragged;
import dev.headrace.data.Raw;
import dev.headrace.data.Shape;
import dev.headrace.data.Sparse;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.example.Features;
import dev.headrace.text.CsvLines;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Parsed examples, rows and raw bytes are those that TensorFlow's kernels were recorded with. */
class ParseGoldenTest {
  private static final Map<String, Object> EXAMPLES =
      GoldenCase.fields(
          Objects.requireNonNull(
              GoldenCase.fields(Json.read(GoldenCase.resource("parse.json"))).get("examples_b64")));
  private static final Map<String, Callable<List<Tensor>>> OURS = ours();

  static Stream<GoldenCase> cases() {
    return Stream.concat(
        GoldenCase.all("parse.json").stream(), GoldenCase.all("raw.json").stream());
  }

  @Test
  void everyRecordedCaseIsRun() {
    assertThat(cases().map(GoldenCase::name)).containsExactlyInAnyOrderElementsOf(OURS.keySet());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void givesWhatWasRecorded(GoldenCase golden) throws Exception {
    Callable<List<Tensor>> ours = Objects.requireNonNull(OURS.get(golden.name()));
    if (golden.output().equals(Outcomes.ERROR)) {
      assertThatThrownBy(ours::call)
          .satisfies(e -> assertThat(ErrorKind.of(e)).isEqualTo(golden.errorCode()));
    } else {
      assertThat(Outcomes.text(ours.call())).isEqualTo(golden.output());
    }
  }

  private static Map<String, Callable<List<Tensor>>> ours() {
    Map<String, Callable<List<Tensor>>> ours = new LinkedHashMap<>();
    Tensor all = batch("e0", "e1", "e2");
    Tensor garbage = Tensor.scalar("garbage!");
    Feature number = Feature.int64("i");
    ours.put("fixedlen_required", () -> dense(all, Feature.float32("f").shape(2), number));
    ours.put("fixedlen_default_string", () -> dense(all, Feature.bytes("s").orElse("dflt")));
    ours.put("fixedlen_missing_error", () -> dense(all, Feature.bytes("s")));
    ours.put("fixedlen_missing_error_noname", () -> dense(all, Feature.bytes("s")));
    ours.put("fixedlen_wrong_shape_error", () -> dense(all, Feature.float32("f").shape(3)));
    ours.put("fixedlen_sequence", () -> dense(all, Feature.int64("v").sequence()));
    ours.put("fixedlen_sequence_pad9", () -> dense(all, Feature.int64("v").sequence().orElse(9)));
    ours.put(
        "varlen",
        () -> {
          Features parsed = parse(all, Feature.int64("v").varLen(), Feature.bytes("s").varLen());
          Sparse v = parsed.sparse("v");
          Sparse s = parsed.sparse("s");
          return List.of(
              v.indices(), s.indices(), v.values(), s.values(), v.denseShape(), s.denseShape());
        });
    ours.put("varlen_wrong_type_error", () -> sparse(all, Feature.float32("v").varLen()));
    ours.put(
        "ragged",
        () -> {
          Features parsed = parse(all, Feature.float32("r").ragged(), Feature.int64("v").ragged());
          Ragged r = parsed.ragged("r");
          Ragged v = parsed.ragged("v");
          return List.of(r.values(), v.values(), r.rowSplits(), v.rowSplits().convert(DType.INT32));
        });
    ours.put("empty_batch", () -> dense(Tensor.ofStrings(new String[0]), number));
    ours.put("scalar_serialized", () -> scalar());
    ours.put("malformed_error", () -> dense(garbage.reshape(Shape.of(1)), number));
    ours.put("empty_bytes_default", () -> dense(Tensor.ofStrings(""), number.orElse(5)));
    ours.put(
        "duplicate_key_last_wins",
        () -> dense(Tensor.ofStrings(concat(bytes("e0"), bytes("e1"))), number));
    ours.put(
        "single_ok",
        () -> {
          Features parsed =
              parse(
                  example("e0"),
                  Feature.float32("f").shape(2),
                  number,
                  Feature.int64("v").varLen());
          List<Tensor> tensors = new ArrayList<>(parts(parsed.sparse("v")));
          tensors.add(parsed.tensor("f"));
          tensors.add(parsed.tensor("i"));
          return tensors;
        });
    ours.put("single_type_error", () -> dense(example("e0"), Feature.bytes("i")));
    ours.put("single_malformed_error", () -> dense(garbage, number));
    ours.put(
        "decode_csv_fields_error",
        () ->
            List.copyOf(
                CsvLines.decoder(
                        Csv.columns(Csv.int32("a"), Csv.float32("b"), Csv.string("c"))
                            .withoutHeader())
                    .apply(Tensor.ofStrings("1,2"))
                    .values()));
    raw(ours);
    return ours;
  }

  private static List<Tensor> scalar() throws Exception {
    Features parsed = parse(example("e0"), Feature.int64("i"), Feature.int64("v").varLen());
    List<Tensor> tensors = new ArrayList<>(parts(parsed.sparse("v")));
    tensors.add(parsed.tensor("i"));
    return tensors;
  }

  private static void raw(Map<String, Callable<List<Tensor>>> ours) {
    Tensor bytes = Tensor.scalar(new byte[] {1, 2, 3, 4, 5, 6, 7, (byte) 200});
    for (DType dtype : List.of(DType.UINT8, DType.INT16, DType.INT32, DType.INT64, DType.FLOAT64)) {
      String name = "decode_raw_" + dtype.tfName();
      ours.put(name + "_le", () -> List.of(Raw.decode(bytes, dtype)));
      ours.put(name + "_be", () -> List.of(Raw.decode(bytes, dtype, ByteOrder.BIG_ENDIAN)));
    }
    ours.put(
        "decode_raw_size_error",
        () -> List.of(Raw.decode(Tensor.scalar(new byte[7]), DType.INT32)));
    ours.put(
        "decode_raw_uneven_error",
        () -> List.of(Raw.decode(Tensor.ofStrings("ab", "abcd"), DType.INT16)));
    ours.put(
        "decode_padded_raw",
        () -> List.of(Raw.decodePadded(Tensor.ofStrings("ab", "abcdef"), DType.UINT8, 4)));
  }

  private static Features parse(Tensor serialised, Feature... features) throws Exception {
    return Example.parser(features).apply(serialised);
  }

  private static List<Tensor> dense(Tensor serialised, Feature... features) throws Exception {
    Features parsed = parse(serialised, features);
    return Stream.of(features).map(feature -> parsed.tensor(feature.name())).toList();
  }

  private static List<Tensor> sparse(Tensor serialised, Feature feature) throws Exception {
    return parts(parse(serialised, feature).sparse(feature.name()));
  }

  private static List<Tensor> parts(Sparse sparse) {
    return List.of(sparse.indices(), sparse.values(), sparse.denseShape());
  }

  private static byte[] bytes(String name) {
    return Base64.getDecoder().decode((String) Objects.requireNonNull(EXAMPLES.get(name)));
  }

  private static Tensor example(String name) {
    return Tensor.scalar(bytes(name));
  }

  private static Tensor batch(String... names) {
    return Tensor.ofStrings(Stream.of(names).map(ParseGoldenTest::bytes).toArray(byte[][]::new));
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = new byte[first.length + second.length];
    System.arraycopy(first, 0, both, 0, first.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
