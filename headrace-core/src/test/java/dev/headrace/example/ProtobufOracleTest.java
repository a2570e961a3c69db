package dev.headrace.example;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Type;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.MessageOptions;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.headrace.data.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** protobuf's own library writes what we read, and reads what we write. */
class ProtobufOracleTest {
  private static final Descriptor EXAMPLE = descriptor();
  private static final Descriptor FEATURE = EXAMPLE.getFile().findMessageTypeByName("Feature");

  private static Descriptor descriptor() {
    FileDescriptorProto.Builder file =
        FileDescriptorProto.newBuilder().setName("example.proto").setSyntax("proto3");
    file.addMessageType(list("BytesList", Type.TYPE_BYTES));
    file.addMessageType(list("FloatList", Type.TYPE_FLOAT));
    file.addMessageType(list("Int64List", Type.TYPE_INT64));
    DescriptorProto.Builder feature =
        DescriptorProto.newBuilder()
            .setName("Feature")
            .addOneofDecl(OneofDescriptorProto.newBuilder().setName("kind"));
    String[] lists = {"BytesList", "FloatList", "Int64List"};
    for (int i = 0; i < lists.length; i++) {
      feature.addField(message("list" + i, i + 1, lists[i]).setOneofIndex(0));
    }
    file.addMessageType(feature);
    DescriptorProto.Builder entry =
        DescriptorProto.newBuilder()
            .setName("FeatureEntry")
            .setOptions(MessageOptions.newBuilder().setMapEntry(true))
            .addField(
                FieldDescriptorProto.newBuilder()
                    .setName("key")
                    .setNumber(1)
                    .setLabel(Label.LABEL_OPTIONAL)
                    .setType(Type.TYPE_STRING))
            .addField(message("value", 2, "Feature"));
    file.addMessageType(
        DescriptorProto.newBuilder()
            .setName("Features")
            .addNestedType(entry)
            .addField(
                message("feature", 1, "Features.FeatureEntry").setLabel(Label.LABEL_REPEATED)));
    file.addMessageType(
        DescriptorProto.newBuilder()
            .setName("Example")
            .addField(message("features", 1, "Features")));
    try {
      return FileDescriptor.buildFrom(file.build(), new FileDescriptor[0])
          .findMessageTypeByName("Example");
    } catch (DescriptorValidationException e) {
      throw new AssertionError(e);
    }
  }

  private static DescriptorProto list(String name, Type type) {
    return DescriptorProto.newBuilder()
        .setName(name)
        .addField(
            FieldDescriptorProto.newBuilder()
                .setName("value")
                .setNumber(1)
                .setLabel(Label.LABEL_REPEATED)
                .setType(type))
        .build();
  }

  private static FieldDescriptorProto.Builder message(String name, int number, String type) {
    return FieldDescriptorProto.newBuilder()
        .setName(name)
        .setNumber(number)
        .setLabel(Label.LABEL_OPTIONAL)
        .setType(Type.TYPE_MESSAGE)
        .setTypeName(type);
  }

  @Test
  void readsWhatProtobufWrites() {
    Random random = new Random(11);
    Feature[] wanted = {
      Feature.bytes("bytes").ragged(),
      Feature.float32("floats").ragged(),
      Feature.int64("numbers").ragged(),
      Feature.int64("missing").ragged()
    };
    for (int run = 0; run < 2_000; run++) {
      Map<String, List<Object>> values = new LinkedHashMap<>();
      values.put("bytes", new ArrayList<>());
      values.put("floats", new ArrayList<>());
      values.put("numbers", new ArrayList<>());
      for (int i = random.nextInt(50); i > 0; i--) {
        byte[] bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        Objects.requireNonNull(values.get("bytes")).add(ByteString.copyFrom(bytes));
        Objects.requireNonNull(values.get("floats")).add(random.nextFloat());
        Objects.requireNonNull(values.get("numbers")).add(random.nextLong() >> random.nextInt(64));
      }
      Object[] ours =
          new ExampleParser(List.of(wanted), Set.of())
              .parse(Tensor.scalar(message(values).toByteArray()));
      assertThat(strings((Tensor) ours[0])).isEqualTo(strings(values.get("bytes")));
      assertThat(floats((Tensor) ours[1])).isEqualTo(values.get("floats"));
      assertThat(longs((Tensor) ours[2])).isEqualTo(values.get("numbers"));
      assertThat(((Tensor) ours[3]).elements()).isZero();
    }
  }

  private static DynamicMessage message(Map<String, List<Object>> values) {
    FieldDescriptor features = EXAMPLE.findFieldByNumber(1);
    FieldDescriptor map = features.getMessageType().findFieldByNumber(1);
    DynamicMessage.Builder all = DynamicMessage.newBuilder(features.getMessageType());
    int kind = 1;
    for (Map.Entry<String, List<Object>> each : values.entrySet()) {
      FieldDescriptor list = FEATURE.findFieldByNumber(kind++);
      DynamicMessage.Builder content = DynamicMessage.newBuilder(list.getMessageType());
      each.getValue()
          .forEach(
              value -> content.addRepeatedField(list.getMessageType().findFieldByNumber(1), value));
      Descriptor entry = map.getMessageType();
      all.addRepeatedField(
          map,
          DynamicMessage.newBuilder(entry)
              .setField(entry.findFieldByNumber(1), each.getKey())
              .setField(
                  entry.findFieldByNumber(2),
                  DynamicMessage.newBuilder(FEATURE).setField(list, content.build()).build())
              .build());
    }
    return DynamicMessage.newBuilder(EXAMPLE).setField(features, all.build()).build();
  }

  @Test
  void writesWhatProtobufReads() throws InvalidProtocolBufferException {
    byte[] ours =
        Example.builder()
            .bytes("bytes", new byte[] {1, 2}, new byte[0])
            .floats("floats", 1.5f, Float.NaN)
            .int64("numbers", 0, -1, Long.MAX_VALUE, Long.MIN_VALUE)
            .int64("empty")
            .toBytes();
    Map<String, List<?>> read = read(ours);
    assertThat(read.get("bytes"))
        .isEqualTo(List.of(ByteString.copyFrom(new byte[] {1, 2}), ByteString.EMPTY));
    assertThat(read.get("floats")).isEqualTo(List.of(1.5f, Float.NaN));
    assertThat(read.get("numbers")).isEqualTo(List.of(0L, -1L, Long.MAX_VALUE, Long.MIN_VALUE));
    assertThat(read.get("empty")).isEqualTo(List.of());
  }

  /** Odd records that protobuf reads, read the same; groups and texts apart, it refuses ours. */
  @Test
  void readsOddExamplesAsProtobufDoes() {
    OddExamples examples = new OddExamples(5);
    List<Feature> wanted =
        OddExamples.KEYS.stream()
            .map(
                key ->
                    switch (OddExamples.kindOf(key)) {
                      case 1 -> Feature.bytes(key).ragged();
                      case 2 -> Feature.float32(key).ragged();
                      default -> Feature.int64(key).ragged();
                    })
            .toList();
    ExampleParser parser = new ExampleParser(wanted, Set.of());
    int compared = 0;
    for (int run = 0; run < 5_000; run++) {
      byte[] record = examples.next();
      Object[] ours;
      Map<String, List<?>> theirs;
      try {
        ours = parser.parse(Tensor.scalar(record));
        theirs = read(record);
      } catch (IllegalArgumentException | InvalidProtocolBufferException e) {
        continue; // of another type than asked for
      }
      for (int i = 0; i < ours.length; i++) {
        List<?> expected = theirs.get(wanted.get(i).key());
        if (expected == null || expected.isEmpty()) {
          continue; // an entry without list: protobuf forgets the one before it, TensorFlow not
        }
        Tensor actual = (Tensor) ours[i];
        switch (actual.dtype()) {
          case STRING -> assertThat(strings(actual)).isEqualTo(strings(expected));
          case FLOAT32 -> assertThat(floats(actual)).isEqualTo(expected);
          default -> assertThat(longs(actual)).isEqualTo(expected);
        }
        compared++;
      }
    }
    assertThat(compared).isGreaterThan(20_000);
  }

  /** By key, the values of each feature as protobuf reads them. */
  private static Map<String, List<?>> read(byte[] record) throws InvalidProtocolBufferException {
    FieldDescriptor features = EXAMPLE.findFieldByNumber(1);
    FieldDescriptor map = features.getMessageType().findFieldByNumber(1);
    Message all = (Message) DynamicMessage.parseFrom(EXAMPLE, record).getField(features);
    Map<String, List<?>> values = new LinkedHashMap<>();
    for (int i = 0; i < all.getRepeatedFieldCount(map); i++) {
      Message entry = (Message) all.getRepeatedField(map, i);
      Descriptor type = entry.getDescriptorForType();
      Message feature = (Message) entry.getField(type.findFieldByNumber(2));
      List<?> list = List.of();
      for (FieldDescriptor field : FEATURE.getFields()) {
        if (feature.hasField(field)) {
          Message content = (Message) feature.getField(field);
          list = (List<?>) content.getField(content.getDescriptorForType().findFieldByNumber(1));
        }
      }
      values.put((String) entry.getField(type.findFieldByNumber(1)), list);
    }
    return values;
  }

  private static List<String> strings(Tensor tensor) {
    List<String> strings = new ArrayList<>();
    for (long i = 0; i < tensor.elements(); i++) {
      strings.add(new String(tensor.bytesAt(i), ISO_8859_1));
    }
    return strings;
  }

  private static List<String> strings(@org.jspecify.annotations.Nullable List<?> values) {
    return Objects.requireNonNull(values).stream()
        .map(value -> ((ByteString) value).toString(ISO_8859_1))
        .toList();
  }

  private static List<Float> floats(Tensor tensor) {
    List<Float> floats = new ArrayList<>();
    for (float value : tensor.toFloatArray()) {
      floats.add(value);
    }
    return floats;
  }

  private static List<Long> longs(Tensor tensor) {
    List<Long> longs = new ArrayList<>();
    for (long value : tensor.toLongArray()) {
      longs.add(value);
    }
    return longs;
  }
}
