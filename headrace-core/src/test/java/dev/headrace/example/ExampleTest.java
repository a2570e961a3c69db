package dev.headrace.example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.data.DType;
import dev.headrace.data.ElementCodec;
import dev.headrace.data.Ragged;
import dev.headrace.data.Shape;
import dev.headrace.data.Sparse;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Fn;
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ExampleTest {
  private static Tensor record(int i) {
    return Example.builder()
        .int64("label", i)
        .floats("box", i, i + 1, i + 2, i + 3)
        .strings("name", "n" + i)
        .build();
  }

  private static final Feature[] FEATURES = {
    Feature.int64("label"), Feature.float32("box").shape(2, 2), Feature.bytes("name")
  };

  private static Features parse(Tensor serialised, Feature... features) throws Exception {
    return Example.parser(features).apply(serialised);
  }

  private static void assertSame(Object actual, Object expected) {
    Structure<Object> structure = Structure.of(expected);
    assertThat(structure.matches(actual)).isTrue();
    Tensor[] wanted = structure.leaves(expected);
    Tensor[] got = structure.leaves(actual);
    for (int i = 0; i < wanted.length; i++) {
      assertThat(got[i].contentEquals(wanted[i]))
          .as("%s: %s, not %s", structure.leafName(i), got[i], wanted[i])
          .isTrue();
    }
  }

  @Test
  void keepsTheContract() {
    List<Tensor> records = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      records.add(i == 7 ? Tensor.scalar("garbage!") : record(i));
    }
    PipelineContract.of(n -> Dataset.fromList(records).map(Example.parser(FEATURES), n).batch(3))
        .check();
  }

  @Test
  void givesTheSameColumnsBeforeAndAfterBatch() {
    Dataset<Tensor> records = Dataset.range(10).map(i -> record(i.intValue()));
    List<Features> parsedFirst = records.map(Example.parser(FEATURES)).batch(4).toList();
    List<Features> batchedFirst = records.batch(4).map(Example.parser(FEATURES)).toList();
    assertThat(parsedFirst).hasSize(3);
    for (int i = 0; i < 3; i++) {
      assertSame(parsedFirst.get(i), batchedFirst.get(i));
    }
    assertThat(batchedFirst.getFirst().tensor("box").shape()).isEqualTo(Shape.of(4, 2, 2));
    assertThat(batchedFirst.getLast().tensor("label").toLongArray()).containsExactly(8, 9);
    assertThat(batchedFirst.getLast().bytes("name").toStrings()).containsExactly("n8", "n9");
  }

  @Test
  void canBeSavedLoadedAndCached(@TempDir Path folder) throws IOException {
    Feature[] features = {
      Feature.int64("label"), Feature.float32("box").varLen(), Feature.bytes("name").ragged()
    };
    Dataset<Features> parsed =
        Dataset.range(6).map(i -> record(i.intValue())).batch(2).map(Example.parser(features));
    assertThat(parsed.save(folder.resolve("saved"))).isEqualTo(3);
    List<Features> loaded =
        Dataset.load(folder.resolve("saved"), Features.class, Sparse.class, Ragged.class).toList();
    List<Features> cached = parsed.cache(folder.resolve("cached")).repeat(2).toList();
    List<Features> direct = parsed.toList();
    for (int i = 0; i < 3; i++) {
      assertSame(loaded.get(i), direct.get(i));
      assertSame(cached.get(3 + i), direct.get(i));
    }
    ElementCodec codec = new ElementCodec().learn(direct.getFirst());
    assertSame(codec.decode(codec.encode(direct.getFirst())), direct.getFirst());
  }

  @Test
  void doesNotCopyByteStrings() throws Exception {
    byte[] image = new byte[60_000];
    Arrays.fill(image, (byte) 7);
    byte[] bytes = Example.builder().bytes("image", image).int64("label", 1).toBytes();
    Features parsed =
        parse(Tensor.wrapString(MemorySegment.ofArray(bytes)), Feature.bytes("image"));
    Tensor raw = parsed.decodeRaw("image", DType.UINT8, Shape.of(100, 200, 3));
    Arrays.fill(bytes, 100, 200, (byte) 9);
    assertThat(parsed.bytes("image").segmentAt(0).byteSize()).isEqualTo(60_000);
    assertThat(parsed.bytes("image").bytesValue()[150]).isEqualTo((byte) 9);
    assertThat(raw.shape()).isEqualTo(Shape.of(100, 200, 3));
    assertThat(raw.longAt(150)).isEqualTo(9);
  }

  @Test
  void readsLongLists() throws Exception {
    long[] numbers = new long[10_000];
    float[] floats = new float[10_000];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = (i % 3 == 0 ? -1L : 1L) << i % 64;
      floats[i] = i / 3f;
    }
    Tensor record =
        Example.builder().int64("numbers", numbers).floats("floats", floats).int64("a", 5).build();
    Features parsed =
        parse(
            record,
            Feature.int64("numbers").sequence(),
            Feature.float32("floats").shape(100, 100),
            Feature.int64("a"));
    assertThat(parsed.tensor("numbers").toLongArray()).isEqualTo(numbers);
    assertThat(parsed.tensor("floats").toFloatArray()).isEqualTo(floats);
    assertThat(parsed.tensor("a").longValue()).isEqualTo(5);
  }

  @Test
  void fillsInDefaults() throws Exception {
    Features parsed =
        parse(
            Example.builder().int64("other", 1).build(),
            Feature.int64("label").orElse(-1),
            Feature.float32("box").shape(2).orElse(1.5, 2.5),
            Feature.float32("zero").shape(3).orElse(0),
            Feature.bytes("name").orElse("?"),
            Feature.int64("ids").sequence(),
            Feature.int64("more").ragged());
    assertThat(parsed.tensor("label").longValue()).isEqualTo(-1);
    assertThat(parsed.tensor("box").toFloatArray()).containsExactly(1.5f, 2.5f);
    assertThat(parsed.tensor("zero").toFloatArray()).containsExactly(0, 0, 0);
    assertThat(parsed.tensor("name").stringValue()).isEqualTo("?");
    assertThat(parsed.tensor("ids").shape()).isEqualTo(Shape.of(0));
    assertThat(parsed.tensor("more").shape()).isEqualTo(Shape.of(0));
  }

  @Test
  void joinsSparseFeatures() throws Exception {
    Tensor record =
        Example.builder().int64("x", 5, 2, 5).int64("y", 3, 2, 1).floats("values", 1, 2, 3).build();
    Feature weights = Feature.float32("values").sparse(Shape.of(10, 4), "x", "y").as("weights");
    Sparse one = parse(record, weights).sparse("weights");
    assertThat(one.indices().toLongArray()).containsExactly(2, 2, 5, 1, 5, 3);
    assertThat(one.values().toFloatArray()).containsExactly(2, 3, 1);
    assertThat(one.denseShape().toLongArray()).containsExactly(10, 4);
    Sparse two = parse(Tensor.stackStrings(List.of(record, record)), weights).sparse("weights");
    assertThat(two.indices().toLongArray())
        .containsExactly(0, 2, 2, 0, 5, 1, 0, 5, 3, 1, 2, 2, 1, 5, 1, 1, 5, 3);
    assertThat(two.denseShape().toLongArray()).containsExactly(2, 10, 4);
    assertThatThrownBy(
            () -> parse(record, Feature.float32("values").sparse(Shape.of(5), "x").as("weights")))
        .hasMessage("example: feature 'values': expected indices of 0 to 4 in 'x', but got 5");
  }

  @Test
  void dividesRaggedFeatures() throws Exception {
    Tensor record =
        Example.builder()
            .int64("values", 1, 2, 3)
            .int64("lengths", 2, 0, 1)
            .int64("splits", 0, 2, 2, 3)
            .int64("starts", 0, 2, 2)
            .int64("limits", 2, 2, 3)
            .int64("ids", 0, 0, 2)
            .build();
    Tensor empty = Example.builder().build();
    for (Partition partition :
        List.of(
            Partition.rowLengths("lengths"),
            Partition.rowSplits("splits"),
            Partition.rowStarts("starts"),
            Partition.rowLimits("limits"),
            Partition.valueRowIds("ids"))) {
      Feature feature = Feature.int64("values").ragged(partition);
      NestedRagged one = parse(record, feature).nestedRagged("values");
      assertThat(one.rowSplits().getFirst().toLongArray()).containsExactly(0, 2, 2, 3);
      NestedRagged two =
          parse(Tensor.stackStrings(List.of(record, empty)), feature).nestedRagged("values");
      assertThat(two.values().toLongArray()).containsExactly(1, 2, 3);
      assertThat(two.rowSplits().get(0).toLongArray()).containsExactly(0, 3, 3);
      assertThat(two.rowSplits().get(1).toLongArray()).containsExactly(0, 2, 2, 3);
    }
    assertThatThrownBy(
            () -> parse(record, Feature.int64("values").ragged(Partition.uniformRowLength(2))))
        .hasMessageContaining("expected a multiple of the row length");
  }

  record Flower(long label, float petalLength, String name, byte[] raw, long[] ids, Tensor box) {}

  record Columns(Tensor label, Sparse ids) {}

  @Test
  void parsesRecordsOfTheUser() throws Exception {
    Tensor record =
        Example.builder()
            .int64("label", 3)
            .floats("petal_length", 1.5f)
            .strings("name", "iris")
            .bytes("raw", "raw".getBytes(UTF_8))
            .int64("ids", 1, 2)
            .floats("box", 1, 2)
            .build();
    Fn<Tensor, Flower> parser = Example.parser(Flower.class, Feature.float32("box").shape(2));
    Flower flower = parser.apply(record);
    assertThat(flower.label).isEqualTo(3);
    assertThat(flower.petalLength).isEqualTo(1.5f);
    assertThat(flower.name).isEqualTo("iris");
    assertThat(flower.raw).isEqualTo("raw".getBytes(UTF_8));
    assertThat(flower.ids).containsExactly(1, 2);
    assertThat(flower.box.toFloatArray()).containsExactly(1, 2);
    assertThat(parser.apply(Example.of(flower)).ids).containsExactly(1, 2);
    Tensor batch = Tensor.stackStrings(List.of(record, record));
    assertThatThrownBy(() -> parser.apply(batch))
        .hasMessage(
            "example: expected one example for a Flower, but got a batch of 2; declare its"
                + " components as Tensors to parse batches");
    Columns columns =
        Example.parser(Columns.class, Feature.int64("label"), Feature.int64("ids").varLen())
            .apply(batch);
    assertThat(columns.label.toLongArray()).containsExactly(3, 3);
    assertThat(columns.ids.values().toLongArray()).containsExactly(1, 2, 1, 2);
    assertThatThrownBy(() -> Example.parser(Columns.class))
        .hasMessage(
            "Example.parser: expected component label of Columns to be declared, as it is a Tensor,"
                + " but it is not; declare it as in parser(Columns.class,"
                + " Feature.int64(\"label\"))");
  }

  @Test
  void namesFeatureAndByteOfErrors() {
    Tensor record = record(3);
    assertThatThrownBy(() -> parse(record, Feature.int64("name")))
        .hasMessage("example: feature 'name': expected int64, but got string");
    assertThatThrownBy(() -> parse(record, Feature.float32("box").shape(3)))
        .hasMessage(
            "example: feature 'box': expected 3 values, but got 4; say its shape, or sequence(),"
                + " varLen() or ragged()");
    assertThatThrownBy(() -> parse(record, Feature.int64("absent")))
        .hasMessage(
            "example: feature 'absent': expected values of type int64, but there are none; declare"
                + " it with a default by orElse(…), or as ragged()");
    byte[] cut = Arrays.copyOf(record.bytesValue(), 10);
    assertThatThrownBy(() -> parse(Tensor.ofStrings(new byte[0], cut), FEATURES[0].orElse(0)))
        .hasMessage(
            "example 1 of the batch: expected a length of at most 8, but got 61, at byte 1 of 10;"
                + " is it a serialised tf.train.Example?");
    byte[] bad = Example.builder().int64("label", 1, 2, 3).toBytes();
    bad[bad.length - 1] = (byte) 0x80;
    assertThatThrownBy(() -> parse(Tensor.scalar(bad), Feature.int64("label").ragged()))
        .hasMessageContaining("feature 'label': expected a whole number")
        .hasMessageContaining("at byte " + (bad.length - 1) + " of " + bad.length);
    assertThatThrownBy(() -> parse(Tensor.scalar(3L), FEATURES))
        .hasMessage("example: expected a byte string or a vector of them, but got int64[]");
  }

  @Test
  void goesOnAfterAnError() throws Exception {
    Fn<Tensor, Features> parser = Example.parser(FEATURES);
    assertThatThrownBy(() -> parser.apply(Tensor.scalar("garbage!")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(parser.apply(record(4)).tensor("label").longValue()).isEqualTo(4);
  }

  @Test
  void refusesFeaturesThatMakeNoSense() {
    assertThatThrownBy(() -> Example.parser()).hasMessageContaining("at least one feature");
    assertThatThrownBy(() -> Example.parser(Feature.int64("a"), Feature.float32("a")))
        .hasMessageContaining("give one another name by as(…)");
    assertThatThrownBy(() -> Feature.int64("a").shape(2).orElse(1, 2, 3))
        .hasMessageContaining("expected a default of type int64 with one element, or 2");
    assertThatThrownBy(() -> Feature.int64("a").varLen().orElse(1))
        .hasMessageContaining("a feature that is VAR_LEN has none");
    assertThatThrownBy(() -> Feature.int64("a").shape(Shape.of(-1)))
        .hasMessageContaining("expected a shape");
  }

  @Test
  void isNamedAfterWhatItParses() {
    assertThat(FunctionIdentity.of(Example.parser(FEATURES)).label())
        .isEqualTo("example[label:int64[], box:float[2, 2], name:string[]]");
    assertThat(FunctionIdentity.of(Example.parser(Feature.int64("a").orElse(1))).hash())
        .isEqualTo(FunctionIdentity.of(Example.parser(Feature.int64("a").orElse(1))).hash())
        .isNotEqualTo(FunctionIdentity.of(Example.parser(Feature.int64("a").orElse(2))).hash());
  }

  @Test
  void remembersOnlySoManyKeys() throws Exception {
    Fn<Tensor, Features> parser = Example.parser(Feature.int64("key 4999"));
    for (int pass = 0; pass < 2; pass++) {
      for (int from = 0; from < 5000; from += 100) {
        ExampleBuilder builder = Example.builder();
        for (int i = from; i < from + 100; i++) {
          builder.int64("key " + i, i);
        }
        if (from < 4900) {
          builder.int64("key 4999", from);
        }
        assertThat(parser.apply(builder.build()).tensor("key 4999").longValue())
            .isEqualTo(from < 4900 ? from : 4999);
      }
    }
  }

  /** An entry of a map, its key usual, its value one int64. */
  private static byte[] entry(byte[] key, int number) {
    ByteBuffer out = ByteBuffer.allocate(4 + key.length + 2 + 5);
    out.put((byte) 0x0A).put((byte) (key.length + 2 + 2 + 5));
    out.put((byte) 0x0A).put((byte) key.length).put(key);
    out.put((byte) 0x12).put((byte) 5).put((byte) 0x1A).put((byte) 3);
    return out.put((byte) 0x0A).put((byte) 1).put((byte) number).array();
  }

  @Test
  void aKeyThatIsCutAtTheEndOfTheWindowIsMalformed() {
    byte[] key = new byte[118];
    key[0] = 'k';
    byte[] whole = entry(key, 1);
    for (int kept = 1; kept < whole.length; kept++) {
      int filler = 4096 - 3 - whole.length - kept;
      ByteBuffer out = ByteBuffer.allocate(4096);
      out.put((byte) 0x0A).put((byte) ((4096 - 3) & 0x7F | 0x80)).put((byte) ((4096 - 3) >> 7));
      out.put((byte) 0x12).put((byte) ((filler - 3) & 0x7F | 0x80)).put((byte) ((filler - 3) >> 7));
      out.position(out.position() + filler - 3).put(whole).put(whole, 0, kept);
      assertThat(out.hasRemaining()).isFalse();
      Tensor record = Tensor.wrapString(MemorySegment.ofArray(out.array()));
      Fn<Tensor, Features> parser = Example.parser(Feature.int64("x").orElse(0));
      assertThatThrownBy(
              () -> {
                Features _ = parser.apply(record);
              })
          .as("%d bytes", kept)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("example: ");
    }
  }

  @Test
  void rowIdsAscendAndLeaveOutBoundedRows() throws Exception {
    Feature feature = Feature.int64("values").ragged(Partition.valueRowIds("ids"));
    for (long[] ids : new long[][] {{5, 0}, {-1, 0}, {0, -1}, {Long.MAX_VALUE, 0}}) {
      Tensor record = Example.builder().int64("values", 1, 2).int64("ids", ids).build();
      assertThatThrownBy(() -> parse(record, feature))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected rows that ascend from 0");
    }
    Tensor sparse = Example.builder().int64("values", 1).int64("ids", 600_000).build();
    assertThat(parse(sparse, feature).nestedRagged("values").rowSplits().getFirst().elements())
        .isEqualTo(600_002);
    assertThatThrownBy(() -> parse(Tensor.stackStrings(List.of(sparse, sparse)), feature))
        .hasMessageContaining("expected at most 1048576 empty rows in a batch")
        .hasMessageContaining("makes 1200000");
    Tensor huge = Example.builder().int64("values", 1).int64("ids", Long.MAX_VALUE).build();
    assertThatThrownBy(() -> parse(huge, feature)).hasMessageContaining("empty rows");
  }

  record Alike(long ab, long aB) {}

  record Petal(long petalLength) {}

  @Test
  void anExactKeyIsPreferred() throws Exception {
    assertThatThrownBy(() -> Example.parser(Alike.class))
        .hasMessageContaining("differ in more than case and underscores, but got 'aB' and 'ab'");
    Tensor both = Example.builder().int64("ab", 1).int64("aB", 2).int64("AB", 3).build();
    assertThat(Example.parser(Alike.class, Feature.int64("ab"), Feature.int64("aB")).apply(both))
        .isEqualTo(new Alike(1, 2));
    assertThat(Example.parser(Alike.class, Feature.int64("ab")).apply(both))
        .isEqualTo(new Alike(1, 2));
    Tensor other = Example.builder().int64("a_b", 1).build();
    assertThatThrownBy(() -> Example.parser(Petal.class, Feature.int64("petalLength")).apply(other))
        .hasMessageContaining("petalLength");
    Fn<Tensor, Petal> parser = Example.parser(Petal.class);
    for (int i = 0; i < 3; i++) {
      Tensor exactLast = Example.builder().int64("petal_length", 7).int64("petalLength", i).build();
      assertThat(parser.apply(exactLast)).isEqualTo(new Petal(i));
      Tensor exactFirst =
          Example.builder().int64("petalLength", i).int64("petal_length", 7).build();
      assertThat(parser.apply(exactFirst)).isEqualTo(new Petal(i));
      Tensor loose = Example.builder().int64("petal_length", i).build();
      assertThat(parser.apply(loose)).isEqualTo(new Petal(i));
    }
  }
}
