package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Compression;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Access;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class LoadOpTest {
  private record Point(double x, double y) {}

  private record Named(String name, Object value) {}

  @TempDir Path folder;

  private Path file() {
    return folder.resolve("saved");
  }

  @Test
  void keepsTheContract() throws IOException {
    range(60).map(x -> "text " + x).save(file(), Compression.ZLIB);
    PipelineContract.of(n -> Dataset.<String>load(file()).map(x -> x + "!", n)).check();
    PipelineContract.of(n -> Dataset.<String>load(file()).repeat(2).take(70)).check();
  }

  @Test
  void givesWhatWasSaved() throws IOException {
    for (Compression compression : Compression.values()) {
      assertThat(range(20_000).map(x -> 3 * x).save(file(), compression)).isEqualTo(20_000);
      Dataset<Long> loaded = Dataset.load(file());
      assertThat(loaded.toList()).isEqualTo(range(20_000).map(x -> 3 * x).toList());
      assertThat(loaded.cardinality()).isEqualTo(20_000);
    }
    assertThat(range(0).save(file())).isZero();
    assertThat(Dataset.load(file()).toList()).isEmpty();
    assertThat(Dataset.load(file()).cardinality()).isZero();
  }

  @Test
  void savesBatchesThatLiveInReusedMemory() throws IOException {
    Dataset<Tensor> batches = range(40).map(x -> Tensor.full(Shape.of(900), (float) x)).batch(8);
    batches.save(file());
    assertThat(Outcomes.of(Dataset.load(file()))).isEqualTo(Outcomes.of(batches));
  }

  @Test
  void recordsAreReadAsTheClassThatIsNamed() throws IOException {
    range(3).map(x -> new Point(x, -x)).save(file());
    assertThat(Dataset.load(file(), Point.class).toList())
        .containsExactly(new Point(0, 0), new Point(1, -1), new Point(2, -2));
    assertThat(Outcomes.errors(Dataset.load(file())))
        .singleElement()
        .satisfies(e -> assertThat(e.isTerminal()).isTrue())
        .asString()
        .contains("load: expected to be told the classes of all records in " + file())
        .contains("Point]; add them: load(file, Point.class)");
    range(3).map(x -> new Named("p" + x, new Point(x, x))).save(file());
    assertThat(Outcomes.errors(Dataset.load(file(), Named.class))).hasSize(1);
    assertThat(Dataset.load(file(), Named.class, Point.class).toList()).hasSize(3);
    assertThatThrownBy(() -> Dataset.load(file(), String.class))
        .hasMessageStartingWith("load: expected classes of records, but got java.lang.String");
  }

  @Test
  void aSaveThatFailsLeavesTheOldFile() throws IOException {
    range(5).save(file());
    assertThatThrownBy(() -> range(9).map(x -> Outcomes.refusing(7, x)).save(file()))
        .isInstanceOf(PipelineException.class);
    assertThatThrownBy(() -> range(9).map(x -> x == 7 ? new Object() : x).save(file()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "save: expected elements that can be written, but element 7 cannot be: encode:");
    assertThatThrownBy(() -> range(9).repeat().save(file()))
        .hasMessage("save: expected a dataset that ends, but got one that does not; use take(n)");
    assertThat(Dataset.load(file()).count()).isEqualTo(5);
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactly(file());
    }
  }

  @Test
  void whatIsNotAFileIsNotReplaced() {
    assertThatThrownBy(() -> range(5).save(folder))
        .isInstanceOf(IOException.class)
        .hasMessage(
            folder + ": expected a file to write, but there is something else of that name");
  }

  @Test
  void elementsAreThereByIndex() throws Exception {
    range(30_000).map(x -> "text " + x).save(file());
    try (Access access = Dataset.load(file()).op().access()) {
      assertThat(access.size()).isEqualTo(30_000);
      assertThat(access.at(29_999)).isEqualTo("text 29999");
      List<Object> read =
          IntStream.range(0, 2000)
              .parallel()
              .mapToObj(
                  i -> {
                    try {
                      return access.at(i * 7919L % 30_000);
                    } catch (Exception e) {
                      return e;
                    }
                  })
              .toList();
      for (int i = 0; i < 2000; i++) {
        assertThat(read.get(i)).isEqualTo("text " + i * 7919L % 30_000);
      }
      assertThatThrownBy(() -> access.at(30_000)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> access.at(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> Dataset.load(folder.resolve("none")).op().access())
        .hasMessage(folder.resolve("none") + ": expected an element file, but there is none");
  }

  @Test
  void aMissingOrDamagedFileIsReported() throws IOException {
    assertThat(Dataset.load(file()).cardinality()).isEqualTo(Dataset.UNKNOWN);
    assertThat(Outcomes.errors(Dataset.load(file())))
        .singleElement()
        .satisfies(e -> assertThat(e.isTerminal()).isTrue())
        .asString()
        .contains(file() + ": expected an element file, but there is none");
    range(20_000).save(file());
    byte[] bytes = Files.readAllBytes(file());
    bytes[100_000] ^= 1;
    Files.write(file(), bytes);
    assertThat(Outcomes.errors(Dataset.load(file())))
        .singleElement()
        .asString()
        .contains(file() + ": expected an undamaged element file, but got a block with another sum")
        .contains("at offset ");
    Files.write(file(), Arrays.copyOf(bytes, 50_000));
    assertThat(Outcomes.errors(Dataset.load(file())))
        .singleElement()
        .asString()
        .contains("it has no end after 50000 bytes; it was cut off, or is not one");
  }

  @Test
  void aFileThatChangedSinceTheCheckpointIsRefused() throws IOException {
    range(50).save(file());
    Dataset<Long> loaded = Dataset.load(file());
    try (Pipeline<Long> pipeline = loaded.open()) {
      Iterator<Long> elements = pipeline.iterator();
      elements.next();
      Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
      range(51).save(file());
      try (Pipeline<Long> resumed = loaded.open(checkpoint)) {
        assertThatThrownBy(resumed::iterator)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(
                "the file was changed since; restore it, or start the epoch again");
      }
      assertThat(Outcomes.of(elements)).hasSize(50); // the old file is still open
      assertThatThrownBy(() -> pipeline.iterator().next())
          .hasMessageContaining("when the pipeline began to read it, but it was changed");
    }
  }
}
