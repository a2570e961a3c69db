package dev.headrace.spi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Compression;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sources read from any store, found by the scheme of a name. */
class StoreTest {
  @TempDir private Path folder;

  @Test
  void aMissingFileSaysTheWorkingDirectory() {
    String here = "the working directory is " + Path.of("").toAbsolutePath();
    String name = "no-such-folder/no-such-file";
    for (Dataset<?> source :
        List.of(
            Dataset.textLines(name),
            Dataset.csv(name),
            Dataset.tfRecords(name),
            Dataset.fixedLengthRecords(name, 3),
            Dataset.jsonLines(name),
            Dataset.load(Path.of(name)))) {
      assertThat(Outcomes.errors(source).getFirst())
          .as(source.explain())
          .hasMessageContaining(name)
          .hasMessageContaining(here);
    }
    assertThat(Outcomes.errors(Dataset.textLines("/" + name)).getFirst())
        .hasMessageEndingWith(
            "/" + name + ": expected a file, but there is none; its folder does not exist either");
  }

  @Test
  void textLinesAreReadFromAnotherStore() {
    MemoryStore.put("mem:text/b.txt", "3\n4\n".getBytes(UTF_8));
    MemoryStore.put("mem:text/a.txt", "1\n2\n".getBytes(UTF_8));
    MemoryStore.put("mem:text/deep/c.txt", "5\n".getBytes(UTF_8));
    assertThat(Dataset.textLines("mem:text/*.txt").toList()).containsExactly("1", "2", "3", "4");
    assertThat(Dataset.textLines("mem:text/**.txt").count()).isEqualTo(5);
    assertThat(Dataset.textLines("mem:text/b.txt").toList()).containsExactly("3", "4");
    assertThat(Dataset.csv("mem:text/a.txt").count()).isEqualTo(1);
    assertThat(Dataset.fixedLengthRecords("mem:text/a.txt", 2).at(1))
        .isEqualTo(new byte[] {50, 10});
  }

  @Test
  void tfRecordsAreReadAndResumedFromAnotherStore() throws IOException {
    Dataset<Tensor> records = Dataset.range(200).map(i -> Tensor.scalar("record " + i));
    for (Compression compression : Compression.values()) {
      Path file = folder.resolve(compression.name());
      long unused = records.writeTfRecords(file, 1, compression);
      MemoryStore.put("mem://bucket/" + compression, Files.readAllBytes(file));
      Dataset<Tensor> stored =
          Dataset.tfRecords(
              InputFiles.matching("mem://bucket/" + compression).compressed(compression));
      assertThat(stored.map(Tensor::stringValue).toList())
          .isEqualTo(LongStream.range(0, 200).mapToObj(i -> "record " + i).toList());
      try (Pipeline<Tensor> pipeline = stored.open()) {
        Iterator<Tensor> epoch = pipeline.iterator();
        for (int i = 0; i < 77; i++) {
          epoch.next();
        }
        Checkpoint checkpoint = pipeline.checkpoint();
        try (Pipeline<Tensor> resumed = stored.open(checkpoint)) {
          assertThat(resumed.iterator().next().stringValue()).isEqualTo("record 77");
        }
      }
    }
  }

  @Test
  void whatIsNotThereIsSaid() {
    assertThat(Outcomes.errors(Dataset.textLines("mem:none")))
        .singleElement()
        .satisfies(e -> assertThat(e.isTerminal()).isTrue());
    assertThat(Outcomes.errors(Dataset.textLines("mem:none/*")))
        .singleElement()
        .asString()
        .contains("expected at least one file to match", "looked in mem:none/");
    assertThat(Outcomes.errors(Dataset.textLines("s9://bucket/x")))
        .singleElement()
        .asString()
        .contains("there is none for s9: among [file, mem]");
    MemoryStore.put("mem:paths/a", new byte[0]);
    assertThat(Outcomes.errors(Dataset.listFiles("mem:paths/*")))
        .singleElement()
        .asString()
        .contains("expected a file of this machine for listFiles");
  }

  @Test
  void localFilesHaveNamesToo() throws IOException {
    Path file = Files.writeString(folder.resolve("10:30.txt"), "x\n");
    assertThat(Dataset.textLines("file:" + file).toList()).containsExactly("x");
    assertThat(Dataset.textLines("file://" + folder + "/*.txt").toList()).containsExactly("x");
    assertThat(Dataset.textLines(file.toString()).toList()).containsExactly("x");
    Store local = StoredFile.of(file).store();
    local.write(folder + "/new/y", new ByteArrayInputStream("y".getBytes(UTF_8)));
    assertThat(local.list(folder.toString())).hasSize(2);
    assertThat(local.facts(folder + "/new/y").size()).isOne();
  }

  @Test
  void aNameIsMeantAsItIs() throws IOException {
    MemoryStore.put("mem:odd/[a]*?{b}", "1\n".getBytes(UTF_8));
    MemoryStore.put("mem:odd/aaa", "2\n".getBytes(UTF_8));
    Dataset<String> lines = Dataset.textLines(InputFiles.named("mem:odd/[a]*?{b}"));
    assertThat(lines.toList()).containsExactly("1");
    InputSplit split = InputSplit.parse(lines.splits(1).getFirst().toString());
    assertThat(lines.ofSplit(split).toList()).containsExactly("1");
    MemoryStore.put("mem:odd/[a]*?{b}", "1\n3\n".getBytes(UTF_8));
    assertThatThrownBy(() -> lines.ofSplit(split)).hasMessageContaining("make the splits again");
  }

  @Test
  void partialFilesAreNotListed() {
    MemoryStore.put("mem:partial/.a.12.partial", "1\n".getBytes(UTF_8));
    MemoryStore.put("mem:partial/a", "2\n".getBytes(UTF_8));
    assertThat(Dataset.textLines("mem:partial/*").toList()).containsExactly("2");
  }
}
