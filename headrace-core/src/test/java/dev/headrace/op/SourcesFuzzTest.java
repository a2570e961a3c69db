package dev.headrace.op;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Compression;
import dev.headrace.data.Csv;
import dev.headrace.data.RepairedBlocks;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordFormat;
import dev.headrace.spi.Failure;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.MemoryStore;
import dev.headrace.testing.ParserFuzz;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Damaged files of every source give elements and errors that say what is wrong. */
@Timeout(3600)
class SourcesFuzzTest {
  private static final String NAME = "mem:fuzz/file";
  private static final InputFiles FILE = InputFiles.named(NAME);

  /** Opening a pipeline for each input takes its time. */
  /** Of an element file. */
  private static final int MAGIC_BYTES = 8;

  private static final int INPUTS = Integer.getInteger("headrace.fuzz", 2_000) / 4;

  private static final int MOST_ELEMENTS = 1_000_000;

  @TempDir private Path folder;

  private record Row(int id, String name, Double score) {}

  /** Reads all elements; the first error is thrown when all of them were read. */
  static void drain(Dataset<?> dataset) throws Exception {
    PipelineException first = null;
    try (Pipeline<?> pipeline = dataset.options(Options.defaults().debug()).open()) {
      Iterator<?> elements = pipeline.iterator();
      for (int count = 0; elements.hasNext(); count++) {
        if (count == MOST_ELEMENTS) {
          throw new AssertionError("expected an end");
        }
        try {
          elements.next();
        } catch (PipelineException e) {
          first = first == null ? e : first;
          if (e.isTerminal()) {
            break;
          }
        }
      }
    }
    if (first != null && first.getCause() instanceof Exception cause) {
      throw cause;
    }
  }

  private static ParserFuzz source(String name, List<byte[]> sound, Supplier<Dataset<?>> reading) {
    return ParserFuzz.of(
        name,
        sound,
        bytes -> {
          MemoryStore.put(NAME, bytes);
          drain(reading.get());
        });
  }

  @Test
  void lines() {
    source("lines", List.of("one\ntwo\r\n\nlast".getBytes(UTF_8)), () -> Dataset.textLines(FILE))
        .tokens("\n", "\r", "\r\n", "é")
        .run(INPUTS);
  }

  @Test
  void jsonLines() {
    String[] tokens = {"{", "}", "[", "]", "\"", "\\u", ",", ":", "null", "1e999", "-", "\n", "\\"};
    source(
            "json-rows",
            List.of("{\"id\": 1, \"name\": \"x\", \"score\": 2.5}\n".getBytes(UTF_8)),
            () -> Dataset.jsonLines(FILE, Row.class))
        .tokens(tokens)
        .run(INPUTS);
    source(
            "json-tensors",
            List.of("{\"id\": 1, \"b\": [[1, 2], [3, 4]]}\n".getBytes(UTF_8)),
            () -> Dataset.jsonLines(NAME))
        .tokens(tokens)
        .run(INPUTS);
  }

  @Test
  void csv() {
    byte[] text = "id,name,score\n1,\"a \"\"b\"\"\",2.5\n2,c,\n3,\"d\ne\",-1e9\n".getBytes(UTF_8);
    String[] tokens = {",", "\"", "\n", "\r\n", ";", "NA", "1e999", "9999999999999", "é"};
    source("csv-inferred", List.of(text), () -> Dataset.csv(FILE, Csv.inferred()))
        .tokens(tokens)
        .run(INPUTS);
    source("csv-rows", List.of(text), () -> Dataset.csv(FILE, Csv.inferred(), Row.class))
        .tokens(tokens)
        .run(INPUTS);
    Csv declared =
        Csv.columns(Csv.int32("id"), Csv.string("name").or(""), Csv.float64("score").or(0));
    source("csv-declared", List.of(text), () -> Dataset.csv(FILE, declared.missing("NA")))
        .tokens(tokens)
        .run(INPUTS);
  }

  @Test
  void fixedLengthRecords() {
    source(
            "fixed-length",
            List.of(new byte[3 + 4 * 5 + 2]),
            () -> Dataset.fixedLengthRecords(FILE, 4, 3, 2))
        .run(INPUTS);
  }

  private static byte[] records(Compression compression) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = compression.pack(bytes)) {
      for (String record : List.of("", "a", "a longer record of some bytes", "b")) {
        byte[] data = record.getBytes(UTF_8);
        ByteBuffer frame = ByteBuffer.allocate(data.length + 16).order(ByteOrder.LITTLE_ENDIAN);
        frame.putLong(data.length).putInt(TfRecordFormat.lengthCrc(data.length)).put(data);
        frame.putInt(TfRecordFormat.masked(crc(data)));
        out.write(frame.array());
      }
    }
    return bytes.toByteArray();
  }

  private static int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  /** Repairs the checksums of lengths, and of what follows where that fits. */
  private static byte[] mendRecords(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at + 12 <= bytes.length; ) {
      long length = in.getLong(at);
      in.putInt(at + 8, TfRecordFormat.lengthCrc(length));
      if (length < 0 || length > bytes.length - at - 16) {
        break;
      }
      byte[] data = new byte[(int) length];
      in.get(at + 12, data);
      in.putInt(at + 12 + data.length, TfRecordFormat.masked(crc(data)));
      at += data.length + 16;
    }
    return bytes;
  }

  @Test
  void tfRecords() throws IOException {
    source("tfrecord", List.of(records(Compression.NONE)), () -> Dataset.tfRecords(FILE))
        .repairing(SourcesFuzzTest::mendRecords)
        .run(INPUTS);
    for (Compression compression : List.of(Compression.GZIP, Compression.ZLIB)) {
      source(
              "tfrecord-" + compression.name().toLowerCase(Locale.ROOT),
              List.of(records(compression)),
              () -> Dataset.tfRecords(FILE.compressed(compression)))
          .run(INPUTS);
    }
    Path file = folder.resolve("records");
    ParserFuzz.of(
            "tfrecord-mapped",
            List.of(records(Compression.NONE)),
            bytes -> {
              Files.write(file, bytes);
              drain(Dataset.tfRecords(file));
            })
        .repairing(SourcesFuzzTest::mendRecords)
        .run(INPUTS);
  }

  @Test
  void deadLetters() {
    Path file = folder.resolve("letters");
    byte[] one =
        "{\"epoch\": 0, \"element\": \"1\", \"path\": \"map\", \"cause\": \"x\", \"stack\": \"y\"}\n"
            .getBytes(UTF_8);
    ParserFuzz.of(
            "dead-letters",
            List.of(one),
            bytes -> {
              Files.write(file, bytes);
              try (DeadLetters letters = new DeadLetters(file)) {
                letters.put(
                    new Failure("map", null, new IllegalStateException("failed"), false), 0);
              }
              // Nothing is lost but a last line that was begun like a dead letter.
              String before = new String(bytes, ISO_8859_1);
              int tail = before.lastIndexOf('\n') + 1;
              boolean isOurs = before.startsWith("{\"epoch\": ", tail);
              String expected = isOurs ? before.substring(0, tail) : before;
              if (!Files.readString(file, ISO_8859_1).startsWith(expected)) {
                throw new AssertionError("lost some of " + before);
              }
            })
        .tokens("\n", "{\"epoch\": ", "{", "\"")
        .run();
  }

  @Test
  void elementFiles() throws IOException {
    Path file = folder.resolve("elements");
    Dataset<Map<String, Tensor>> elements =
        Dataset.range(5).map(x -> Map.of("x", Tensor.of(x, 2L), "t", Tensor.scalar("t" + x)));
    long unused = elements.save(file);
    byte[] plain = Files.readAllBytes(file);
    unused = elements.save(file, Compression.GZIP);
    byte[] packed = Files.readAllBytes(file);
    unused = Dataset.range(100).save(file);
    byte[] longs = Files.readAllBytes(file);
    Path mutant = folder.resolve("mutant");
    byte[] sound = cached(folder.resolve("sound"));
    ParserFuzz.of(
            "element-file",
            List.of(plain, packed, longs),
            bytes -> {
              Files.write(mutant, bytes);
              drain(Dataset.load(mutant));
            })
        .repairing(RepairedBlocks::repair)
        .run(INPUTS);
    ParserFuzz.of(
            "cache-file",
            List.of(sound),
            bytes -> {
              Files.write(mutant, bytes);
              Dataset<String> cached = Dataset.range(5).map(x -> "t" + x).cache(mutant);
              if (beginLike(sound, bytes)) {
                drain(cached);
              } else { // somebody else's file, which must not be replaced
                assertThatThrownBy(() -> drain(cached)).hasMessageContaining("of another kind");
                assertThat(mutant).hasBinaryContent(bytes);
              }
            })
        .repairing(RepairedBlocks::repair)
        .run(INPUTS / 4);
  }

  /** Whether it begins as element files do, as far as it goes. */
  private static boolean beginLike(byte[] sound, byte[] bytes) {
    int length = Math.min(bytes.length, MAGIC_BYTES);
    return Arrays.equals(sound, 0, length, bytes, 0, length);
  }

  private static byte[] cached(Path file) throws IOException {
    long unused = Dataset.range(5).map(x -> "t" + x).cache(file).count();
    return Files.readAllBytes(file);
  }
}
