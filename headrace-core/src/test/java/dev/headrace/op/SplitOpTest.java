package dev.headrace.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Compression;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecords;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.InputSplit;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(NoLeftovers.class)
class SplitOpTest {
  @TempDir private Path folder;

  @BeforeEach
  void writeFiles() throws IOException {
    Dataset<byte[]> records =
        Dataset.range(600)
            .map(
                i -> {
                  byte[] record = new byte[1000 + (int) (i % 300)];
                  record[0] = i.byteValue();
                  record[1] = (byte) (i >> 8);
                  return record;
                });
    long unused = records.writeTfRecords(folder.resolve("x"), 3, Compression.NONE);
    unused = records.writeTfRecords(folder.resolve("z"), 1, Compression.ZLIB);
    Files.write(folder.resolve("x-00003-of-00003"), new byte[0]);
    Path bad = folder.resolve("x-00001-of-00003");
    byte[] bytes = Files.readAllBytes(bad);
    bytes[100_000] ^= 1;
    Files.write(bad, Arrays.copyOf(bytes, bytes.length - 20));
    Files.write(folder.resolve("fixed"), new byte[4100]);
    Files.writeString(folder.resolve("lines"), "a\nb\n");
  }

  private static <T> void unionIsTheWhole(Dataset<T> source, int wanted) throws IOException {
    List<String> expected = Outcomes.of(source.map(SplitOpTest::text));
    List<String> actual = new ArrayList<>();
    for (InputSplit split : source.splits(wanted)) {
      List<String> part =
          Outcomes.of(source.ofSplit(InputSplit.parse(split.toString())).map(SplitOpTest::text));
      actual.addAll(part.subList(0, part.size() - 1));
    }
    actual.add(Outcomes.END);
    assertThat(actual).isEqualTo(expected);
  }

  private static String text(Object element) {
    return switch (element) {
      case byte[] bytes -> Arrays.toString(bytes);
      case Tensor tensor -> Integer.toString(Arrays.hashCode(tensor.bytesValue()));
      default -> element.toString();
    };
  }

  @Test
  void partsOfRecordFilesAreTheWholeTogether() throws IOException {
    InputFiles files = InputFiles.matching(folder + "/x-*");
    for (int wanted : new int[] {1, 4, 7, 20, 10_000}) {
      unionIsTheWhole(Dataset.tfRecords(files), wanted);
      unionIsTheWhole(Dataset.tfRecords(files, TfRecords.defaults().indexed()), wanted);
      unionIsTheWhole(Dataset.tfRecords(files, TfRecords.defaults().indexed().lenient()), wanted);
    }
    assertThat(Dataset.tfRecords(files, TfRecords.defaults().indexed()).splits(12))
        .hasSizeBetween(10, 16)
        .allSatisfy(split -> assertThat(split.estimatedBytes()).isLessThan(100_000));
    unionIsTheWhole(
        Dataset.tfRecords(InputFiles.of(folder.resolve("z")).compressed(Compression.ZLIB)), 5);
  }

  @Test
  void partsOfOtherSourcesAreTheWholeTogether() throws IOException {
    for (int wanted : new int[] {1, 3, 5000}) {
      unionIsTheWhole(
          Dataset.fixedLengthRecords(InputFiles.of(folder.resolve("fixed")), 10, 60, 40), wanted);
      unionIsTheWhole(Dataset.textLines(folder + "/lines"), wanted);
      unionIsTheWhole(Dataset.csv(folder + "/lines"), wanted);
    }
  }

  @Test
  void aPartKeepsTheContract() throws IOException {
    Dataset<?> source =
        Dataset.tfRecords(
            InputFiles.of(folder.resolve("x-00001-of-00003")), TfRecords.defaults().indexed());
    InputSplit whole = source.splits(1).getFirst();
    InputSplit part = new InputSplit(whole.uri(), 0, -1, 60, 30, 0);
    PipelineContract.of(
            n -> {
              try {
                return source.ofSplit(part).map(SplitOpTest::text, n);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            })
        .check();
    assertThat(source.ofSplit(part).cardinality()).isEqualTo(30);
  }

  @Test
  void textsAreReadAsHostile() {
    for (String text :
        List.of(
            "",
            "split1",
            "split1 bytes=5-4 records=0+ estimated=0 x",
            "split1 bytes=-1-4 records=0+ estimated=0 x",
            "split1 bytes=0- records=99999999999999999999+ estimated=0 x",
            "split2 bytes=0- records=0+ estimated=0 x",
            "x".repeat(1 << 20))) {
      assertThatThrownBy(() -> InputSplit.parse(text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("split: expected");
    }
    InputSplit split = new InputSplit("a b\nc", 1, 2, 3, 4, 5);
    assertThat(InputSplit.parse(split.toString())).isEqualTo(split);
    assertThat(InputSplit.ofFile("x", 3).isWholeFile()).isTrue();
  }

  @Test
  void onlySourcesAreTakenApart() {
    assertThatThrownBy(() -> Dataset.range(3).map(x -> x).splits(2))
        .hasMessageContaining("map (SplitOpTest.java")
        .hasMessageContaining("expected a source of files");
    assertThatThrownBy(() -> Dataset.textLines("x").splits(0)).hasMessageContaining("at least 1");
  }

  @Test
  void aPartOfAFileThatChangedIsRefused() throws IOException {
    Path file = folder.resolve("x-00000-of-00003");
    Dataset<?> source = Dataset.tfRecords(InputFiles.of(file), TfRecords.defaults().indexed());
    InputSplit split = InputSplit.parse(source.splits(3).getLast().toString());
    assertThat(source.ofSplit(split).count()).isEqualTo(split.records());
    FileTime before = Files.getLastModifiedTime(file);
    Files.setLastModifiedTime(file, FileTime.fromMillis(before.toMillis() + 5));
    assertThatThrownBy(() -> source.ofSplit(split))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("split: expected " + file + " as it was taken apart")
        .hasMessageContaining("make the splits again");
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
    Files.setLastModifiedTime(file, before);
    assertThatThrownBy(() -> source.ofSplit(split)).hasMessageContaining("bytes");
  }

  @Test
  void aSourceThatEndsEarlyIsTheEnd() throws IOException {
    Dataset<String> source = Dataset.textLines(folder + "/lines");
    InputSplit split = new InputSplit(folder + "/lines", 0, -1, 1, 3, 0);
    try (Pipeline<String> pipeline = source.ofSplit(split).open()) {
      Iterator<String> epoch = pipeline.iterator();
      assertThat(epoch.next()).isEqualTo("b");
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(epoch::next)
            .isInstanceOfSatisfying(
                PipelineException.class, e -> assertThat(e.isTerminal()).isTrue())
            .hasStackTraceContaining(
                "expected 3 records from record 1 on, but the source ends after 1 of them");
      }
    }
    InputSplit rest = new InputSplit(folder + "/lines", 0, -1, 1, -1, 0);
    assertThat(source.ofSplit(rest).toList()).containsExactly("b");
    assertThat(source.ofSplit(rest).cardinality()).isEqualTo(Dataset.UNKNOWN);
  }

  @Test
  void filesThatOnlyThisProcessSeesAreNotTakenApart() throws IOException {
    Path zip = folder.resolve("x.zip");
    try (FileSystem inZip = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
      Path file = Files.writeString(inZip.getPath("/lines"), "a\n");
      assertThatThrownBy(() -> Dataset.textLines(InputFiles.of(file)).splits(1))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("expected a file that another process finds by its name");
    }
  }
}
