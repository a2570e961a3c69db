package dev.headrace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.data.Seed;
import dev.headrace.spi.State;
import dev.headrace.testing.ParserFuzz;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Damaged and forged checkpoints, tuning and training files are refused with a reason, or used. */
@Timeout(3600)
class SavedFilesFuzzTest {
  private static final String[] TOKENS = {
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "-1",
    "0",
    "9223372036854775807",
    "99999999999999999999",
    "true",
    "null",
    "\"skip\"",
    "\\u0000",
    "1e5"
  };

  private static final String STATE = "\"state\": ";

  @TempDir private Path folder;

  private static Dataset<Long> plan() {
    return Dataset.range(60)
        .shuffle(10, Seed.of(3))
        .filter(x -> x % 3 != 0)
        .repeat(2)
        .skip(3)
        .take(50)
        .options(Options.defaults().debug());
  }

  private static byte[] checkpoint(int position) {
    try (Pipeline<Long> pipeline = plan().open()) {
      Iterator<Long> elements = pipeline.iterator();
      for (int i = 0; i < position; i++) {
        long unused = elements.next();
      }
      return pipeline.checkpoint().toString().getBytes(UTF_8);
    }
  }

  /** The text up to its sum, with the right one. */
  private static byte[] mendSum(byte[] bytes) {
    String text = new String(bytes, UTF_8);
    int sum = text.lastIndexOf("\nsum ");
    if (sum < 0) {
      return bytes;
    }
    CRC32C crc = new CRC32C();
    crc.update(text.substring(0, sum).getBytes(UTF_8));
    return (text.substring(0, sum)
            + String.format(Locale.ROOT, "%nsum %08x%n", crc.getValue()).replace("\r", ""))
        .getBytes(UTF_8);
  }

  @Test
  void checkpoints() {
    List<byte[]> sound = List.of(checkpoint(0), checkpoint(7), checkpoint(31));
    ParserFuzz.of("checkpoint", sound, bytes -> Checkpoint.parse(new String(bytes, UTF_8)).epoch())
        .tokens(TOKENS)
        .repairing(SavedFilesFuzzTest::mendSum)
        .run();
  }

  /** A forged position is refused, or gives elements that end; never a raw error of an array. */
  @Test
  void positions() {
    String text = new String(checkpoint(7), UTF_8);
    String start = text.substring(0, text.indexOf(STATE) + STATE.length());
    List<byte[]> states =
        List.of(state(checkpoint(0)), state(checkpoint(7)), state(checkpoint(31)));
    ParserFuzz.of(
            "position",
            states,
            bytes ->
                resume(
                    new String(
                        mendSum((start + new String(bytes, UTF_8) + "}\nsum ").getBytes(UTF_8)),
                        UTF_8)))
        .tokens(TOKENS)
        .refusingBy(
            IllegalArgumentException.class, IllegalStateException.class, State.InvalidState.class)
        .run(Integer.getInteger("headrace.fuzz", 2_000) / 4);
  }

  private static byte[] state(byte[] checkpoint) {
    String text = new String(checkpoint, UTF_8);
    int from = text.indexOf(STATE) + STATE.length();
    return text.substring(from, text.lastIndexOf("}\nsum ")).getBytes(UTF_8);
  }

  private static void resume(String text) throws Exception {
    Checkpoint checkpoint = Checkpoint.parse(text);
    try (Pipeline<Long> pipeline = plan().open(checkpoint)) {
      Iterator<Long> elements = pipeline.iterator();
      for (int i = 0; i < 200 && elements.hasNext(); i++) {
        long unused = elements.next();
      }
    } catch (PipelineException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  @Test
  void tunings() {
    byte[] sound =
        """
        headrace tuning 1
        plan 0123456789abcdef
        0.1 map threads=yes workers=8 kind=platform buffer=0
        0 prefetch threads=no workers=0 kind=virtual buffer=12
        """
            .getBytes(UTF_8);
    ParserFuzz.of(
            "tuning", List.of(sound), bytes -> Tuning.parse(new String(bytes, UTF_8)).values())
        .tokens("\n", "=", "yes", "9999999999", "-1", "plan ")
        .run();
  }

  private record Model() implements ModelState {
    @Override
    public void save(OutputStream out) throws IOException {
      out.write(new byte[100]);
    }

    @Override
    public void load(InputStream in) throws IOException {
      byte[] unused = in.readAllBytes();
    }
  }

  @Test
  void trainings() throws IOException {
    Path file = folder.resolve("training");
    try (Pipeline<Long> pipeline = plan().open()) {
      TrainingFile.of(7, 3, 12, 0.5, 3, pipeline.checkpoint()).write(file, new Model());
    }
    byte[] sound = Files.readAllBytes(file);
    Path mutant = folder.resolve("mutant");
    ParserFuzz.of(
            "training",
            List.of(sound),
            bytes -> {
              Files.write(mutant, bytes);
              TrainingFile read = TrainingFile.read(mutant);
              read.load(mutant, new Model());
            })
        .tokens("\n", "-1", "9999999999", "position ", "true", "false", "NaN")
        .repairing(SavedFilesFuzzTest::mendTraining)
        .run();
  }

  /** Repairs the sum at the end, and half of the time that of the position within. */
  private static byte[] mendTraining(byte[] bytes) {
    String text = new String(bytes, ISO_8859_1);
    int sum = text.lastIndexOf("\nsum ");
    if (sum < 0) {
      return bytes;
    }
    CRC32C crc = new CRC32C();
    crc.update(text.substring(0, sum).getBytes(ISO_8859_1));
    return (text.substring(0, sum) + String.format(Locale.ROOT, "\nsum %08x\n", crc.getValue()))
        .getBytes(ISO_8859_1);
  }
}
