package dev.headrace.op;

import static dev.headrace.Dataset.listFiles;
import static dev.headrace.Dataset.textLines;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.PipelineInterruptedException;
import dev.headrace.data.Compression;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.InputFiles;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class TextLinesOpTest {
  @TempDir Path folder;

  private Path write(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content);
  }

  private Path write(String name, byte[] content) throws IOException {
    return Files.write(folder.resolve(name), content);
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }

  @Test
  void keepsTheContract() throws IOException {
    write("a.txt", "one\ntwo\r\n\nfour");
    write("b.txt", "");
    write("c.txt", "x\ny\nz\n");
    PipelineContract.of(n -> textLines(folder + "/*.txt").map(x -> x + x, n)).check();
    write("a.gz", gzip("one\ntwo\nthree"));
    write("b.gz", gzip("four"));
    InputFiles packed = InputFiles.matching(folder + "/*.gz").compressed(Compression.GZIP);
    PipelineContract.of(n -> textLines(packed).prefetch(n)).check();
    PipelineContract.of(n -> listFiles(folder + "/*.txt").interleave(f -> textLines(f), 2, 1, n))
        .check();
  }

  @Test
  void longLinesAfterShortOnesAreReadFewAtATime() throws IOException {
    Path file = write("a.txt", "short\n".repeat(5000) + ("x".repeat(600_000) + "\n").repeat(20));
    AtomicInteger longOnes = new AtomicInteger();
    Dataset<String> lines =
        textLines(file)
            .filter(line -> line.length() < 10 || longOnes.incrementAndGet() > 0)
            .options(Options.defaults().asWritten());
    try (Pipeline<String> pipeline = lines.open()) {
      Iterator<String> iterator = pipeline.iterator();
      String line = iterator.next();
      while (line.length() < 10) {
        line = iterator.next();
      }
      assertThat(longOnes).hasValue(1);
    }
  }

  @Test
  void damagedFilesKeepTheContract() throws IOException {
    Path good = write("a.gz", gzip("one\ntwo\n"));
    byte[] whole = gzip("x".repeat(40) + "\n" + new Random(3).ints(500).boxed().toList());
    Path cut = write("b.gz", Arrays.copyOf(whole, whole.length / 2));
    Path no = write("c.gz", "this is no gzip file");
    InputFiles files = InputFiles.of(good, cut, no, good).compressed(Compression.GZIP);
    PipelineContract.of(n -> textLines(files).map(x -> x, n)).check();
    List<PipelineException> errors = Outcomes.errors(textLines(files));
    assertThat(errors).hasSize(2);
    assertThat(errors.get(0))
        .rootCause()
        .hasMessageContaining("Unexpected end of ZLIB input stream");
    assertThat(errors.get(0).getCause())
        .hasMessageContaining("b.gz: cannot be read on after byte ")
        .hasMessageContaining("what is left of it is lost");
    assertThat(errors.get(1)).rootCause().hasMessageContaining("Not in GZIP format");
  }

  @Test
  void linesEndAtALineFeed() throws IOException {
    write("a", "one\r\n\r\ntw\ro\n\n\nlast");
    assertThat(textLines(folder + "/a").toList()).containsExactly("one", "", "two", "", "", "last");
    write("b", "\n");
    assertThat(textLines(folder + "/b").toList()).containsExactly("");
    write("c", "a\n\r\r");
    assertThat(textLines(folder + "/c").toList()).containsExactly("a");
    write("d", "");
    assertThat(textLines(folder + "/d").toList()).isEmpty();
    assertThat(textLines(folder + "/d").cardinality()).isEqualTo(Dataset.UNKNOWN);
  }

  @Test
  void textIsUtf8AndBytesAreAsTheyAre() throws IOException {
    write("a", "grüße\n猫 🐱");
    assertThat(textLines(folder + "/a").toList()).containsExactly("grüße", "猫 🐱");
    write("b", new byte[] {(byte) 0xFF, 'x', '\r', '\n', 0});
    assertThat(textLines(folder + "/b").toList()).containsExactly("\uFFFDx", "\0");
    assertThat(Dataset.textLinesAsBytes(InputFiles.of(folder.resolve("b"))).toList())
        .containsExactly(new byte[] {(byte) 0xFF, 'x'}, new byte[] {0});
  }

  /** Lines of all lengths, so that line ends fall everywhere in blocks and words. */
  @Test
  void linesOfAnyLengthAreFound() throws IOException {
    Random random = new Random(5);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      int length = i % 500 == 7 ? random.nextInt(700_000) : random.nextInt(300);
      StringBuilder line = new StringBuilder();
      for (int j = 0; j < length; j++) {
        line.append((char) ('a' + random.nextInt(26)));
      }
      lines.add(line.toString());
    }
    Path file = write("a", String.join("\n", lines) + "\n");
    assertThat(textLines(file).toList()).isEqualTo(lines);
    write("a.gz", gzip(String.join("\r\n", lines) + "\r\n"));
    assertThat(
            textLines(InputFiles.of(folder.resolve("a.gz")).compressed(Compression.GZIP)).toList())
        .isEqualTo(lines);
  }

  @Test
  void packedFilesAreUnpacked() throws IOException {
    ByteArrayOutputStream twoMembers = new ByteArrayOutputStream();
    twoMembers.write(gzip("one\ntw"));
    twoMembers.write(gzip("o\nthree"));
    Path gz = write("a", twoMembers.toByteArray());
    assertThat(textLines(InputFiles.of(gz).compressed(Compression.GZIP)).toList())
        .containsExactly("one", "two", "three");
    ByteArrayOutputStream zlib = new ByteArrayOutputStream();
    try (OutputStream out = new DeflaterOutputStream(zlib)) {
      out.write("x\ny".getBytes(StandardCharsets.UTF_8));
    }
    Path packed = write("b", zlib.toByteArray());
    assertThat(textLines(InputFiles.of(packed).compressed(Compression.ZLIB)).toList())
        .containsExactly("x", "y");
  }

  @Test
  void aFileThatIsNotThereIsTheEnd() throws IOException {
    Path good = write("a", "one\n");
    Dataset<String> lines = textLines(InputFiles.of(good, folder.resolve("missing"), good));
    try (Pipeline<String> pipeline = lines.open()) {
      Iterator<String> epoch = pipeline.iterator();
      assertThat(epoch.next()).isEqualTo("one");
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(epoch::next)
            .isInstanceOfSatisfying(
                PipelineException.class, e -> assertThat(e.isTerminal()).isTrue())
            .hasCauseInstanceOf(NoSuchFileException.class)
            .hasMessageContaining("missing")
            .hasMessageContaining("textLines (TextLinesOpTest.java:");
      }
    }
    assertThat(Outcomes.errors(textLines(folder + "/*.nothing")).getFirst())
        .hasMessageContaining("textLines: expected at least one file to match, but none does");
  }

  @Test
  void patternsAreSortedAndPathsAreAsGiven() throws IOException {
    Path b = write("b.log", "b");
    Path a = write("a.log", "a");
    Path star = write("*.log", "star");
    assertThat(textLines(folder + "/[ab].log").toList()).containsExactly("a", "b");
    assertThat(textLines(InputFiles.of(List.of(b, a, b))).toList()).containsExactly("b", "a", "b");
    assertThat(textLines(star).toList()).containsExactly("star");
    assertThat(textLines(InputFiles.matching(b.toString(), a.toString())).toList())
        .containsExactly("b", "a");
  }

  @Test
  void noMoreIsReadThanAskedFor() throws IOException {
    Path file = write("a", "one\ntwo\n");
    Dataset<String> lines = textLines(InputFiles.of(file, folder.resolve("missing")));
    assertThat(lines.take(2).toList()).containsExactly("one", "two");
  }

  @Test
  void aCheckpointRefusesFilesThatChanged() throws IOException {
    Path file = write("a", "one\ntwo\nthree");
    Checkpoint checkpoint;
    try (Pipeline<String> pipeline = textLines(file).open()) {
      pipeline.iterator().next();
      checkpoint = pipeline.checkpoint();
    }
    try (Pipeline<String> resumed = textLines(file).open(checkpoint)) {
      assertThat(resumed.iterator().next()).isEqualTo("two");
    }
    Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000));
    try (Pipeline<String> resumed = textLines(file).open(checkpoint)) {
      assertThatThrownBy(() -> resumed.iterator().next())
          .hasMessageContaining("checkpoint: expected the files that textLines (")
          .hasMessageContaining(
              "were added, removed or changed since (now 1); restore them, or start the epoch"
                  + " again");
    }
    Files.delete(file);
    try (Pipeline<String> resumed = textLines(file).open(checkpoint)) {
      assertThatThrownBy(() -> resumed.iterator().next())
          .hasMessageContaining("changed since (now 1, not there: " + file + ")");
    }
  }

  @Test
  void resumingSeeks() throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      lines.add("line " + i);
    }
    Path file = write("a", String.join("\n", lines));
    try (Pipeline<String> pipeline = textLines(file).open()) {
      Iterator<String> epoch = pipeline.iterator();
      for (int i = 0; i < 70_000; i++) {
        epoch.next();
      }
      String text = pipeline.checkpoint().toString();
      try (Pipeline<String> resumed = textLines(file).open(Checkpoint.parse(text))) {
        assertThat(resumed.iterator().next()).isEqualTo("line 70000");
        // What was passed over is at most the chunk the consumer was in.
        assertThat(resumed.stats().operators().getFirst().elements()).isLessThan(3000);
      }
    }
  }

  @Test
  void anInterruptionLosesNothing() throws IOException {
    Path file = write("a", "line\n".repeat(200_000));
    try (Pipeline<String> pipeline = textLines(file).open()) {
      Iterator<String> epoch = pipeline.iterator();
      int count = 0;
      int interruptions = 0;
      while (true) {
        if (count % 20_000 == 19_999) {
          Thread.currentThread().interrupt();
        }
        try {
          if (!epoch.hasNext()) {
            break;
          }
          epoch.next();
          count++;
        } catch (PipelineInterruptedException e) {
          interruptions++;
        }
        boolean _ = Thread.interrupted();
        if (interruptions > 100) {
          break;
        }
      }
      assertThat(count).isEqualTo(200_000);
    }
  }

  @Test
  void anInterruptionThatAFunctionLeftBehindLosesNothing() throws IOException {
    Path file = write("a", "line\n".repeat(300_000));
    Dataset<String> lines =
        textLines(file)
            .map(
                line -> {
                  Thread.currentThread().interrupt();
                  return line;
                },
                2);
    assertThat(lines.count()).isEqualTo(300_000);
  }

  @Test
  void aLineThatDoesNotFitIsTheEnd() throws IOException {
    Path file = write("a", "x".repeat(8_000_000));
    assertThat(Outcomes.errors(textLines(file).options(o -> o.heapBudget(2_000_000))).getFirst())
        .isInstanceOfSatisfying(PipelineException.class, e -> assertThat(e.isTerminal()).isTrue())
        .hasMessageContaining("expected records that fit into the heap budget, but the one at byte")
        .hasMessageContaining("raise heap.budget");
    assertThat(textLines(file).first().orElseThrow()).hasSize(8_000_000);
  }

  @Test
  void explainsItsFiles() {
    assertThat(textLines("logs/*.txt").explain()).startsWith("textLines(files=[logs/*.txt])");
    List<Path> many = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      many.add(Path.of("f" + i));
    }
    assertThat(textLines(InputFiles.of(many).compressed(Compression.GZIP)).explain())
        .startsWith("textLines(files=[f0, f1, f2, … (9 in all, #")
        .contains(")] GZIP)");
  }

  @Test
  void refusesNoFiles() {
    assertThatThrownBy(() -> textLines((InputFiles) null))
        .hasMessage("textLines: expected files, but got null");
    assertThatThrownBy(() -> InputFiles.of(List.of()))
        .hasMessage("InputFiles: expected paths, names or patterns, but got none of them");
    assertThatThrownBy(() -> textLines(" "))
        .hasMessage("InputFiles: expected a pattern such as logs/*.txt, but got an empty one");
  }
}
