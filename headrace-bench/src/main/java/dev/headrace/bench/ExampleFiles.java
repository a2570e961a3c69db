package dev.headrace.bench;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.ExampleBuilder;
import dev.headrace.example.Feature;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/** The records that {@link Examples} parses, in TFRecord files. */
final class ExampleFiles {
  private ExampleFiles() {}

  /** A row of a table as advertising logs have it: a label, 13 numbers and 26 categories. */
  static byte[] tabular(Random random) {
    ExampleBuilder row = Example.builder().int64("label", random.nextInt(2));
    for (int i = 1; i <= 13; i++) {
      row.floats("I" + i, random.nextFloat());
    }
    for (int i = 14; i <= 39; i++) {
      // Categories are numbered by how often they come: most numbers are small.
      row.int64("C" + i, random.nextLong(1L << 1 + random.nextInt(24)));
    }
    return row.toBytes();
  }

  static List<Feature> tabularFeatures() {
    List<Feature> features = new ArrayList<>();
    features.add(Feature.int64("label"));
    for (int i = 1; i <= 13; i++) {
      features.add(Feature.float32("I" + i));
    }
    for (int i = 14; i <= 39; i++) {
      features.add(Feature.int64("C" + i));
    }
    return features;
  }

  /** An image of 60 KB with what is usually beside it. */
  static byte[] image(Random random) {
    byte[] encoded = new byte[60_000];
    random.nextBytes(encoded);
    return Example.builder()
        .int64("image/height", 375)
        .int64("image/width", 500)
        .strings("image/colorspace", "RGB")
        .int64("image/class/label", random.nextInt(1000))
        .strings("image/class/text", "a few words")
        .strings("image/filename", "n" + random.nextInt() + ".JPEG")
        .bytes("image/encoded", encoded)
        .toBytes();
  }

  static List<Feature> imageFeatures() {
    return List.of(Feature.bytes("image/encoded"), Feature.int64("image/class/label"));
  }

  /** Writes a TFRecord file. */
  static void write(Path file, int count, Supplier<byte[]> records) throws IOException {
    try (OutputStream plain = new BufferedOutputStream(Files.newOutputStream(file));
        DataOutputStream out = new DataOutputStream(plain)) {
      for (int i = 0; i < count; i++) {
        byte[] record = records.get();
        byte[] length = new byte[8];
        MemorySegment.ofArray(length)
            .set(JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), 0, record.length);
        out.write(length);
        out.writeInt(Integer.reverseBytes(masked(length)));
        out.write(record);
        out.writeInt(Integer.reverseBytes(masked(record)));
      }
    }
  }

  private static int masked(byte[] bytes) {
    return masked(MemorySegment.ofArray(bytes));
  }

  private static int masked(MemorySegment bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.asByteBuffer());
    int value = (int) crc.getValue();
    return (value >>> 15 | value << 17) + 0xA282EAD8;
  }

  /** The records of a TFRecord file, checksums checked, as byte strings in its mapped memory. */
  static Dataset<Tensor> records(Path file) {
    MemorySegment memory = map(file);
    return Dataset.repeatableGenerator(() -> new Records(memory));
  }

  private static MemorySegment map(Path file) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Records implements Iterator<Tensor> {
    private final MemorySegment memory;
    private long at;

    Records(MemorySegment memory) {
      this.memory = memory;
    }

    @Override
    public boolean hasNext() {
      return at < memory.byteSize();
    }

    @Override
    public Tensor next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      long length = memory.get(JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), at);
      check(memory.asSlice(at, 8), at + 8);
      MemorySegment record = memory.asSlice(at + 12, length);
      check(record, at + 12 + length);
      at += 16 + length;
      return Tensor.wrapString(record);
    }

    private void check(MemorySegment part, long crcAt) {
      int crc = memory.get(JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), crcAt);
      if (crc != masked(part)) {
        throw new IllegalStateException("records: expected another checksum at byte " + crcAt);
      }
    }
  }
}
