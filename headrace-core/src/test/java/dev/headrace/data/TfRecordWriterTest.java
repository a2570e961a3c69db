package dev.headrace.data;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TfRecordWriterTest {
  @TempDir private Path folder;

  @Test
  void checksumsOfLengthsAreTheJdks() {
    Random random = new Random(5);
    for (int i = 0; i < 1000; i++) {
      long length = random.nextLong() >>> random.nextInt(64);
      CRC32C crc = new CRC32C();
      crc.update(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, length).array());
      assertThat(TfRecordFormat.lengthCrc(length))
          .isEqualTo(TfRecordFormat.masked((int) crc.getValue()));
    }
  }

  @Test
  void theFileIsThereOnlyWhenItIsWhole() throws IOException {
    Path file = folder.resolve("new/a.tfrecord");
    try (TfRecordWriter writer = new TfRecordWriter(file)) {
      writer.write("one".getBytes(UTF_8));
      writer.flush();
      assertThat(file).doesNotExist();
      assertThat(writer.records()).isOne();
      assertThatThrownBy(() -> new TfRecordWriter(file)).hasMessageContaining("another is writing");
    }
    assertThat(Dataset.tfRecords(file).toList()).hasSize(1);
    try (TfRecordWriter writer = new TfRecordWriter(file)) {
      writer.write("two".getBytes(UTF_8));
      writer.discard();
      assertThatThrownBy(() -> writer.write(new byte[1])).hasMessageContaining("closed");
    }
    assertThat(Dataset.tfRecords(file).singleElement().stringValue()).isEqualTo("one");
    try (var left = Files.list(file.resolveSibling(""))) {
      assertThat(left).containsExactly(file);
    }
  }

  @Test
  void refusesTensorsThatAreNoByteString() throws IOException {
    try (TfRecordWriter writer = new TfRecordWriter(folder.resolve("a"))) {
      assertThatThrownBy(() -> writer.write(Tensor.scalar(1L)))
          .hasMessageContaining("expected a single byte string");
    }
  }

  @Test
  void datasetsAreDealtOutToFiles() throws IOException {
    Dataset<Tensor> records = Dataset.range(10).map(i -> Tensor.scalar("r" + i));
    assertThat(records.writeTfRecords(folder.resolve("train"), 3, Compression.ZLIB)).isEqualTo(10);
    Path second = folder.resolve("train-00001-of-00003");
    assertThat(
            Dataset.tfRecords(dev.headrace.spi.InputFiles.of(second).compressed(Compression.ZLIB))
                .map(Tensor::stringValue)
                .toList())
        .isEqualTo(List.of("r1", "r4", "r7"));
    assertThat(Dataset.of(new byte[3]).writeTfRecords(folder.resolve("one"))).isOne();
  }

  @Test
  void aFailedElementLeavesNoFile() throws IOException {
    Dataset<String> wrong = Dataset.of("a");
    assertThatThrownBy(() -> wrong.writeTfRecords(folder.resolve("x"), 2, Compression.NONE))
        .hasMessageContaining("element 0 is a String");
    try (var left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
    assertThatThrownBy(() -> Dataset.counter().writeTfRecords(folder.resolve("x")))
        .hasMessageContaining("use take(n)");
    assertThatThrownBy(
            () -> Dataset.of(new byte[1]).writeTfRecords(folder.resolve("x"), 0, Compression.NONE))
        .hasMessageContaining("expected from 1 to");
  }
}
