package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Compression;
import dev.headrace.data.Tensor;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordsCommandTest {
  @TempDir private Path folder;
  private StringWriter out = new StringWriter();
  private StringWriter err = new StringWriter();

  @BeforeEach
  void writeFiles() throws IOException {
    Dataset<Tensor> records = Dataset.range(100).map(i -> Tensor.scalar("number " + i));
    long unused = records.writeTfRecords(folder.resolve("good"));
    unused = records.writeTfRecords(folder.resolve("bad"));
    unused = records.writeTfRecords(folder.resolve("packed"), 1, Compression.GZIP);
    byte[] bytes = Files.readAllBytes(folder.resolve("bad"));
    bytes[24 * 3 + 15] ^= 1;
    Files.write(folder.resolve("bad"), bytes);
  }

  private int run(String... args) {
    out = new StringWriter();
    err = new StringWriter();
    return Main.commandLine(out, err).execute(args);
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  void verifyNamesFileByteAndRecord() {
    assertThat(run("records", "verify", file("good"))).isEqualTo(Main.OK);
    assertThat(out.toString()).contains("good: 100 records 890 bytes ok");
    assertThat(run("records", "verify", folder + "/{good,bad}")).isEqualTo(Main.FAILED);
    assertThat(out.toString()).contains("bad: 3 records 24 bytes DAMAGED").contains("good: 100");
    assertThat(err.toString()).contains(file("bad")).contains("record 3 at byte 72");
    assertThat(run("records", "verify", "--json", file("bad"))).isEqualTo(Main.FAILED);
    assertThat(out.toString()).contains("\"records\":3").contains("\"damage\":\"");
    assertThat(run("records", "verify", file("none"))).isEqualTo(Main.FAILED);
    assertThat(err.toString()).contains("there is no such file");
  }

  @Test
  void countReadsHeadersOrUnpacks() throws IOException {
    assertThat(run("records", "count", file("good"))).isEqualTo(Main.OK);
    assertThat(out.toString()).contains("good: 100 records");
    assertThat(run("records", "count", "--compression", "gzip", file("packed"))).isEqualTo(Main.OK);
    assertThat(out.toString()).contains("packed: 100 records");
    byte[] bytes = Files.readAllBytes(folder.resolve("good"));
    Files.write(folder.resolve("good"), java.util.Arrays.copyOf(bytes, bytes.length - 1));
    assertThat(run("records", "count", file("good"))).isEqualTo(Main.FAILED);
    assertThat(err.toString()).contains("record 99 at byte");
  }

  @Test
  void indexIsKeptBesideTheFile() {
    assertThat(run("records", "index", file("good"))).isEqualTo(Main.OK);
    assertThat(folder.resolve(".headrace/good.index")).exists();
    assertThat(run("records", "index", "--compression", "zlib", file("good")))
        .isEqualTo(Main.FAILED);
    assertThat(err.toString()).contains("expected files that are not packed");
  }

  @Test
  void headAndCatShowRecords() {
    assertThat(run("records", "head", "-n", "2", file("good"))).isEqualTo(Main.OK);
    assertThat(out.toString())
        .contains("record 0, 8 bytes: number 0", "record 1, 8 bytes: number 1")
        .doesNotContain("record 2");
    assertThat(run("records", "head", "-n", "1", "--json", file("good"))).isEqualTo(Main.OK);
    assertThat(out.toString()).contains("\"base64\":\"bnVtYmVyIDA=\"");
    assertThat(run("records", "cat", "--compression", "gzip", file("packed"))).isEqualTo(Main.OK);
    assertThat(out.toString().lines()).hasSize(100).startsWith("number 0", "number 1");
    assertThat(run("records", "cat", "--base64", file("bad"))).isEqualTo(Main.FAILED);
    assertThat(out.toString().lines()).hasSize(3);
  }

  @Test
  void helpHasExamplesAndUsageIsChecked() {
    assertThat(run("records", "--help")).isEqualTo(Main.OK);
    assertThat(out.toString()).contains("verify", "count", "index", "head", "cat", "Examples:");
    assertThat(run("records", "verify")).isEqualTo(Main.USAGE);
    assertThat(run("records")).isEqualTo(Main.USAGE);
    assertThat(run("records", "verify", "--compression", "lz4", file("good")))
        .isEqualTo(Main.USAGE);
  }

  @Test
  void lenientIsHeardByCountAndIndex() throws IOException {
    byte[] bytes = Files.readAllBytes(folder.resolve("good"));
    Files.write(folder.resolve("good"), java.util.Arrays.copyOf(bytes, bytes.length + 5));
    for (String command : new String[] {"count", "index"}) {
      assertThat(run("records", command, file("good"))).isEqualTo(Main.FAILED);
      assertThat(err.toString()).contains("record 100 at byte");
      assertThat(run("records", command, "--lenient", file("good"))).isEqualTo(Main.OK);
      assertThat(out.toString()).contains("good: 100 records");
    }
    Files.write(folder.resolve("good"), java.util.Arrays.copyOf(bytes, bytes.length + 12));
    assertThat(run("records", "count", "--lenient", file("good"))).isEqualTo(Main.FAILED);
  }
}
