package dev.headrace.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Compression;
import dev.headrace.data.Tensor;
import dev.headrace.spi.InputFiles;
import dev.headrace.testing.NoLeftovers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A packed file that is cut or damaged, at whatever byte, costs what follows in it, and no other
 * file.
 */
@Timeout(120)
@ExtendWith(NoLeftovers.class)
class DamagedPackedFilesTest {
  private static final String FAILED = "failed";

  @TempDir private Path folder;

  /**
   * A kind of file, and how it is read.
   *
   * @param isChecked whether its records have sums of their own
   */
  private record Format(byte[] bytes, boolean isChecked, Function<InputFiles, Dataset<?>> source) {}

  @ParameterizedTest
  @EnumSource(
      value = Compression.class,
      names = {"GZIP", "ZLIB"})
  void costsItselfWhereverItIsCut(Compression compression) throws IOException {
    for (Format format : formats()) {
      byte[] packed = packed(format.bytes, compression);
      List<byte[]> cut = new ArrayList<>();
      for (int length = 1; length < packed.length; length++) {
        cut.add(Arrays.copyOf(packed, length));
      }
      check(format, compression, packed, cut, true);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Compression.class,
      names = {"GZIP", "ZLIB"})
  void costsItselfWhicheverByteIsDamaged(Compression compression) throws IOException {
    for (Format format : formats()) {
      byte[] packed = packed(format.bytes, compression);
      List<byte[]> damaged = new ArrayList<>();
      for (int at = 0; at < packed.length; at++) {
        for (int flip : new int[] {1, 0x80, 0xFF}) {
          byte[] mutant = packed.clone();
          mutant[at] ^= (byte) flip;
          damaged.add(mutant);
        }
      }
      check(format, compression, packed, damaged, false);
    }
  }

  private List<Format> formats() throws IOException {
    Path records = folder.resolve("records");
    Dataset.range(6).map(i -> Tensor.scalar("record " + i * i)).writeTfRecords(records);
    byte[] lines = "one\ntwo\nthree\nfour\n".repeat(3).getBytes(StandardCharsets.UTF_8);
    return List.of(
        new Format(Files.readAllBytes(records), true, files -> Dataset.tfRecords(files)),
        new Format(lines, false, files -> Dataset.textLines(files)),
        new Format(lines, false, files -> Dataset.fixedLengthRecords(files, 3, 0, 0)));
  }

  private static byte[] packed(byte[] bytes, Compression compression) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out =
        compression == Compression.GZIP
            ? new GZIPOutputStream(packed)
            : new DeflaterOutputStream(packed)) {
      out.write(bytes);
    }
    return packed.toByteArray();
  }

  /** Reads each damaged file between two sound ones. */
  private void check(
      Format format, Compression compression, byte[] sound, List<byte[]> damaged, boolean isCut)
      throws IOException {
    Path good = Files.write(folder.resolve("good"), sound);
    List<String> whole = read(format, compression, List.of(good));
    assertThat(whole).hasSizeGreaterThan(5).doesNotContain(FAILED);
    for (int i = 0; i < damaged.size(); i++) {
      Path bad = Files.write(folder.resolve("bad"), damaged.get(i));
      List<String> all = read(format, compression, List.of(good, bad, good));
      String what = "%s, mutant %d".formatted(compression, i);
      assertThat(all.subList(0, whole.size())).as(what).isEqualTo(whole);
      assertThat(all.subList(all.size() - whole.size(), all.size())).as(what).isEqualTo(whole);
      List<String> ofBad = all.subList(whole.size(), all.size() - whole.size());
      boolean failed = ofBad.contains(FAILED);
      assertThat(failed || !isCut).as(what + ": it fails").isTrue();
      List<String> read = ofBad.subList(0, failed ? ofBad.indexOf(FAILED) : ofBad.size());
      assertThat(ofBad).as(what).hasSizeLessThanOrEqualTo(read.size() + 1);
      if (isCut || format.isChecked) {
        assertThat(whole.subList(0, read.size())).as(what).isEqualTo(read);
      }
    }
  }

  private static List<String> read(Format format, Compression compression, List<Path> paths) {
    List<String> records = new ArrayList<>();
    Dataset<?> source = format.source.apply(InputFiles.of(paths).compressed(compression));
    try (Pipeline<?> pipeline = source.open()) {
      var elements = pipeline.iterator();
      while (elements.hasNext()) {
        try {
          records.add(textOf(elements.next()));
        } catch (PipelineException e) {
          assertThat(e.isTerminal()).as(e.getMessage()).isFalse();
          assertThat(e).hasMessageContaining("bad").hasCauseInstanceOf(IOException.class);
          records.add(FAILED);
        }
      }
    }
    return records;
  }

  private static String textOf(Object element) {
    return switch (element) {
      case Tensor tensor -> tensor.stringValue();
      case byte[] bytes -> new String(bytes, StandardCharsets.ISO_8859_1);
      default -> element.toString();
    };
  }
}
