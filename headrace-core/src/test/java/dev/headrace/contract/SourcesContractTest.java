package dev.headrace.contract;

import static dev.headrace.contract.ContractChecks.check;
import static dev.headrace.contract.ContractChecks.failsOnSevens;

import dev.headrace.Dataset;
import dev.headrace.data.Compression;
import dev.headrace.data.Csv;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecords;
import dev.headrace.spi.InputFiles;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The contract on sources. */
@ExtendWith(NoLeftovers.class)
class SourcesContractTest {
  private record Pair(Tensor number, Tensor square) {}

  @Test
  void fromList() {
    check(n -> Dataset.of(1L, 2L, 3L, 4L, 5L).map(x -> failsOnSevens(x), n));
  }

  @Test
  void fromTensorSlices() {
    Pair all = new Pair(Tensor.uniform(Shape.of(17, 2), 1), Tensor.full(Shape.of(17), 3L));
    check(n -> Dataset.fromTensorSlices(all).prefetch(n).batch(4));
  }

  @Test
  void fromTensors() {
    check(n -> Dataset.fromTensors(Tensor.of(1, 2)).repeat(4));
  }

  @Test
  void counter() {
    check(n -> Dataset.counter(3, 4).map(x -> failsOnSevens(x), n).take(20));
  }

  @Test
  void random() {
    check(n -> Dataset.random(Seed.of(4), true).shuffle(5, Seed.of(1)).take(20));
  }

  @Test
  void repeatableGenerator() {
    check(
        n ->
            Dataset.repeatableGenerator(
                    () -> LongStream.range(0, 30).map(x -> failsOnSevens(x)).iterator())
                .map(x -> x, n));
  }

  @Test
  void textLines(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("a.txt"), "0\n1\n2\r\n3\n4");
    Files.writeString(folder.resolve("b.txt"), "5\n10\n\n12");
    check(n -> Dataset.textLines(folder + "/*.txt").map(x -> failsOnSevens(x.length()), n));
    check(
        n ->
            Dataset.listFiles(folder + "/*.txt")
                .interleave(file -> Dataset.textLines(file).map(x -> x), 2, 2, n)
                .shuffle(3, Seed.of(1)));
  }

  @Test
  void fixedLengthRecords(@TempDir Path folder) throws IOException {
    Files.write(folder.resolve("a.bin"), new byte[40]);
    Files.write(folder.resolve("b.bin"), new byte[10]);
    check(n -> Dataset.fixedLengthRecords(folder + "/*.bin", 5).map(x -> x.length, n));
  }

  @Test
  void csv(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("a.csv"), "x,y\n1,2\n?,3\n\"4\",5\n6\n7,8\n");
    check(
        n ->
            Dataset.csv(folder + "/a.csv", Csv.columns(Csv.int64("x"), Csv.float32("y")))
                .map(row -> failsOnSevens(row.get("x").longValue()), n));
  }

  @Test
  void tfRecords(@TempDir Path folder) throws IOException {
    Dataset<byte[]> records = Dataset.range(17).map(i -> new byte[(int) (i * 7)]);
    for (Compression compression : Compression.values()) {
      long unused = records.writeTfRecords(folder.resolve(compression + "/x"), 3, compression);
      InputFiles files = InputFiles.matching(folder + "/" + compression + "/x-*");
      check(
          n ->
              Dataset.tfRecords(files.compressed(compression))
                  .map(x -> failsOnSevens(x.byteSize()), n));
    }
    Path damaged = folder.resolve("NONE/x-00001-of-00003");
    byte[] bytes = Files.readAllBytes(damaged);
    bytes[100] ^= 1;
    Files.write(damaged, bytes);
    Files.write(folder.resolve("NONE/x-00003-of-00003"), new byte[] {1, 2, 3});
    InputFiles files = InputFiles.matching(folder + "/NONE/x-*-of-00003");
    for (String mapped : List.of("true", "false")) {
      System.setProperty("headrace.mmap", mapped);
      try {
        check(n -> Dataset.tfRecords(files).map(x -> x.byteSize(), n));
        check(
            n ->
                Dataset.tfRecords(files, TfRecords.defaults().indexed().lenient())
                    .map(x -> x.byteSize(), n)
                    .shuffle(4, Seed.of(1)));
        check(
            n ->
                Dataset.listFiles(folder + "/NONE/x-*-of-00003")
                    .interleave(file -> Dataset.tfRecords(file).map(x -> x.byteSize()), 2, 2, n));
      } finally {
        System.clearProperty("headrace.mmap");
      }
    }
  }
}
