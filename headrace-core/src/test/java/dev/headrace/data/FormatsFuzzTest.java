package dev.headrace.data;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.Dataset;
import dev.headrace.testing.ParserFuzz;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Damaged indexes, blocks, elements and packed bytes are refused with a reason, or read. */
@Timeout(3600)
class FormatsFuzzTest {
  @TempDir private Path folder;

  @Test
  void indexes() throws IOException {
    Path records = folder.resolve("records");
    long unused = Dataset.range(4_000).map(i -> new byte[20]).writeTfRecords(records);
    TfRecordIndex index = TfRecordIndex.of(records, null, warning -> {});
    byte[] sound = TfRecordIndexFile.bytes(index);
    Path mutant = folder.resolve("mutant");
    ParserFuzz.of(
            "tfrecord-index",
            List.of(sound),
            bytes -> {
              Files.write(mutant, bytes);
              TfRecordIndex read = TfRecordIndexFile.read(mutant);
              for (long record : new long[] {0, 1, read.records() / 2, read.records()}) {
                TfRecordIndex.Anchor anchor = read.before(record);
                if (anchor.offset() < 0 || anchor.number() < 0) {
                  throw new AssertionError(anchor);
                }
              }
            })
        .repairing(FormatsFuzzTest::mendIndex)
        .run();
  }

  private static byte[] mendIndex(byte[] bytes) {
    if (bytes.length >= 4) {
      CRC32C crc = new CRC32C();
      crc.update(bytes, 0, bytes.length - 4);
      ByteBuffer.wrap(bytes)
          .order(ByteOrder.LITTLE_ENDIAN)
          .putInt(bytes.length - 4, (int) crc.getValue());
    }
    return bytes;
  }

  private record Point(long x, String name, int[] more) {}

  @Test
  void elements() {
    ElementCodec codec = new ElementCodec().learn(new Point(1, "", new int[0]));
    List<byte[]> sound =
        List.of(
            codec.encode(new Point(1, "name", new int[] {1, 2, 3})),
            codec.encode(
                Map.of("x", Tensor.of(1f, 2f), "l", List.of(1L, 2, true, "t", new byte[] {1}))),
            codec.encode(Tensor.ofStrings("a", "bc", "")));
    ParserFuzz.of("element-codec", sound, bytes -> codec.decode(ByteBuffer.wrap(bytes))).run();
  }

  @Test
  void blocks() throws IOException {
    Path file = folder.resolve("blocks");
    for (Compression compression : List.of(Compression.NONE, Compression.ZLIB)) {
      try (BlockWriter writer = new BlockWriter(file, compression)) {
        byte[] block = "some elements of a block".getBytes(UTF_8);
        writer.add(block, block.length, 3);
        writer.add(block, 5, 1);
        writer.finish(Map.of("fact", "value", "number", 7L));
      }
      Path mutant = folder.resolve("mutant");
      ParserFuzz.of(
              "blocks-" + compression.name().toLowerCase(Locale.ROOT),
              List.of(Files.readAllBytes(file)),
              bytes -> {
                Files.write(mutant, bytes);
                try (BlockReader reader = new BlockReader(mutant)) {
                  for (int i = 0; i < reader.blocks(); i++) {
                    ByteBuffer unused = reader.read(i);
                  }
                }
              })
          .repairing(RepairedBlocks::repair)
          .run();
    }
  }

  @Test
  void packedBytes() throws IOException {
    for (Compression compression : List.of(Compression.GZIP, Compression.ZLIB)) {
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      try (OutputStream out = compression.pack(packed)) {
        out.write("some text, some text, some more text".getBytes(UTF_8));
      }
      ParserFuzz.of(
              "unpack-" + compression.name().toLowerCase(Locale.ROOT),
              List.of(packed.toByteArray()),
              bytes -> {
                try (InputStream in = compression.unpack(new ByteArrayInputStream(bytes))) {
                  long unused = in.skip(Long.MAX_VALUE);
                  byte[] _ = in.readAllBytes();
                }
              })
          .run();
    }
  }
}
