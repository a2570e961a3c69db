package dev.headrace.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.headrace.data.Compression;
import dev.headrace.data.ElementCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ElementFileTest {
  private record Entry(Object element, @Nullable Id parent, long ordinal) {
    @Override
    public String toString() {
      return element + " at " + new Id(parent, ordinal);
    }
  }

  @TempDir Path folder;

  private Path write(List<Entry> entries, Compression compression) throws IOException {
    Path file = folder.resolve("file-" + compression);
    try (ElementWriter writer = new ElementWriter(file, compression, new ElementCodec())) {
      for (Entry entry : entries) {
        writer.add(entry.element, entry.parent, entry.ordinal);
      }
      writer.finish(Map.of("answer", 42L));
      assertThat(writer.elements()).isEqualTo(entries.size());
    }
    return file;
  }

  private static List<Entry> readAll(ElementReader reader, int max) throws IOException {
    List<Entry> entries = new ArrayList<>();
    Chunk chunk = new Chunk();
    for (reader.read(chunk, max); !chunk.isEmpty(); reader.read(chunk, max)) {
      assertThat(chunk.size()).isLessThanOrEqualTo(max);
      for (int i = 0; i < chunk.size(); i++) {
        entries.add(new Entry(chunk.item(i), chunk.parentOf(i), chunk.ordinalOf(i)));
      }
      chunk.clear();
    }
    return entries;
  }

  /** Longs in runs, out of order and under several parents; texts; both in turns. */
  private static List<List<Entry>> samples() {
    SplittableRandom random = new SplittableRandom(3);
    List<List<Entry>> samples = new ArrayList<>();
    for (int kind = 0; kind < 8; kind++) {
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i < 30_000 / (kind + 1); i++) {
        Id parent = kind % 4 == 2 ? Id.ofPath(new long[] {i / 7, 3}) : null;
        parent = kind % 4 == 3 ? Id.ofPath(new long[random.nextInt(3)]) : parent;
        long ordinal = kind % 2 == 0 ? i : random.nextLong();
        boolean isLong = kind < 3 || (kind == 7 && random.nextInt(5) > 0);
        entries.add(new Entry(isLong ? (Object) random.nextLong() : "text " + i, parent, ordinal));
      }
      samples.add(entries);
    }
    samples.add(List.of());
    return samples;
  }

  @Test
  void givesBackElementsAndIds() throws IOException {
    for (List<Entry> entries : samples()) {
      for (Compression compression : Compression.values()) {
        Path file = write(entries, compression);
        try (ElementReader reader = new ElementReader(file, new ElementCodec())) {
          assertThat(reader.elements()).isEqualTo(entries.size());
          assertThat(reader.facts().get("answer")).isEqualTo(42L);
          assertThat(readAll(reader, 1000)).isEqualTo(entries);
          reader.seek(0);
          assertThat(readAll(reader, 7)).isEqualTo(entries);
        }
      }
    }
  }

  @Test
  void readsFromAnywhere() throws IOException {
    SplittableRandom random = new SplittableRandom(4);
    for (List<Entry> entries : samples()) {
      Path file = write(entries, Compression.ZLIB);
      try (ElementReader reader = new ElementReader(file, new ElementCodec())) {
        for (int i = 0; i < 200 && !entries.isEmpty(); i++) {
          int at = random.nextInt(entries.size());
          assertThat(reader.at(at)).isEqualTo(entries.get(at).element);
          reader.seek(at);
          Chunk chunk = new Chunk();
          reader.read(chunk, 1);
          assertThat(new Entry(chunk.item(0), chunk.parentOf(0), chunk.ordinalOf(0)))
              .isEqualTo(entries.get(at));
        }
        assertThatThrownBy(() -> reader.at(entries.size()))
            .isInstanceOf(IndexOutOfBoundsException.class)
            .hasMessageContaining("but got " + entries.size());
        reader.seek(Long.MAX_VALUE);
        assertThat(readAll(reader, 10)).isEmpty();
      }
    }
  }

  @Test
  void theDigestTellsElementsApartNotTheirPacking() throws IOException {
    List<List<Entry>> samples = samples();
    assertThat(digest(write(samples.get(5), Compression.NONE)))
        .isEqualTo(digest(write(samples.get(5), Compression.ZLIB)))
        .isNotEqualTo(digest(write(samples.get(4), Compression.NONE)));
  }

  private static String digest(Path file) throws IOException {
    try (ElementReader reader = new ElementReader(file, new ElementCodec())) {
      return reader.digest();
    }
  }

  @Test
  void anElementLargerThanABlockIsABlock() throws IOException {
    byte[] large = new byte[3_000_000];
    Arrays.fill(large, (byte) 7);
    List<Entry> entries =
        List.of(new Entry("small", null, 0), new Entry(large, null, 1), new Entry("end", null, 2));
    for (Compression compression : Compression.values()) {
      try (ElementReader reader =
          new ElementReader(write(entries, compression), new ElementCodec())) {
        assertThat(reader.at(2)).isEqualTo("end");
        assertThat(reader.at(1)).isEqualTo(large);
        assertThat(reader.at(0)).isEqualTo("small");
      }
    }
    assertThat(Files.size(folder.resolve("file-ZLIB"))).isLessThan(30_000);
  }

  @Test
  void anElementThatCannotBeWrittenLeavesNoTrace() throws IOException {
    Path file = folder.resolve("file");
    try (ElementWriter writer = new ElementWriter(file, Compression.NONE, new ElementCodec())) {
      writer.add("a", null, 0);
      assertThatThrownBy(() -> writer.add(List.of("b", new Object()), null, 1))
          .isInstanceOf(IllegalArgumentException.class);
      writer.add("c", null, 2);
      writer.finish(Map.of());
    }
    try (ElementReader reader = new ElementReader(file, new ElementCodec())) {
      assertThat(readAll(reader, 10))
          .containsExactly(new Entry("a", null, 0), new Entry("c", null, 2));
    }
  }

  @Test
  void whatIsNotFinishedIsNotThere() throws IOException {
    Path file = folder.resolve("folder").resolve("file");
    try (ElementWriter writer = new ElementWriter(file, Compression.NONE, new ElementCodec())) {
      writer.add("a", null, 0);
    }
    try (var left = Files.list(file.getParent())) {
      assertThat(left).isEmpty();
    }
    assertThatThrownBy(() -> new ElementReader(file, new ElementCodec()))
        .isInstanceOf(IOException.class)
        .hasMessage(file + ": expected an element file, but there is none");
    assertThatThrownBy(() -> new ElementReader(folder, new ElementCodec()))
        .hasMessage(folder + ": expected a file, but got a folder");
  }

  @Test
  void aFileThatIsCutOffAnywhereIsRefused() throws IOException {
    Path file = write(samples().get(7).subList(0, 20), Compression.NONE);
    byte[] bytes = Files.readAllBytes(file);
    for (int length = 0; length < bytes.length; length++) {
      Files.write(file, Arrays.copyOf(bytes, length));
      String size = length == 1 ? "1 byte" : length + " bytes";
      assertThatThrownBy(() -> new ElementReader(file, new ElementCodec()))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(
              file + ": expected an element file, but it has no end after " + size + ";");
    }
  }

  @Test
  void aByteThatChangedAnywhereIsNoticed() throws IOException {
    List<Entry> entries = samples().get(7).subList(0, 20);
    for (Compression compression : Compression.values()) {
      Path file = write(entries, compression);
      byte[] bytes = Files.readAllBytes(file);
      for (int at = 0; at < bytes.length; at++) {
        byte[] changed = bytes.clone();
        changed[at] ^= (byte) (1 << (at % 8));
        Files.write(file, changed);
        Throwable thrown =
            catchThrowable(
                () -> {
                  try (ElementReader reader = new ElementReader(file, new ElementCodec())) {
                    List<Entry> read = readAll(reader, 100);
                    if (compression != Compression.NONE && read.equals(entries)) {
                      throw new IOException(file + ": a bit that means nothing in packed bytes");
                    }
                  }
                });
        assertThat(thrown)
            .as("byte %d of %d, %s", at, bytes.length, compression)
            .isInstanceOf(IOException.class)
            .hasMessageStartingWith(file.toString());
      }
    }
  }

  @Test
  void errorsNameFileAndOffset() throws IOException {
    Path file = write(samples().get(5), Compression.NONE);
    byte[] bytes = Files.readAllBytes(file);
    bytes[100] ^= 1;
    Files.write(file, bytes);
    try (ElementReader reader = new ElementReader(file, new ElementCodec())) {
      assertThatThrownBy(() -> readAll(reader, 100))
          .hasMessage(
              file
                  + ": expected an undamaged element file, but got a block with another sum at"
                  + " offset 16");
    }
    bytes[11] = 9;
    Files.write(file, bytes);
    assertThatThrownBy(() -> new ElementReader(file, new ElementCodec()))
        .hasMessage(
            file
                + ": expected version 1 of element files, but got 9; it was written by another"
                + " version of Headrace");
    Files.writeString(file, "x".repeat(100));
    assertThatThrownBy(() -> new ElementReader(file, new ElementCodec()))
        .hasMessage(file + ": expected an element file, but it starts otherwise");
  }
}
