package dev.headrace.golden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Compression;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordWriter;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.example.Features;
import dev.headrace.spi.InputFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TensorFlow reads what we write, and we read what it writes. */
@Tag("peers")
@Timeout(300)
class TensorFlowExchangeTest {
  private static final String READ =
      """
      import sys, tensorflow as tf
      spec = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64),
              "box": tf.io.FixedLenFeature([2], tf.float32)}
      for record in tf.data.TFRecordDataset(sys.argv[1], compression_type=sys.argv[2]):
        f = tf.io.parse_single_example(record, spec)
        print(f["image"].numpy().hex(), int(f["label"]), list(map(float, f["box"])))
      """;

  private static final String WRITE =
      """
      import sys, tensorflow as tf
      def feature(**kinds): return tf.train.Feature(**kinds)
      with tf.io.TFRecordWriter(sys.argv[1], options=sys.argv[2]) as writer:
        for i in range(50):
          writer.write(tf.train.Example(features=tf.train.Features(feature={
              "image": feature(bytes_list=tf.train.BytesList(value=[bytes([i] * (i * 7))])),
              "label": feature(int64_list=tf.train.Int64List(value=[-i])),
              "box": feature(float_list=tf.train.FloatList(value=[i / 2, -i]))})).SerializeToString())
      """;

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(Compression.class)
  void tensorFlowReadsWhatWeWrite(Compression compression) throws Exception {
    Path file = folder.resolve("ours.tfrecord");
    List<String> written = new ArrayList<>();
    try (TfRecordWriter writer = new TfRecordWriter(file, compression)) {
      for (int i = 0; i < 50; i++) {
        byte[] image = new byte[i * 11];
        Arrays.fill(image, (byte) (200 + i));
        writer.write(
            Example.builder()
                .bytes("image", image)
                .int64("label", Long.MIN_VALUE + i)
                .floats("box", i / 4f, -i)
                .build());
        written.add(
            "%s %d [%s, %s]"
                .formatted(
                    HexFormat.of().formatHex(image),
                    Long.MIN_VALUE + i,
                    (double) (i / 4f),
                    (double) -i));
      }
    }
    assertThat(python(READ, file, compression)).isEqualTo(written);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void weReadWhatTensorFlowWrites(Compression compression) throws Exception {
    Path file = folder.resolve("theirs.tfrecord");
    assertThat(python(WRITE, file, compression)).isEmpty();
    List<Features> read =
        Dataset.tfRecords(InputFiles.of(file).compressed(compression))
            .map(
                Example.parser(
                    Feature.bytes("image"),
                    Feature.int64("label"),
                    Feature.float32("box").shape(2)))
            .toList();
    assertThat(read).hasSize(50);
    for (int i = 0; i < 50; i++) {
      Tensor image = read.get(i).bytes("image");
      assertThat(image.byteSize()).isEqualTo(i * 7L);
      assertThat(read.get(i).tensor("label").longValue()).isEqualTo(-i);
      assertThat(read.get(i).tensor("box").toFloatArray()).containsExactly(i / 2f, -i);
    }
  }

  private List<String> python(String program, Path file, Compression compression)
      throws IOException, InterruptedException {
    Path script = Files.writeString(folder.resolve("program.py"), program);
    String python = Optional.ofNullable(System.getenv("HEADRACE_PYTHON")).orElse("python3");
    ProcessBuilder builder =
        new ProcessBuilder(
            python,
            script.toString(),
            file.toString(),
            compression == Compression.NONE ? "" : compression.name());
    builder.environment().put("TF_CPP_MIN_LOG_LEVEL", "3");
    Path errors = folder.resolve("errors.txt");
    Process process = builder.redirectError(errors.toFile()).start();
    List<String> lines;
    try (var out = process.inputReader(StandardCharsets.UTF_8)) {
      lines = out.lines().toList();
    }
    assertThat(process.waitFor()).as(Files.readString(errors)).isZero();
    return lines;
  }
}
