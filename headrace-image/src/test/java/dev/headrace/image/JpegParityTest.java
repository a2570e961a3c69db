package dev.headrace.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.ImageSource;
import dev.headrace.data.image.Window;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All decoders decode to the same pixels, and windows are parts of the whole. */
@Timeout(300)
class JpegParityTest {
  @BeforeAll
  static void filesCanBeMade() {
    Assumptions.assumeTrue(
        TestDecoders.all().containsKey("opencv"), "skipped: OpenCV makes the files");
  }

  static Tensor decode(byte[] file, Jpeg options, JpegDecoder decoder) {
    Tensor source = Tensor.wrapStrings(Shape.scalar(), file);
    JpegHeader header = JpegHeader.read(source.segmentAt(0), options);
    return Tensor.deferred(new JpegExpression(source, header, options, null, decoder));
  }

  /** The pixels by each decoder that can. */
  private static Map<String, byte[]> byAll(byte[] file, Jpeg options) {
    Map<String, byte[]> all = new LinkedHashMap<>();
    JpegHeader header = JpegHeader.read(MemorySegment.ofArray(file), options);
    TestDecoders.all()
        .forEach(
            (name, decoder) -> {
              if (decoder.refusal(header, options) == null) {
                all.put(name, decode(file, options, decoder).toByteArray());
              }
            });
    return all;
  }

  private static void checkAllEqual(String what, byte[] file, Jpeg options, int atLeast) {
    Map<String, byte[]> all = byAll(file, options);
    assertThat(all).as(what).hasSizeGreaterThanOrEqualTo(atLeast);
    byte[] first = all.values().iterator().next();
    all.forEach(
        (name, pixels) ->
            assertThat(Arrays.mismatch(first, pixels)).as(what + " by " + name).isEqualTo(-1));
  }

  @Test
  void allDecodersAgree() {
    Random random = new Random(1);
    for (int i = 0; i < 60; i++) {
      int width = 1 + random.nextInt(i < 30 ? 20 : 90);
      int height = 1 + random.nextInt(i < 30 ? 20 : 90);
      JpegFiles.ofSize(width, height, random)
          .forEach(
              (name, file) -> {
                String what = "%s %d x %d".formatted(name, width, height);
                checkAllEqual(what, file, Jpeg.AS_STORED, 2);
                checkAllEqual(what, file, Jpeg.GRAY, 2);
                checkAllEqual(what, file, Jpeg.RGB, 2);
              });
    }
  }

  @Test
  void allDecodersAgreeOnScaledImages() {
    Random random = new Random(2);
    for (int i = 0; i < 10; i++) {
      int width = 6 + random.nextInt(60);
      int height = 6 + random.nextInt(60);
      JpegFiles.ofSize(width, height, random)
          .forEach(
              (name, file) -> {
                for (int ratio : new int[] {2, 4, 8}) {
                  String what = "%s %d x %d 1/%d".formatted(name, width, height, ratio);
                  checkAllEqual(what, file, Jpeg.AS_STORED.ratio(ratio), 1);
                }
              });
    }
  }

  @Test
  void allDecodersAgreeOnUnusualColours() {
    Random random = new Random(3);
    for (int i = 0; i < 20; i++) {
      int width = 1 + random.nextInt(40);
      int height = 1 + random.nextInt(40);
      String size = " %d x %d".formatted(width, height);
      byte[] three = JpegFiles.unmarked(width, height, 3, random);
      checkAllEqual("unmarked" + size, three, Jpeg.RGB, 2);
      checkAllEqual("Adobe RGB" + size, JpegFiles.withAdobe(three, 0), Jpeg.RGB, 2);
      checkAllEqual("Adobe RGB grey" + size, JpegFiles.withAdobe(three, 0), Jpeg.GRAY, 2);
      checkAllEqual("Adobe YCbCr" + size, JpegFiles.withAdobe(three, 1), Jpeg.RGB, 2);
      byte[] four = JpegFiles.unmarked(width, height, 4, random);
      checkAllEqual("CMYK" + size, four, Jpeg.RGB, 1);
      checkAllEqual("Adobe CMYK" + size, JpegFiles.withAdobe(four, 0), Jpeg.RGB, 1);
      checkAllEqual("Adobe YCCK" + size, JpegFiles.withAdobe(four, 2), Jpeg.RGB, 1);
    }
  }

  @Test
  void aWindowHasThePixelsOfTheWhole() {
    Random random = new Random(4);
    for (int i = 0; i < 25; i++) {
      int width = 1 + random.nextInt(90);
      int height = 1 + random.nextInt(90);
      JpegFiles.ofSize(width, height, random)
          .forEach(
              (name, file) -> {
                for (Map.Entry<String, JpegDecoder> decoder : TestDecoders.all().entrySet()) {
                  Tensor whole = decode(file, Jpeg.AS_STORED, decoder.getValue());
                  int top = random.nextInt(height);
                  int left = random.nextInt(width);
                  Window window =
                      new Window(
                          top,
                          left,
                          1 + random.nextInt(height - top),
                          1 + random.nextInt(width - left));
                  checkWindow(name + " by " + decoder.getKey(), whole, window);
                }
              });
    }
  }

  @Test
  void aWindowOfAnImageThatLacksComponentsHasThePixelsOfTheWhole() {
    int width = 40;
    int height = 64;
    Random random = new Random(8);
    byte[] grey = JpegFiles.pixels(width, height, 1, random);
    byte[] file = withTwoMoreComponents(JpegFiles.encode(grey, width, height, 1, 90, 4, 1));
    Jpeg options = Jpeg.GRAY.acceptDamage();
    TestDecoders.all()
        .forEach(
            (name, decoder) ->
                checkWindow(name, decode(file, options, decoder), new Window(3, 2, 20, 30)));
  }

  /** The frame of a grey file told to be of 4:2:0; the scan goes on to name one component. */
  private static byte[] withTwoMoreComponents(byte[] file) {
    int frame = (int) JpegHeader.read(MemorySegment.ofArray(file), Jpeg.RGB).frameAt();
    byte[] more = new byte[file.length + 6];
    System.arraycopy(file, 0, more, 0, frame + 11);
    System.arraycopy(file, frame + 11, more, frame + 17, file.length - frame - 11);
    more[frame + 1] = 17;
    more[frame + 7] = 3;
    more[frame + 9] = 0x22;
    for (int i = 1; i < 3; i++) {
      more[frame + 8 + 3 * i] = (byte) (more[frame + 8] + i);
      more[frame + 9 + 3 * i] = 0x11;
      more[frame + 10 + 3 * i] = more[frame + 10];
    }
    return more;
  }

  private static void checkWindow(String what, Tensor whole, Window window) {
    int channels = (int) whole.shape().dim(2);
    int width = (int) whole.shape().dim(1);
    int rowBytes = window.width() * channels;
    byte[] part = new byte[window.height() * rowBytes];
    ((ImageSource) whole.expression()).evaluateWindow(window, MemorySegment.ofArray(part));
    byte[] all = whole.toByteArray();
    for (int row = 0; row < window.height(); row++) {
      int from = ((window.top() + row) * width + window.left()) * channels;
      assertThat(Arrays.copyOfRange(part, row * rowBytes, (row + 1) * rowBytes))
          .as("row %d of %s of %s".formatted(row, window, what))
          .isEqualTo(Arrays.copyOfRange(all, from, from + rowBytes));
    }
  }

  @Test
  void nativeAndHeapDestinationsGetTheSame() {
    byte[] file = GoldenCase.resource("j420.jpg");
    TestDecoders.all()
        .forEach(
            (name, decoder) -> {
              Tensor image = decode(file, Jpeg.RGB, decoder);
              try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocate(image.byteSize() + 1);
                image.copyInto(memory, 1);
                assertThat(memory.asSlice(1).mismatch(MemorySegment.ofArray(image.toByteArray())))
                    .isEqualTo(-1);
              }
            });
  }
}
