package dev.headrace.image;

import dev.headrace.data.Tensor;
import dev.headrace.testing.ParserFuzz;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Damaged image files are refused with a reason, or decoded, without memory out of proportion.
 * ({@link JpegFuzzTest} compares decoders with each other.)
 */
@Timeout(3600)
class ImageFilesFuzzTest {
  private static final ImageLimits LIMITS = ImageLimits.defaults().withMaxPixels(100_000);

  private static List<byte[]> jpegs() {
    List<byte[]> files = new ArrayList<>();
    for (String name : new String[] {"j420.jpg", "j420prog.jpg", "j444.jpg", "jgray.jpg"}) {
      files.add(GoldenCase.resource(name));
    }
    return files;
  }

  @Test
  void jpegHeaders() {
    ParserFuzz.of(
            "jpeg-header",
            jpegs(),
            bytes -> JpegHeader.read(MemorySegment.ofArray(bytes), Jpeg.RGB.limits(LIMITS)))
        .refusingBy(InvalidImageException.class)
        .run();
  }

  @Test
  void jpegStreams() {
    Jpeg options = Jpeg.AS_STORED.limits(LIMITS).recoverTruncated(0);
    ParserFuzz.of(
            "jpeg-stream",
            jpegs(),
            bytes -> {
              MemorySegment file = MemorySegment.ofArray(bytes);
              JpegHeader header = JpegHeader.read(file, options);
              try (Arena arena = Arena.ofConfined()) {
                MemorySegment room = arena.allocate(JpegStream.bytesFor(file));
                boolean unused = JpegStream.copy(file, header, options, room).isSequential();
              }
            })
        .refusingBy(InvalidImageException.class)
        .run();
  }

  @Test
  void jpegImages() {
    ParserFuzz.of(
            "jpeg",
            jpegs(),
            bytes -> {
              byte[] unused = Images.decodeJpeg(bytes, Jpeg.RGB.limits(LIMITS)).toByteArray();
            })
        .refusingBy(InvalidImageException.class)
        .run();
  }

  @Test
  void pngs() {
    List<byte[]> files = new ArrayList<>();
    for (GoldenCase golden : GoldenCase.read("png.txt")) {
      if (golden.name().endsWith("ch0_uint8")) {
        files.add(Base64.getDecoder().decode(golden.file()));
      }
    }
    ParserFuzz.of(
            "png",
            files,
            bytes -> {
              Tensor image = Images.decodePng(bytes, Png.AS_STORED.limits(LIMITS));
              byte[] unused = image.toByteArray();
            })
        .repairing(ImageFilesFuzzTest::mendChecksums)
        .refusingBy(InvalidImageException.class)
        .run();
  }

  private static byte[] mendChecksums(byte[] file) {
    ByteBuffer buffer = ByteBuffer.wrap(file);
    for (int at = 8; at + 12 <= file.length; ) {
      int length = buffer.getInt(at);
      if (length < 0 || at + 12L + length > file.length) {
        break;
      }
      CRC32 crc = new CRC32();
      crc.update(file, at + 4, length + 4);
      buffer.putInt(at + 8 + length, (int) crc.getValue());
      at += 12 + length;
    }
    return file;
  }
}
