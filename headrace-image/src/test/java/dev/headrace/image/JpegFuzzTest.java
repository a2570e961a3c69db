package dev.headrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.data.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Damaged files fail with an error that says what is wrong, or every decoder decodes them to the
 * same pixels. {@code -Dheadrace.fuzz=100000} tries more than the usual number.
 */
@Timeout(3600)
class JpegFuzzTest {
  private static final int TRIES = Integer.getInteger("headrace.fuzz", 5_000);
  private static final long SEED = Long.getLong("headrace.test.seed", 1);

  private static List<byte[]> files() {
    List<byte[]> files = new ArrayList<>();
    for (String name : new String[] {"j420.jpg", "j420prog.jpg", "j444.jpg", "jgray.jpg"}) {
      files.add(GoldenCase.resource(name));
    }
    if (TestDecoders.all().containsKey("opencv")) {
      files.addAll(JpegFiles.ofSize(40, 35, new Random(5)).values());
      files.add(JpegFiles.unmarked(30, 20, 4, new Random(6)));
    }
    return files;
  }

  @Test
  void damagedFilesFailOrDecodersAgree() {
    Random random = new Random(SEED);
    List<byte[]> files = files();
    ImageLimits limits = ImageLimits.defaults().withMaxPixels(1_000_000);
    Map<String, Integer> outcomes = new LinkedHashMap<>();
    for (int i = 0; i < TRIES; i++) {
      byte[] damaged = Fuzz.damage(files.get(random.nextInt(files.size())), random);
      Jpeg options = Jpeg.channels(random.nextInt(4) == 0 ? 1 : 0).limits(limits);
      if (random.nextInt(5) == 0) {
        options = options.recoverTruncated(random.nextInt(3) / 2.0);
      }
      if (random.nextInt(8) == 0) {
        options = options.acceptDamage();
      }
      check(damaged, options, "try " + i, outcomes);
    }
    System.out.println("fuzzed JPEG files: " + outcomes);
  }

  /**
   * A flipped bit may shift the codes behind it, so that data is left over at the end or is
   * lacking. What goes unnoticed are bits of values, and shifts after which the codes fall into
   * step again.
   */
  @Test
  void flippedBitsThatShiftCodesAreNoticed() {
    Assumptions.assumeTrue(
        TestDecoders.all().containsKey("opencv"), "skipped: OpenCV makes the files");
    byte[] colour = JpegFiles.pixels(256, 192, 3, new Random(9));
    byte[] grey = JpegFiles.pixels(256, 192, 1, new Random(9));
    checkFlips("4:2:0", JpegFiles.encode(colour, 256, 192, 3, 75, 7, 0x221111), 15);
    checkFlips("4:4:4", JpegFiles.encode(colour, 256, 192, 3, 75, 7, 0x111111), 6);
    checkFlips("grey", JpegFiles.encode(grey, 256, 192, 1, 75), 17);
  }

  private static void checkFlips(String what, byte[] file, int leastPercent) {
    int from = (int) JpegHeader.read(MemorySegment.ofArray(file), Jpeg.RGB).scanAt() + 14;
    TestDecoders.all()
        .forEach(
            (name, decoder) -> {
              Random random = new Random(1);
              int noticed = 0;
              for (int i = 0; i < 100; i++) {
                byte[] flipped = file.clone();
                int at = from + random.nextInt(file.length - 2 - from);
                flipped[at] ^= (byte) (1 << random.nextInt(8));
                noticed += isRefused(flipped, decoder) ? 1 : 0;
              }
              assertThat(noticed)
                  .as("flips noticed in %s by %s", what, name)
                  .isGreaterThanOrEqualTo(leastPercent);
            });
  }

  private static boolean isRefused(byte[] file, JpegDecoder decoder) {
    try {
      JpegParityTest.decode(file, Jpeg.RGB, decoder).toByteArray();
      return false;
    } catch (InvalidImageException e) {
      return true;
    }
  }

  private static void check(byte[] file, Jpeg options, String what, Map<String, Integer> outcomes) {
    Map<String, byte[]> decoded = new LinkedHashMap<>();
    Map<String, String> failed = new LinkedHashMap<>();
    TestDecoders.all()
        .forEach(
            (name, decoder) -> {
              try {
                Tensor image = JpegParityTest.decode(file, options, decoder);
                JpegExpression expression = (JpegExpression) image.expression();
                if (decoder.refusal(expression.header(), options) == null
                    && (expression.header().components() < 4 || options.channels() != 1)) {
                  decoded.put(name, image.toByteArray());
                }
              } catch (InvalidImageException e) {
                assertThat(e).hasMessageStartingWith("decodeJpeg: expected ");
                failed.put(name, e.getMessage());
              }
            });
    outcomes.merge(
        decoded.isEmpty() ? "error" : failed.isEmpty() ? "decoded" : "by some", 1, Integer::sum);
    if (Boolean.getBoolean("headrace.test.show") && !decoded.isEmpty() && !failed.isEmpty()) {
      System.out.println(what + ": " + decoded.keySet() + " decode it; " + failed);
    }
    // Unnoticed damage gives coefficients that no encoder makes, for which the JDK's plain loops
    // and the vector instructions of libjpeg-turbo round differently; and versions of libjpeg-turbo
    // fill in differently what progressive files lack.
    decoded.remove("imageio");
    if (options.recoversTruncated() || options.acceptsDamage() || !isSequential(file, options)) {
      decoded.clear();
    }
    byte[] first = decoded.isEmpty() ? new byte[0] : decoded.values().iterator().next();
    decoded.forEach(
        (name, pixels) ->
            assertThat(Arrays.mismatch(first, pixels)).as(what + " by " + name).isEqualTo(-1));
  }

  private static boolean isSequential(byte[] file, Jpeg options) {
    MemorySegment bytes = MemorySegment.ofArray(file);
    try (Arena arena = Arena.ofConfined()) {
      JpegHeader header = JpegHeader.read(bytes, options);
      return JpegStream.copy(bytes, header, options, arena.allocate(JpegStream.bytesFor(bytes)))
          .isSequential();
    } catch (InvalidImageException e) {
      return false;
    }
  }
}
