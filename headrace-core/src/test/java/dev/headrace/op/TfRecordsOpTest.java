package dev.headrace.op;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Compression;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordIndex;
import dev.headrace.data.TfRecordWriter;
import dev.headrace.data.TfRecords;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.InputSplit;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeftovers.class)
class TfRecordsOpTest {
  private static final TfRecords INDEXED = TfRecords.defaults().indexed();

  @TempDir private Path folder;

  @AfterEach
  void mappingIsAsByDefault() {
    System.clearProperty(MappedFiles.PROPERTY);
  }

  /** Records of differing lengths, the number of each at its start. */
  private static byte[] record(int number, int bytes) {
    byte[] record = new byte[bytes];
    Arrays.fill(record, (byte) number);
    byte[] name = ("#" + number + "#").getBytes(UTF_8);
    System.arraycopy(name, 0, record, 0, Math.min(name.length, bytes));
    return record;
  }

  private static String name(Tensor record) {
    String text = record.stringValue();
    return text.substring(0, text.indexOf('#', 1) + 1);
  }

  private Path write(String name, Compression compression, int from, int count, int bytes)
      throws IOException {
    Path file = folder.resolve(name);
    try (TfRecordWriter writer = new TfRecordWriter(file, compression)) {
      for (int i = from; i < from + count; i++) {
        writer.write(record(i, bytes + i % 7));
      }
    }
    return file;
  }

  private static List<String> names(Dataset<Tensor> records) {
    return records.toList().stream().map(TfRecordsOpTest::name).toList();
  }

  private static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "#" + i + "#").toList();
  }

  private static void damage(Path file, long at) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(at);
      int before = bytes.read();
      bytes.seek(at);
      bytes.write(before ^ 0x10);
    }
  }

  private static Dataset<Tensor> indexed(Path... files) {
    return Dataset.tfRecords(InputFiles.of(List.of(files)), INDEXED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "true", "false"})
  void readsFilesInOrder(String mapped) throws IOException {
    System.setProperty(MappedFiles.PROPERTY, mapped);
    Path unused = write("b-1", Compression.NONE, 500, 300, 1000);
    unused = write("b-0", Compression.NONE, 0, 500, 300);
    assertThat(names(Dataset.tfRecords(folder + "/b-*"))).isEqualTo(numbers(0, 800));
    assertThat(Dataset.tfRecords(folder + "/b-*").cardinality()).isEqualTo(Dataset.UNKNOWN);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void readsWhatWasWrittenHoweverItIsPacked(Compression compression) throws IOException {
    Path file = write("a", compression, 0, 2000, 200);
    Dataset<Tensor> records = Dataset.tfRecords(InputFiles.of(file).compressed(compression));
    assertThat(names(records)).isEqualTo(numbers(0, 2000));
    assertThat(names(records.skip(1500))).isEqualTo(numbers(1500, 2000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void readsRecordsOfAllSizes(String mapped) throws IOException {
    System.setProperty(MappedFiles.PROPERTY, mapped);
    Path file = folder.resolve("sizes");
    int[] sizes = {0, 1, 7, 8, 4095, 8192, 8193, 65_535, 65_536, 65_537, 300_000, 3_000_000, 5};
    try (TfRecordWriter writer = new TfRecordWriter(file)) {
      for (int i = 0; i < sizes.length; i++) {
        writer.write(record(i, sizes[i]));
      }
    }
    List<Tensor> read = Dataset.tfRecords(file).toList();
    for (int i = 0; i < sizes.length; i++) {
      assertThat(read.get(i).bytesValue()).isEqualTo(record(i, sizes[i]));
    }
    assertThat(read).hasSize(sizes.length);
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void damageCostsTheRestOfItsFileAndIsNamed(String mapped) throws IOException {
    System.setProperty(MappedFiles.PROPERTY, mapped);
    Path first = folder.resolve("first");
    try (TfRecordWriter writer = new TfRecordWriter(first)) {
      for (int i = 0; i < 10; i++) {
        writer.write(record(i, 100));
      }
    }
    damage(first, 3 * 116 + 50);
    Path second = write("second", Compression.NONE, 10, 5, 100);
    Dataset<Tensor> records = Dataset.tfRecords(InputFiles.of(first, second));
    assertThat(names(records.ignoreErrors()).stream().toList())
        .isEqualTo(concat(numbers(0, 3), numbers(10, 15)));
    assertThat(Outcomes.errors(records))
        .singleElement()
        .satisfies(
            e -> {
              assertThat(e.isTerminal()).isFalse();
              assertThat(e.element()).isEqualTo("3");
              assertThat(e).hasMessageContaining(first.toString());
              assertThat(e)
                  .hasMessageContaining(
                      "record 3 at byte 348: the checksum of its data, 100 bytes, does not fit");
            });
    assertThat(Outcomes.of(records.skip(4))).hasSize(6);
  }

  @Test
  void aHugeLengthIsAnErrorAndNotAnAllocation() throws IOException {
    for (Compression compression : Compression.values()) {
      Path file = folder.resolve("huge-" + compression);
      byte[] header = new byte[40];
      java.nio.ByteBuffer.wrap(header)
          .order(java.nio.ByteOrder.LITTLE_ENDIAN)
          .putLong(1L << 60)
          .putInt(dev.headrace.data.TfRecordFormat.lengthCrc(1L << 60));
      try (var out = compression.pack(Files.newOutputStream(file))) {
        out.write(header);
      }
      for (String mapped : List.of("true", "false")) {
        System.setProperty(MappedFiles.PROPERTY, mapped);
        assertThat(Outcomes.errors(Dataset.tfRecords(InputFiles.of(file).compressed(compression))))
            .singleElement()
            .satisfies(e -> assertThat(e).hasMessageContaining("record 0 at byte 0"));
      }
    }
  }

  @Test
  void aFileThatBecomesShorterWhileItIsMappedIsAFailure() throws IOException {
    Path file = write("a", Compression.NONE, 0, 20_000, 100);
    Path next = write("b", Compression.NONE, 20_000, 3, 100);
    List<String> read = new ArrayList<>();
    int failures = 0;
    try (Pipeline<Tensor> pipeline = Dataset.tfRecords(InputFiles.of(file, next)).open()) {
      Iterator<Tensor> records = pipeline.iterator();
      for (int i = 0; i < 10; i++) {
        read.add(name(records.next()));
      }
      try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
        bytes.setLength(4096);
      }
      while (records.hasNext()) {
        try {
          Tensor record = records.next();
          read.add(failures == 0 ? "" : name(record));
        } catch (PipelineException e) {
          assertThat(e.isTerminal()).isFalse();
          assertThat(e).hasMessageContaining(file.toString());
          failures++;
        }
      }
    }
    assertThat(failures).isOne();
    assertThat(read.subList(0, 10)).isEqualTo(numbers(0, 10));
    assertThat(read.subList(read.size() - 3, read.size())).isEqualTo(numbers(20_000, 20_003));
  }

  @Test
  void aMissingFileIsTheEnd() {
    assertThat(Outcomes.errors(Dataset.tfRecords(folder.resolve("none"))))
        .singleElement()
        .satisfies(e -> assertThat(e.isTerminal()).isTrue());
  }

  @Test
  void resumesByPlaceAndRefusesOtherFiles() throws IOException {
    Path file = write("a", Compression.NONE, 0, 3000, 100);
    Dataset<Tensor> records = Dataset.tfRecords(file);
    Checkpoint checkpoint;
    try (Pipeline<Tensor> pipeline = records.open()) {
      Iterator<Tensor> epoch = pipeline.iterator();
      for (int i = 0; i < 2000; i++) {
        epoch.next();
      }
      checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
    }
    try (Pipeline<Tensor> pipeline = records.open(checkpoint)) {
      assertThat(name(pipeline.iterator().next())).isEqualTo("#2000#");
    }
    Files.setLastModifiedTime(file, FileTime.fromMillis(1));
    assertThatThrownBy(
            () -> {
              try (Pipeline<Tensor> pipeline = records.open(checkpoint)) {
                pipeline.iterator().next();
              }
            })
        .hasMessageContaining("files were added, removed or changed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void anIndexGivesCountAndPlaces(String mapped) throws IOException {
    System.setProperty(MappedFiles.PROPERTY, mapped);
    Path first = write("a", Compression.NONE, 0, 1000, 100);
    Path empty = write("b", Compression.NONE, 0, 0, 0);
    Path second = write("c", Compression.NONE, 1000, 30, 20_000);
    Dataset<Tensor> records = indexed(first, empty, second);
    assertThat(records.cardinality()).isEqualTo(1030);
    assertThat(TfRecordIndex.path(first, null)).exists();
    assertThat(Dataset.listFiles(folder + "/*").count()).isEqualTo(3);
    assertThat(Dataset.listFiles(folder + "/**").count()).isEqualTo(3);
    for (int i : new int[] {0, 1, 141, 142, 500, 999, 1000, 1001, 1029}) {
      assertThat(name(records.at(i))).isEqualTo("#" + i + "#");
      assertThat(names(records.skip(i).take(1))).isEqualTo(numbers(i, i + 1));
    }
    assertThat(names(records)).isEqualTo(numbers(0, 1030));
    List<String> shuffled = new ArrayList<>(names(records.globalShuffle(Seed.of(3))));
    assertThat(shuffled).isNotEqualTo(numbers(0, 1030));
    Collections.sort(shuffled);
    assertThat(shuffled).isEqualTo(numbers(0, 1030).stream().sorted().toList());
  }

  @Test
  void withAnIndexDamageCostsOneRecord() throws IOException {
    Path file = write("a", Compression.NONE, 0, 7, 100);
    damage(file, 116 + 60);
    Dataset<Tensor> records = indexed(file);
    assertThat(records.cardinality()).isEqualTo(7);
    assertThat(names(records.ignoreErrors())).isEqualTo(concat(numbers(0, 1), numbers(2, 7)));
    assertThatThrownBy(() -> records.at(1)).hasMessageContaining("record 1 at byte 116");
  }

  @Test
  void withAnIndexSkippingCountsPlacesAndReadsNoneOfThem() throws IOException {
    Path file = write("a", Compression.NONE, 0, 7, 100);
    damage(file, 116 + 60);
    Dataset<Tensor> rest = indexed(file).skip(3);
    assertThat(names(rest)).isEqualTo(numbers(3, 7)); // the damaged one was never looked at
    assertThat(rest.cardinality()).isEqualTo(4);
    assertThat(names(indexed(file).skip(7))).isEmpty();
    PipelineContract.of(n -> indexed(file).skip(3).map(r -> name(r), n)).check();
  }

  @Test
  void whatIsDamagedBehindTheLastRecordIsAPlace() throws IOException {
    Path file = write("a", Compression.NONE, 0, 5, 100);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 119));
    Dataset<Tensor> records = indexed(file);
    assertThat(records.cardinality()).isEqualTo(5);
    assertThat(Outcomes.of(records)).hasSize(6).element(4).isEqualTo(Outcomes.ERROR);
    assertThatThrownBy(() -> records.at(4)).hasMessageContaining("record 4 at byte 470");
    assertThat(Dataset.tfRecords(InputFiles.of(file), INDEXED.lenient()).cardinality())
        .isEqualTo(4);
  }

  @Test
  void anIndexThatDoesNotFitIsMadeAnew() throws IOException {
    Path file = write("a", Compression.NONE, 0, 50, 1000);
    Path index = TfRecordIndex.path(file, null);
    assertThat(indexed(file).cardinality()).isEqualTo(50);
    byte[] good = Files.readAllBytes(index);
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 4;
      Files.write(index, bad);
      assertThat(indexed(file).cardinality()).isEqualTo(50);
      Files.write(index, Arrays.copyOf(good, i));
      assertThat(indexed(file).cardinality()).isEqualTo(50);
    }
    assertThat(Files.readAllBytes(index)).isEqualTo(good);
    Path unused = write("a", Compression.NONE, 0, 60, 1000);
    assertThat(indexed(file).cardinality()).isEqualTo(60);
    List<String> warnings = new ArrayList<>();
    Files.write(index, new byte[100]);
    assertThat(TfRecordIndex.of(file, null, warnings::add).records()).isEqualTo(60);
    assertThat(warnings).singleElement().asString().contains("is made again");
  }

  @Test
  void anIndexMayBeKeptElsewhere() throws IOException {
    Path file = write("a", Compression.NONE, 0, 50, 1000);
    Path indexes = folder.resolve("indexes");
    assertThat(
            Dataset.tfRecords(InputFiles.of(file), TfRecords.defaults().indexedIn(indexes))
                .cardinality())
        .isEqualTo(50);
    assertThat(TfRecordIndex.path(file, null)).doesNotExist();
    try (var kept = Files.list(indexes)) {
      assertThat(kept).hasSize(1);
    }
  }

  @Test
  void interleavesManyFiles() throws IOException {
    for (int i = 0; i < 4; i++) {
      Path unused = write("part-" + i, Compression.NONE, 100 * i, 100, 50);
    }
    List<String> expected =
        names(
            Dataset.listFiles(folder + "/part-*")
                .interleave(file -> Dataset.tfRecords(file), 4, 2));
    assertThat(expected).hasSize(400).startsWith("#0#", "#1#", "#100#", "#101#");
    assertThat(
            names(
                Dataset.listFiles(folder + "/part-*")
                    .interleave(file -> Dataset.tfRecords(file), 4, 2, 3)))
        .isEqualTo(expected);
  }

  @Test
  void refusesWhatCannotWork() {
    InputFiles packed = InputFiles.matching("x").compressed(Compression.GZIP);
    assertThatThrownBy(() -> Dataset.tfRecords(packed, INDEXED))
        .hasMessageContaining("expected files that are not packed");
    assertThatThrownBy(() -> Dataset.tfRecords("x").at(0)).hasMessageContaining("indexed()");
  }

  private static List<String> concat(List<String> first, List<String> second) {
    List<String> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  @Test
  void anIndexThatLiesIsNotBelieved() throws IOException {
    Path file = write("a", Compression.NONE, 0, 200, 1000);
    Path index = TfRecordIndex.path(file, null);
    assertThat(indexed(file).cardinality()).isEqualTo(200);
    byte[] good = Files.readAllBytes(index);
    byte[] fewer = good.clone();
    fewer[36]--;
    Files.write(index, signed(fewer));
    List<String> warnings = new ArrayList<>();
    assertThat(TfRecordIndex.of(file, null, warnings::add).records()).isEqualTo(200);
    assertThat(warnings).singleElement().asString().contains("are not where it says");
    assertThat(Files.readAllBytes(index)).isEqualTo(good);

    byte[] shifted = good.clone();
    shifted[FIRST_STEP]++;
    shifted[FIRST_STEP + 4]--;
    Files.write(index, signed(shifted));
    assertThat(names(indexed(file).skip(10))).isEqualTo(numbers(10, 200));
    assertThat(Files.readAllBytes(index)).isEqualTo(good);
  }

  /** Where in an index the steps from place to place begin: records (1 byte), bytes (3 bytes). */
  private static final int FIRST_STEP = 56;

  /** Forges one place of an index, as a right one plus or minus some records and their bytes. */
  private static byte[] forged(byte[] good, int place, int records, int bytes) {
    ByteBuffer forged = ByteBuffer.wrap(good.clone()).order(ByteOrder.LITTLE_ENDIAN);
    int at = FIRST_STEP + 4 * (place - 1);
    step(forged, at, records, bytes);
    step(forged, at + 4, -records, -bytes);
    return signed(forged.array());
  }

  private static void step(ByteBuffer index, int at, int records, int bytes) {
    index.put(at, (byte) (index.get(at) + records));
    int before =
        (index.get(at + 1) & 0x7F) | (index.get(at + 2) & 0x7F) << 7 | index.get(at + 3) << 14;
    int now = before + bytes;
    index.put(at + 1, (byte) (now | 0x80));
    index.put(at + 2, (byte) (now >> 7 | 0x80));
    index.put(at + 3, (byte) (now >> 14));
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void aForgedPlaceOfALargeFileIsFoundOutWhereItIsUsed(String mapped) throws IOException {
    System.setProperty(MappedFiles.PROPERTY, mapped);
    Path file = folder.resolve("large");
    try (TfRecordWriter writer = new TfRecordWriter(file, Compression.NONE)) {
      for (int i = 0; i < 1100; i++) {
        writer.write(record(i, 1000)); // 1016 bytes each, so that steps can be forged by hand
      }
    }
    assertThat(Files.size(file)).isGreaterThan(1 << 20);
    Path index = TfRecordIndex.path(file, null);
    assertThat(indexed(file).cardinality()).isEqualTo(1100);
    byte[] good = Files.readAllBytes(index);
    int[][] forgeries = {{1, 0}, {-1, 0}, {0, 1016}, {0, -1016}, {1, 2 * 1016}, {0, 8}, {-1, -1}};
    for (int[] forgery : forgeries) {
      Files.write(index, forged(good, 3, forgery[0], forgery[1]));
      for (int i : new int[] {33, 34, 51, 60, 67, 68, 900}) {
        assertThat(name(indexed(file).at(i))).as("record %d", i).isEqualTo("#" + i + "#");
        Files.write(index, forged(good, 3, forgery[0], forgery[1]));
        assertThat(names(indexed(file).skip(i).take(20))).isEqualTo(numbers(i, i + 20));
      }
      assertSplitsAreExactOrRefused(file);
    }
  }

  /** Together the splits have each record once, or one of them is refused. */
  private void assertSplitsAreExactOrRefused(Path file) throws IOException {
    Path index = TfRecordIndex.path(file, null);
    byte[] forged = Files.readAllBytes(index);
    List<String> all = new ArrayList<>();
    for (InputSplit split : indexed(file).splits(9)) {
      try {
        all.addAll(names(indexed(file).ofSplit(split)));
      } catch (IOException e) {
        assertThat(e)
            .hasMessageStartingWith("split: expected")
            .hasMessageEndingWith("remove the index of the file and make the splits again");
        return;
      }
      Files.write(index, forged);
    }
    assertThat(all).isEqualTo(numbers(0, 1100));
  }

  @Test
  void aFileThatIsWrittenInPlaceHasAnotherIndex() throws IOException {
    Path file = folder.resolve("inPlace");
    FileTime time = FileTime.fromMillis(1_700_000_000_000L);
    byte[] three = recordsOf(600, 1000, 1000, 1000, 1000, 700, 1000);
    byte[] two = recordsOf(600, 1000, 1508, 1508, 700, 1000);
    assertThat(two).hasSameSizeAs(three);
    Files.write(file, three);
    Files.setLastModifiedTime(file, time);
    assertThat(indexed(file).cardinality()).isEqualTo(1303);
    Files.write(file, two);
    Files.setLastModifiedTime(file, time);
    assertThat(indexed(file).cardinality()).isEqualTo(1302);
    List<String> now = names(indexed(file));
    for (int i : new int[] {0, 599, 600, 601, 602, 603, 1200, 1301}) {
      assertThat(name(indexed(file).at(i))).isEqualTo(now.get(i));
    }
  }

  /** Many records, some of other lengths in between, and many again. */
  private byte[] recordsOf(int before, int size, int... between) throws IOException {
    Path file = folder.resolve("some");
    try (TfRecordWriter writer = new TfRecordWriter(file, Compression.NONE)) {
      int number = 0;
      for (int i = 0; i < before; i++) {
        writer.write(record(number++, size));
      }
      for (int i = 0; i < between.length - 2; i++) {
        writer.write(record(number++, between[i]));
      }
      for (int i = 0; i < between[between.length - 2]; i++) {
        writer.write(record(number++, between[between.length - 1]));
      }
    }
    return Files.readAllBytes(file);
  }

  private static byte[] signed(byte[] index) {
    CRC32C crc = new CRC32C();
    crc.update(index, 0, index.length - 4);
    ByteBuffer.wrap(index)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(index.length - 4, (int) crc.getValue());
    return index;
  }

  @Test
  void anIndexOfAFileWithAnotherEndIsMadeAnew() throws IOException {
    Path file = write("a", Compression.NONE, 0, 100, 1000);
    FileTime time = Files.getLastModifiedTime(file);
    byte[] before = Files.readAllBytes(file);
    assertThat(indexed(file).cardinality()).isEqualTo(100);
    byte[] after = Arrays.copyOf(before, before.length);
    Arrays.fill(after, after.length - 2000, after.length, (byte) 0);
    Files.write(file, after);
    Files.setLastModifiedTime(file, time);
    assertThat(TfRecordIndex.of(file, null, warning -> {}).records()).isEqualTo(99);
  }

  @Test
  void aDamagedSecondMemberIsNoEnd() throws IOException {
    Path file = write("a", Compression.GZIP, 0, 10, 100);
    byte[] member = Files.readAllBytes(file);
    byte[] both = Arrays.copyOf(member, 2 * member.length);
    System.arraycopy(member, 0, both, member.length, member.length);
    Files.write(file, both);
    Dataset<Tensor> records = Dataset.tfRecords(InputFiles.of(file).compressed(Compression.GZIP));
    assertThat(records.count()).isEqualTo(20);
    damage(file, member.length + 1);
    assertThat(Outcomes.errors(records)).hasSize(1);
    Files.write(file, new byte[0]);
    assertThat(records.count()).isZero();
  }
}
