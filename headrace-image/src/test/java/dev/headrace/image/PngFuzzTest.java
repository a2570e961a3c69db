package dev.headrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Damaged PNG files fail with an error that says what is wrong, or are images of their size. */
@Timeout(3600)
class PngFuzzTest {
  private static final int TRIES = Integer.getInteger("headrace.fuzz", 5_000);

  @Test
  void damagedFilesFailWithAnErrorOrDecode() {
    List<byte[]> files = new ArrayList<>();
    for (GoldenCase golden : GoldenCase.read("png.txt")) {
      if (golden.name().endsWith("ch0_uint8")) {
        files.add(Base64.getDecoder().decode(golden.file()));
      }
    }
    Random random = new Random(1);
    int decoded = 0;
    for (int i = 0; i < TRIES; i++) {
      byte[] damaged = Fuzz.damage(files.get(random.nextInt(files.size())), random);
      if (random.nextInt(4) > 0) {
        mendChecksums(damaged);
      }
      int[] channels = {0, 1, 3, 4};
      Png options =
          Png.channels(channels[random.nextInt(4)])
              .limits(ImageLimits.defaults().withMaxPixels(1_000_000));
      try {
        Images.decodePng(damaged, options).toByteArray();
        decoded++;
      } catch (InvalidImageException e) {
        assertThat(e).hasMessageStartingWith("decodePng: expected ");
      }
    }
    System.out.println("fuzzed PNG files: " + decoded + " of " + TRIES + " decoded");
  }

  /** So that damage gets past them. */
  private static void mendChecksums(byte[] file) {
    ByteBuffer buffer = ByteBuffer.wrap(file);
    int at = 8;
    while (at + 12 <= file.length) {
      int length = buffer.getInt(at);
      if (length < 0 || at + 12L + length > file.length) {
        return;
      }
      CRC32 crc = new CRC32();
      crc.update(file, at + 4, length + 4);
      buffer.putInt(at + 8 + length, (int) crc.getValue());
      at += 12 + length;
    }
  }
}
