package dev.headrace.golden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Compression;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordWriter;
import dev.headrace.data.TfRecords;
import dev.headrace.spi.InputFiles;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** TFRecord files are read, reported and written as the tf.data runtime was recorded to do. */
@Timeout(60)
class RecordsGoldenTest {
  private static final List<GoldenCase> RECORDED = GoldenCase.all("records.json");

  /** tf.data reads a compression it does not know as none; ours cannot be misspelt. */
  private static final List<String> LEFT_OUT =
      List.of("tfrecord:ok.tfrecord:LZ4:buf0", "tfrecord:ok.tfrecord:LZ4:buf262144");

  /** Cases where tf.data ends without a word. */
  private static final String CUT_IN_HEADER = "trunc_in_length_crc";

  static Stream<GoldenCase> readings() {
    return RECORDED.stream().filter(c -> !c.iterations().isEmpty() && !LEFT_OUT.contains(c.name()));
  }

  static Stream<GoldenCase> writings() {
    return RECORDED.stream().filter(c -> c.iterations().isEmpty());
  }

  @AfterEach
  void mappingIsAsByDefault() {
    System.clearProperty("headrace.mmap");
  }

  @Test
  void everyRecordedCaseIsRunOrLeftOutForAReason() {
    assertThat(RECORDED).hasSize(39);
    assertThat(readings().count() + writings().count() + LEFT_OUT.size())
        .isEqualTo(RECORDED.size());
    assertThat(RECORDED.stream().map(GoldenCase::name)).containsAll(LEFT_OUT);
  }

  @ParameterizedTest
  @MethodSource("readings")
  void givesWhatWasRecorded(GoldenCase golden) {
    for (String mapped : List.of("true", "false")) {
      System.setProperty("headrace.mmap", mapped);
      Dataset<?> dataset = dataset(golden);
      assertThat(dataset.cardinality()).isEqualTo(golden.cardinality());
      assertThat(Outcomes.of(dataset)).isEqualTo(golden.iterations().getFirst());
      assertThat(ErrorKind.of(Outcomes.errors(dataset))).isEqualTo(golden.errorCodes(0));
    }
  }

  @ParameterizedTest
  @MethodSource("readings")
  void givesTheRestFromEveryPosition(GoldenCase golden) {
    List<String> all = golden.iterations().getFirst();
    for (String mapped : List.of("true", "false")) {
      System.setProperty("headrace.mmap", mapped);
      Dataset<?> dataset = dataset(golden);
      List<Checkpoint> positions = checkpoints(dataset);
      for (int position = 0; position < positions.size(); position++) {
        try (Pipeline<?> resumed = dataset.open(positions.get(position))) {
          assertThat(Outcomes.of(resumed.iterator())).isEqualTo(all.subList(position, all.size()));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("writings")
  void writesWhatWasRecorded(GoldenCase golden, @TempDir Path folder) throws IOException {
    Compression compression = compression(golden.name().substring("dataset_to_tfrecord_".length()));
    Path file = folder.resolve("out.tfrecord");
    try (TfRecordWriter writer = new TfRecordWriter(file, compression)) {
      writer.write(Tensor.scalar("a"));
      writer.write("bb".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    assertThat(Files.readAllBytes(file)).isEqualTo(recordedBytes(golden));
  }

  @Test
  void saysWhereTheFileWasCutUnlessLenient() throws URISyntaxException {
    Path file = files().resolve("trunc_in_length_crc.tfrecord");
    assertThat(Outcomes.errors(Dataset.tfRecords(file)))
        .singleElement()
        .satisfies(
            e -> {
              assertThat(e.isTerminal()).isFalse();
              assertThat(e)
                  .hasMessageContaining(
                      "record 2 at byte 37: its header should have 12 bytes, but the file ends"
                          + " after 10");
              assertThat(e).hasMessageContaining("trunc_in_length_crc.tfrecord");
            });
  }

  private static Dataset<?> dataset(GoldenCase golden) {
    try {
      return switch (golden.name()) {
        case "tfrecord_two_files" -> read(Compression.NONE, "ok.tfrecord", "ok.tfrecord");
        case "tfrecord_bad_then_ok" ->
            read(Compression.NONE, "bad_data_crc.tfrecord", "ok.tfrecord");
        case "tfrecord_bad_ignore_errors" ->
            read(Compression.NONE, "bad_data_crc.tfrecord", "ok.tfrecord").ignoreErrors();
        default -> {
          String[] parts = golden.name().split(":", -1);
          yield read(compression(parts[2]), parts[1]);
        }
      };
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  private static Dataset<Tensor> read(Compression compression, String... names)
      throws URISyntaxException {
    Path folder = files();
    List<Path> paths = Stream.of(names).map(folder::resolve).toList();
    TfRecords settings = TfRecords.defaults();
    boolean endsQuietly = names[0].startsWith(CUT_IN_HEADER);
    return Dataset.tfRecords(
        InputFiles.of(paths).compressed(compression), endsQuietly ? settings.lenient() : settings);
  }

  private static Compression compression(String name) {
    return name.isEmpty() ? Compression.NONE : Compression.valueOf(name);
  }

  private static Path files() throws URISyntaxException {
    return Path.of(
        Objects.requireNonNull(RecordsGoldenTest.class.getResource("/golden/files")).toURI());
  }

  private static byte[] recordedBytes(GoldenCase golden) {
    Map<?, ?> tensor = (Map<?, ?>) ((List<?>) golden.fields().get("outputs")).getFirst();
    Map<?, ?> value = (Map<?, ?>) ((List<?>) tensor.get("values")).getFirst();
    return Base64.getDecoder().decode((String) value.get("b64"));
  }

  private static List<Checkpoint> checkpoints(Dataset<?> dataset) {
    List<Checkpoint> positions = new ArrayList<>();
    try (Pipeline<?> pipeline = dataset.open()) {
      Iterator<?> epoch = pipeline.iterator();
      for (; ; ) {
        positions.add(Checkpoint.parse(pipeline.checkpoint().toString()));
        if (!epoch.hasNext()) {
          return positions;
        }
        try {
          epoch.next();
        } catch (PipelineException e) {
          if (e.isTerminal()) {
            return positions;
          }
        }
      }
    }
  }
}
