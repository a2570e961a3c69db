package dev.headrace.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordFormat;
import dev.headrace.data.TfRecordWriter;
import dev.headrace.data.TfRecords;
import dev.headrace.spi.InputFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damaged TFRecord files give the records that a plain reading of the format finds, then one
 * failure that names file, byte and record. More mutants: {@code -Dheadrace.fuzz=1000000}, other
 * ones: {@code -Dheadrace.fuzz.seed=7}.
 */
@Timeout(3600)
class TfRecordFuzzTest {
  private static final int MUTANTS = Integer.getInteger("headrace.fuzz", 20_000);
  private static final long SEED = Long.getLong("headrace.fuzz.seed", 1);

  /** So many mutants are read by one pipeline, each as a file of its own. */
  private static final int TOGETHER = 200;

  @TempDir private Path folder;

  @AfterEach
  void mappingIsAsByDefault() {
    System.clearProperty(MappedFiles.PROPERTY);
  }

  @Test
  void readsWhatIsSoundAndReportsTheRest() throws IOException {
    Random random = new Random(SEED);
    List<byte[]> sound = List.of(file(random, 0), file(random, 3), file(random, 40));
    int damaged = 0;
    for (int done = 0; done < MUTANTS; done += TOGETHER) {
      List<byte[]> mutants = new ArrayList<>();
      List<Path> paths = new ArrayList<>();
      for (int i = 0; i < TOGETHER; i++) {
        byte[] mutant = mutant(sound.get(random.nextInt(sound.size())), sound, random);
        Path path = folder.resolve("m" + i);
        Files.write(path, mutant);
        mutants.add(mutant);
        paths.add(path);
      }
      for (String mapped : List.of("true", "false")) {
        System.setProperty(MappedFiles.PROPERTY, mapped);
        boolean lenient = random.nextBoolean();
        damaged += check(mutants, paths, lenient, "seed " + SEED + ", mutants from " + done);
      }
    }
    assertThat(damaged).isGreaterThan(MUTANTS / 2);
  }

  private static int check(
      List<byte[]> mutants, List<Path> paths, boolean lenient, String description) {
    TfRecords settings = lenient ? TfRecords.defaults().lenient() : TfRecords.defaults();
    int failures = 0;
    try (Pipeline<Tensor> pipeline = Dataset.tfRecords(InputFiles.of(paths), settings).open()) {
      Iterator<Tensor> actual = pipeline.iterator();
      for (int i = 0; i < mutants.size(); i++) {
        Parsed expected = Parsed.of(mutants.get(i), lenient);
        for (byte[] record : expected.records) {
          assertThat(actual.next().bytesValue()).as(description).isEqualTo(record);
        }
        if (expected.badAt >= 0) {
          failures++;
          String place =
              "record %d at byte %d: ".formatted(expected.records.size(), expected.badAt);
          try {
            throw new AssertionError(
                description + ": expected a failure, but got " + actual.next());
          } catch (PipelineException e) {
            assertThat(e.isTerminal()).as(description).isFalse();
            assertThat(e).hasMessageContaining(paths.get(i) + ": ").hasMessageContaining(place);
          }
        }
      }
      assertThat(actual.hasNext()).as(description).isFalse();
    }
    return failures;
  }

  /** The format, read as simply as it can be; {@code badAt} is where it does not fit, or -1. */
  private record Parsed(List<byte[]> records, long badAt) {
    static Parsed of(byte[] bytes, boolean lenient) {
      List<byte[]> records = new ArrayList<>();
      ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      while (in.hasRemaining()) {
        int at = in.position();
        if (in.remaining() < 12) {
          return new Parsed(records, lenient ? -1 : at);
        }
        long length = in.getLong();
        int lengthCrc = in.getInt();
        if (lengthCrc != crc(bytes, at, 8) || length < 0 || length > in.remaining() - 4) {
          return new Parsed(records, at);
        }
        byte[] record = new byte[(int) length];
        in.get(record);
        if (in.getInt() != crc(record, 0, record.length)) {
          return new Parsed(records, at);
        }
        records.add(record);
      }
      return new Parsed(records, -1);
    }
  }

  private static int crc(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    long value = crc.getValue();
    long rotated = value >>> 15 | value << 17 & 0xFFFF_FFFFL;
    return (int) (rotated + 0xa282ead8L);
  }

  private byte[] file(Random random, int records) throws IOException {
    Path path = folder.resolve("sound");
    try (TfRecordWriter writer = new TfRecordWriter(path)) {
      for (int i = 0; i < records; i++) {
        byte[] record = new byte[random.nextInt(random.nextInt(5) == 0 ? 400 : 30)];
        random.nextBytes(record);
        writer.write(record);
      }
    }
    return Files.readAllBytes(path);
  }

  private static byte[] mutant(byte[] sound, List<byte[]> others, Random random) {
    byte[] mutant = sound.clone();
    int changes = random.nextInt(4);
    for (int i = 0; i < changes; i++) {
      mutant = changed(mutant, others, random);
    }
    return mutant;
  }

  private static byte[] changed(byte[] bytes, List<byte[]> others, Random random) {
    int length = bytes.length;
    switch (random.nextInt(5)) {
      case 0 -> { // a flipped bit
        if (length > 0) {
          bytes[random.nextInt(length)] ^= (byte) (1 << random.nextInt(8));
        }
        return bytes;
      }
      case 1 -> {
        return Arrays.copyOf(bytes, random.nextInt(length + 1));
      }
      case 2 -> { // another length at the place of one, half of the time with its checksum
        int at = firstRecord(bytes, random);
        if (at + 12 <= length) {
          ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
          long value = random.nextLong() >>> random.nextInt(64);
          buffer.putLong(at, value);
          if (random.nextBoolean()) {
            buffer.putInt(at + 8, TfRecordFormat.lengthCrc(value));
          }
        }
        return bytes;
      }
      case 3 -> { // a piece of another file put in
        byte[] other = others.get(random.nextInt(others.size()));
        int from = random.nextInt(other.length + 1);
        int to = from + random.nextInt(other.length - from + 1);
        int at = random.nextInt(length + 1);
        ByteBuffer spliced = ByteBuffer.allocate(length + to - from);
        spliced.put(bytes, 0, at).put(other, from, to - from).put(bytes, at, length - at);
        return spliced.array();
      }
      default -> { // a piece taken out
        int from = random.nextInt(length + 1);
        int to = from + random.nextInt(length - from + 1);
        ByteBuffer cut = ByteBuffer.allocate(length - to + from);
        cut.put(bytes, 0, from).put(bytes, to, length - to);
        return cut.array();
      }
    }
  }

  /** Where some record begins, as long as they are sound. */
  private static int firstRecord(byte[] bytes, Random random) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int at = 0;
    for (int i = random.nextInt(5); i > 0 && at + 12 <= bytes.length; i--) {
      long length = in.getLong(at);
      if (length < 0 || length > bytes.length - at - 28) {
        break;
      }
      at += (int) length + 16;
    }
    return at;
  }
}
