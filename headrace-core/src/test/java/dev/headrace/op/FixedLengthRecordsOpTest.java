package dev.headrace.op;

import static dev.headrace.Dataset.fixedLengthRecords;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.Compression;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Access;
import dev.headrace.spi.InputFiles;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class FixedLengthRecordsOpTest {
  @TempDir Path folder;

  private Path write(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content);
  }

  private Path gzip(String name, String content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(content.getBytes(StandardCharsets.UTF_8));
    }
    return Files.write(folder.resolve(name), bytes.toByteArray());
  }

  private static Dataset<String> texts(Dataset<byte[]> records) {
    return records.map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  private InputFiles three() throws IOException {
    return InputFiles.of(write("a", "Haabbcc__"), write("b", "H__"), write("c", "Hddee__"));
  }

  @Test
  void keepsTheContract() throws IOException {
    InputFiles files = three();
    PipelineContract.of(n -> fixedLengthRecords(files, 2, 1, 2).map(x -> x, n)).check();
    InputFiles packed =
        InputFiles.of(gzip("x", "Haabb__"), gzip("y", "Hccd__"), gzip("z", "Hee__"))
            .compressed(Compression.GZIP);
    PipelineContract.of(n -> fixedLengthRecords(packed, 2, 1, 2).map(x -> x, n)).check();
  }

  @Test
  void leavesHeadersAndFootersOut() throws IOException {
    Dataset<byte[]> records = fixedLengthRecords(three(), 2, 1, 2);
    assertThat(texts(records).toList()).containsExactly("aa", "bb", "cc", "dd", "ee");
    assertThat(records.cardinality()).isEqualTo(Dataset.UNKNOWN);
    assertThat(texts(fixedLengthRecords(folder + "/c", 7)).toList()).containsExactly("Hddee__");
  }

  @Test
  void packedFilesAreUnpacked() throws IOException {
    InputFiles packed =
        InputFiles.of(gzip("x", "Haabb__"), gzip("y", "Hccd__"), gzip("z", "Hee__"))
            .compressed(Compression.GZIP);
    assertThat(Outcomes.of(texts(fixedLengthRecords(packed, 2, 1, 2))))
        .containsExactly("aa", "bb", "cc", "error", "ee", "end");
    assertThatThrownBy(() -> fixedLengthRecords(packed, 2, 1, 2).op().access())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("expected files that are not packed to give records by their index");
  }

  @Test
  void givesRecordsByIndex() throws Exception {
    try (Access access = fixedLengthRecords(three(), 2, 1, 2).op().access()) {
      List<String> all = new ArrayList<>();
      for (long i = 0; i < access.size(); i++) {
        all.add(new String((byte[]) access.at(i), StandardCharsets.UTF_8));
      }
      assertThat(all).containsExactly("aa", "bb", "cc", "dd", "ee");
      assertThat((byte[]) access.at(3)).isEqualTo(new byte[] {'d', 'd'});
      assertThatThrownBy(() -> access.at(5)).isInstanceOf(IndexOutOfBoundsException.class);
      Files.write(folder.resolve("a"), new byte[] {'H'});
      assertThatThrownBy(() -> access.at(2))
          .hasMessageContaining(
              "expected a record of 2 bytes at 5, but the file has become shorter");
    }
  }

  @Test
  void moreFilesThanMayStayOpenAreReadByIndex() throws Exception {
    List<Path> files = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      files.add(write("many" + i, "%04d".formatted(i)));
    }
    try (Access access = fixedLengthRecords(InputFiles.of(files), 4, 0, 0).op().access()) {
      for (int i = 0; i < 300; i++) {
        assertThat((byte[]) access.at(i)).asString().isEqualTo("%04d".formatted(i));
      }
    }
  }

  @Test
  void aFileThatDoesNotFitIsTheEnd() throws IOException {
    InputFiles files = InputFiles.of(write("a", "aabb"), write("b", "aab"));
    assertThat(Outcomes.of(texts(fixedLengthRecords(files, 2, 0, 0))))
        .containsExactly("aa", "bb", "error");
    PipelineException error = Outcomes.errors(fixedLengthRecords(files, 2, 0, 0)).getFirst();
    assertThat(error.isTerminal()).isTrue();
    assertThat(error)
        .hasMessageContaining("fixedLengthRecords: expected " + folder.resolve("b"))
        .hasMessageContaining(
            "to have a header of 0 bytes, whole records of 2 and a footer of 0, but it has 3 bytes,"
                + " which leaves 1 over");
    assertThat(Outcomes.errors(fixedLengthRecords(files, 2, 3, 2)).getFirst())
        .hasMessageContaining("but it has 4 bytes, which leaves none for records");
  }

  @Test
  void recordsLargerThanABlockAreRead() throws IOException {
    Path file = write("a", "x".repeat(900_000) + "y".repeat(900_000));
    List<byte[]> records = fixedLengthRecords(InputFiles.of(file), 900_000, 0, 0).toList();
    assertThat(records).hasSize(2);
    assertThat(records.get(1)).hasSize(900_000).startsWith('y').endsWith('y');
  }

  @Test
  void refusesBadSizes() {
    InputFiles files = InputFiles.of(Path.of("a"));
    assertThatThrownBy(() -> fixedLengthRecords(files, 0, 0, 0))
        .hasMessage("fixedLengthRecords: expected records of at least 1 byte, but got 0");
    assertThatThrownBy(() -> fixedLengthRecords(files, 1, -1, 0))
        .hasMessage(
            "fixedLengthRecords: expected a header and a footer of 0 bytes or more, but got -1 and"
                + " 0");
  }
}
