package dev.headrace.image;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.Window;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ImagesTest {
  private static final byte[] FILE = GoldenCase.resource("j420.jpg");
  private static final Jpeg JDK = Jpeg.RGB.decoder(Decoder.IMAGEIO);

  private static byte[] with(int at, int... values) {
    byte[] changed = FILE.clone();
    for (int i = 0; i < values.length; i++) {
      changed[at + i] = (byte) values[i];
    }
    return changed;
  }

  private static int frameAt() {
    return (int) JpegHeader.read(MemorySegment.ofArray(FILE), Jpeg.RGB).frameAt();
  }

  @Test
  void imagesAreDeferredAndTellTheirShape() {
    Tensor image = Images.decodeJpeg(FILE, JDK);
    assertThat(image.isDeferred()).isTrue();
    assertThat(image.shape()).isEqualTo(Shape.of(33, 48, 3));
    assertThat(image.describe()).isEqualTo("decodeJpeg(accurate) ← 1176 B");
    Tensor window = Images.decodeAndCropJpeg(Tensor.scalar(FILE), new Window(1, 2, 3, 4), JDK);
    assertThat(window.describe()).isEqualTo("decodeJpeg(accurate) crop(1, 2, 3, 4) ← 1176 B");
    assertThat(window.shape()).isEqualTo(Shape.of(3, 4, 3));
    assertThat(Images.decodePng(GoldenCase.resource("p_rgb.png")).describe())
        .isEqualTo("decodePng ← 201 B");
    assertThat(Jpeg.GRAY.dct(Dct.FAST).fancyUpsampling(false).ratio(4).describe())
        .isEqualTo("fast, plain upsampling, 1/4");
  }

  @Test
  void someDecoderIsThere() {
    assertThat(Images.decoder()).isNotEmpty().doesNotStartWith("none");
    assertThat(Images.decodeJpeg(FILE).toByteArray())
        .isEqualTo(Images.decodeJpeg(FILE, JDK).toByteArray());
  }

  @Test
  void mappedFilesAreDecodedWithoutACopyOfTheUser(@TempDir Path folder) throws IOException {
    Path path = folder.resolve("image.jpg");
    Files.write(path, FILE);
    try (Arena arena = Arena.ofShared();
        FileChannel channel = FileChannel.open(path)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      Tensor image = Images.decodeJpeg(Tensor.wrapString(mapped), JDK);
      assertThat(image.toByteArray()).isEqualTo(Images.decodeJpeg(FILE, JDK).toByteArray());
    }
  }

  @Test
  void sizesAreHeldToTheLimits() {
    ImageLimits small = ImageLimits.defaults().withMaxPixels(1000);
    assertThatThrownBy(() -> Images.decodeJpeg(FILE, Jpeg.RGB.limits(small)))
        .isInstanceOf(InvalidImageException.class)
        .hasMessage(
            "decodeJpeg: expected an image of at most 65500 x 65500 and 1,000 pixels, but got 48 x"
                + " 33; raise headrace.image.maxWidth, maxHeight or maxPixels if the file is"
                + " trusted");
    assertThatThrownBy(
            () ->
                Images.decodePng(
                    GoldenCase.resource("p_rgb.png"), Png.RGB.limits(small.withMaxPixels(9))))
        .hasMessageStartingWith("decodePng: expected an image of at most");
    byte[] huge = with(frameAt() + 3, 0x30, 0, 0x30, 0);
    assertThatThrownBy(() -> Images.decodeJpeg(huge, JDK))
        .hasMessageContaining("too early for an image of 12288 x 12288");
  }

  @Test
  void scansAreHeldToTheLimit() {
    byte[] file = GoldenCase.resource("j420prog.jpg");
    Jpeg options = JDK.limits(new ImageLimits(100, 100, 10_000, 3));
    assertThatThrownBy(() -> Images.decodeJpeg(file, options).toByteArray())
        .hasMessage(
            "decodeJpeg: expected at most 3 scans, but got more; raise headrace.image.maxScans if"
                + " the file is trusted");
  }

  @Test
  void whatIsWrongWithAHeaderIsSaid() {
    int frame = frameAt();
    assertThatThrownBy(() -> Images.decodeJpeg(new byte[0]))
        .hasMessage("decodeJpeg: expected a JPEG file, but got no bytes");
    assertThatThrownBy(() -> Images.decodeJpeg(with(frame + 2, 12)))
        .hasMessage("decodeJpeg: expected 8 bits per sample, but got 12 at byte " + (frame + 2));
    assertThatThrownBy(() -> Images.decodeJpeg(with(frame + 3, 0, 0)))
        .hasMessageContaining("expected an image with pixels, but got 48 x 0");
    assertThatThrownBy(() -> Images.decodeJpeg(with(frame - 1, 0xC9)))
        .hasMessageContaining("expected Huffman coding, but got arithmetic coding");
    assertThatThrownBy(() -> Images.decodeJpeg(with(frame - 1, 0xC3)))
        .hasMessageContaining("but got a lossless one");
    byte[] restart = {(byte) 0xFF, (byte) 0xD3};
    assertThatThrownBy(() -> Images.decodeJpeg(inserted(2, restart)))
        .hasMessage(
            "decodeJpeg: expected a segment before the first scan, but got marker 0xD3 at byte 3");
    assertThatThrownBy(() -> Images.decodeJpeg(Arrays.copyOf(FILE, 100)))
        .hasMessage(
            "decodeJpeg: expected a whole file, but it ends after 100 bytes, before its first scan,"
                + " so that there is nothing to decode");
    byte[] half = Arrays.copyOf(FILE, FILE.length * 2 / 3);
    assertThatThrownBy(() -> Images.decodeJpeg(half).toByteArray())
        .hasMessageEndingWith("; Jpeg.recoverTruncated(fraction) decodes what there is");
    for (int length = 2; length < FILE.length; length += 7) {
      byte[] cut = Arrays.copyOf(FILE, length);
      try {
        Images.decodeJpeg(cut, Jpeg.RGB.recoverTruncated(0.9)).toByteArray();
      } catch (InvalidImageException e) {
        assertThat(e.getMessage()).doesNotContain("recoverTruncated");
      }
    }
    assertThatThrownBy(() -> Images.decodeJpeg(Tensor.of(1, 2)))
        .hasMessage("decodeJpeg: expected a file as a scalar byte string, but got int32[2]");
  }

  @Test
  void optionsAreChecked() {
    assertThatThrownBy(() -> Jpeg.channels(4))
        .hasMessage("decodeJpeg: expected channels of 0 (as stored), 1 or 3, but got 4");
    assertThatThrownBy(() -> Jpeg.RGB.ratio(3))
        .hasMessage("decodeJpeg: expected a ratio of 1, 2, 4 or 8, but got 3");
    assertThatThrownBy(() -> Jpeg.RGB.recoverTruncated(1.5))
        .hasMessage("recoverTruncated: expected a fraction of 0 to 1, but got 1.5");
    assertThatThrownBy(() -> Png.channels(2))
        .hasMessage("decodePng: expected channels of 0 (as stored), 1, 3 or 4, but got 2");
    assertThatThrownBy(() -> Png.RGB.dtype(DType.FLOAT32))
        .hasMessage("decodePng: expected uint8 or uint16, but got float");
    assertThatThrownBy(() -> Images.decodeAndCropJpeg(FILE, new Window(30, 0, 4, 4)))
        .hasMessageStartingWith("decodeAndCropJpeg: expected a window within 33 x 48, but got");
  }

  @Test
  void whatNoDecoderCanIsSaid() {
    assertThatThrownBy(() -> Images.decodeJpeg(FILE, JDK.dct(Dct.FAST)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("ImageIO of the JDK: it has the accurate transform only")
        .hasMessageContaining("install libturbojpeg");
  }

  @Test
  void noLibraryIsRecommendedThatIsThere() {
    Assumptions.assumeTrue(
        TestDecoders.all().containsKey("turbojpeg"), "skipped: no libturbojpeg here");
    byte[] tiny = Images.encodeJpeg(Tensor.zeros(DType.UINT8, Shape.of(3, 4, 3)), 90);
    assertThatThrownBy(() -> Images.decodeJpeg(tiny, Jpeg.RGB.ratio(2).decoder(Decoder.TURBOJPEG)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("it scales images of 6 pixels and more")
        .hasMessageEndingWith("; decode it at full size and resize it");
  }

  @Test
  void truncatedFilesAreDecodedIfEnoughRowsAreThere() {
    for (int length = FILE.length - 2; length > 700; length -= 7) {
      byte[] cut = Arrays.copyOf(FILE, length);
      assertThatThrownBy(() -> Images.decodeJpeg(cut, JDK).toByteArray())
          .hasMessageStartingWith("decodeJpeg: expected a whole file, but it ends after");
      Tensor whole = Images.decodeJpeg(FILE, JDK);
      byte[] part = Images.decodeJpeg(cut, JDK.recoverTruncated(0)).toByteArray();
      double there = share(cut);
      int rows = Math.max(0, (int) (there * 33) - 1); // the last one looks at the next below
      assertThat(Arrays.copyOf(part, rows * 144))
          .isEqualTo(Arrays.copyOf(whole.toByteArray(), rows * 144));
      assertThat(Images.decodeJpeg(cut, JDK.recoverTruncated(there)).toByteArray()).isEqualTo(part);
      if (there < 0.95) {
        assertThatThrownBy(
                () -> Images.decodeJpeg(cut, JDK.recoverTruncated(there + 0.01)).toByteArray())
            .hasMessageContaining("of the rows, but the file ends after");
      }
    }
  }

  private static double share(byte[] file) {
    Jpeg options = Jpeg.RGB.recoverTruncated(0);
    MemorySegment bytes = MemorySegment.ofArray(file);
    try (Arena arena = Arena.ofConfined()) {
      JpegHeader header = JpegHeader.read(bytes, options);
      return HuffmanWalk.over(
              JpegStream.copy(bytes, header, options, arena.allocate(JpegStream.bytesFor(bytes))))
          .completeRows();
    }
  }

  @Test
  void whatFollowsTheImageAndCameraDataAreOfNoMatter() {
    byte[] more = Arrays.copyOf(FILE, FILE.length + 1000);
    byte[] pixels = Images.decodeJpeg(FILE, JDK).toByteArray();
    assertThat(Images.decodeJpeg(more, JDK).toByteArray()).isEqualTo(pixels);
    byte[] camera = new byte[FILE.length + 20];
    System.arraycopy(FILE, 0, camera, 0, 2);
    camera[2] = (byte) 0xFF;
    camera[3] = (byte) 0xE1;
    camera[5] = 18;
    System.arraycopy("Exif".getBytes(US_ASCII), 0, camera, 6, 4);
    System.arraycopy(FILE, 2, camera, 22, FILE.length - 2);
    assertThat(Images.decodeJpeg(camera, JDK).toByteArray()).isEqualTo(pixels);
  }

  @Test
  void fillingBytesBeforeMarkersAreOfNoMatter() {
    byte[] pixels = Images.decodeJpeg(FILE, JDK).toByteArray();
    int scan = (int) JpegHeader.read(MemorySegment.ofArray(FILE), Jpeg.RGB).scanAt();
    for (int at : new int[] {2, scan, FILE.length - 2}) {
      byte[] filled = new byte[FILE.length + 3];
      System.arraycopy(FILE, 0, filled, 0, at);
      Arrays.fill(filled, at, at + 3, (byte) 0xFF);
      System.arraycopy(FILE, at, filled, at + 3, FILE.length - at);
      TestDecoders.all()
          .values()
          .forEach(
              decoder ->
                  assertThat(JpegParityTest.decode(filled, Jpeg.RGB, decoder).toByteArray())
                      .isEqualTo(pixels));
    }
  }

  @Test
  void destinationsThatCannotTakeTheImageAreRefused() {
    Tensor source = Tensor.wrapStrings(Shape.scalar(), FILE);
    JpegHeader header = JpegHeader.read(source.segmentAt(0), Jpeg.RGB);
    TestDecoders.all()
        .forEach(
            (name, decoder) -> {
              JpegExpression image = new JpegExpression(source, header, Jpeg.RGB, null, decoder);
              try (Arena arena = Arena.ofConfined()) {
                MemorySegment room = arena.allocate(33 * 48 * 3 + 1);
                MemorySegment exact = room.asSlice(1);
                assertThatThrownBy(() -> Tensor.deferred(image).copyInto(exact.asReadOnly(), 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("copyInto: expected memory to write to, but");
                assertThatThrownBy(() -> image.evaluateInto(exact.asReadOnly()))
                    .as(name)
                    .hasMessage(
                        "decodeJpeg: expected 4752 bytes of native memory to write to, but got 4752"
                            + " of native memory that is read-only");
                for (MemorySegment other : new MemorySegment[] {room, room.asSlice(2)}) {
                  assertThatThrownBy(() -> image.evaluateInto(other))
                      .as(name)
                      .isInstanceOf(IllegalArgumentException.class)
                      .hasMessageContaining("expected 4752 bytes of native memory");
                }
                assertThat(room.mismatch(arena.allocate(room.byteSize()))).isEqualTo(-1);
              }
            });
  }

  @Test
  void filesWhoseHeaderChangesMeanwhileAreRefused() {
    int frame = frameAt();
    // height, width, number of components, a sampling factor, and the kind of the frame
    int[][] changes = {{4, 32}, {6, 40}, {7, 1}, {9, 0x11}, {-1, 0xC2}, {-1, 0xFE}, {1, 8}};
    for (int[] change : changes) {
      TestDecoders.all()
          .forEach(
              (name, decoder) -> {
                byte[] file = FILE.clone();
                Tensor image = JpegParityTest.decode(file, Jpeg.RGB, decoder);
                file[frame + change[0]] = (byte) change[1];
                assertThatThrownBy(image::toByteArray)
                    .as(name + " with " + Arrays.toString(change))
                    .isInstanceOf(InvalidImageException.class)
                    .hasMessageStartingWith("decodeJpeg: expected ");
              });
    }
    byte[] file = FILE.clone();
    Tensor image = Images.decodeJpeg(Tensor.wrapString(MemorySegment.ofArray(file)), JDK);
    file[frame + 4]--;
    assertThatThrownBy(image::toByteArray)
        .hasMessage("decodeJpeg: expected bytes that stay, but they changed while they were read");
  }

  @Test
  void aFewBytesBehindTheLastPixelAreOfNoMatterAndManyAreDamage() {
    byte[] pixels = Images.decodeJpeg(FILE, JDK).toByteArray();
    byte[] few = inserted(FILE.length - 2, new byte[8]);
    byte[] many = inserted(FILE.length - 2, new byte[20]);
    TestDecoders.all()
        .forEach(
            (name, decoder) -> {
              assertThat(JpegParityTest.decode(few, Jpeg.RGB, decoder).toByteArray())
                  .as(name)
                  .isEqualTo(pixels);
              Tensor damaged = JpegParityTest.decode(many, Jpeg.RGB, decoder);
              assertThatThrownBy(damaged::toByteArray)
                  .as(name)
                  .isInstanceOf(InvalidImageException.class)
                  .hasMessageContaining("extraneous bytes before marker 0xd9");
              assertThat(
                      JpegParityTest.decode(many, Jpeg.RGB.acceptDamage(), decoder).toByteArray())
                  .as(name)
                  .isEqualTo(pixels);
            });
  }

  @Test
  void aSequentialScanOfSomeCoefficientsIsDamage() {
    int scan = (int) JpegHeader.read(MemorySegment.ofArray(FILE), Jpeg.RGB).scanAt();
    for (int at = 11; at <= 13; at++) {
      byte[] changed = with(scan + at, 5);
      TestDecoders.all()
          .forEach(
              (name, decoder) -> {
                Tensor image = JpegParityTest.decode(changed, Jpeg.RGB, decoder);
                assertThatThrownBy(image::toByteArray)
                    .as(name)
                    .isInstanceOf(InvalidImageException.class)
                    .hasMessageContaining("Invalid SOS parameters for sequential JPEG");
              });
    }
  }

  @Test
  void windowsNeedNotReachTheEnd() {
    byte[] first = Arrays.copyOf(Images.decodeJpeg(FILE, JDK).toByteArray(), 5 * 144);
    TestDecoders.all()
        .forEach(
            (name, decoder) -> {
              byte[] part = new byte[5 * 144];
              ((JpegExpression) JpegParityTest.decode(FILE, Jpeg.RGB, decoder).expression())
                  .evaluateWindow(new Window(0, 0, 5, 48), MemorySegment.ofArray(part));
              assertThat(part).as(name).isEqualTo(first);
            });
  }

  private static byte[] inserted(int at, byte[] more) {
    return inserted(FILE, at, more);
  }

  private static byte[] inserted(byte[] file, int at, byte[] more) {
    byte[] longer = new byte[file.length + more.length];
    System.arraycopy(file, 0, longer, 0, at);
    System.arraycopy(more, 0, longer, at, more.length);
    System.arraycopy(file, at, longer, at + more.length, file.length - at);
    return longer;
  }

  @Test
  void commentsBehindAScanAreOfNoMatterHoweverMany() {
    byte[] comments = new byte[400_000];
    for (int i = 0; i < comments.length; i += 4) {
      comments[i] = (byte) 0xFF;
      comments[i + 1] = (byte) (i % 3 == 0 ? 0xFE : 0xE0 + i % 16);
      comments[i + 3] = 2;
    }
    byte[] pixels = Images.decodeJpeg(FILE, JDK).toByteArray();
    assertThat(Images.decodeJpeg(inserted(FILE.length - 2, comments), JDK).toByteArray())
        .isEqualTo(pixels);
    byte[] cut = Arrays.copyOf(inserted(FILE.length - 2, comments), FILE.length + 300);
    assertThat(Images.decodeJpeg(cut, JDK.recoverTruncated(1)).toByteArray()).isEqualTo(pixels);
    assertThatThrownBy(() -> Images.decodeJpeg(cut, JDK).toByteArray())
        .hasMessageContaining("it ends after " + cut.length + " bytes, in scan 1");
  }

  @Test
  void commentsBetweenScansAreOfNoMatter() {
    byte[] file = GoldenCase.resource("j420prog.jpg");
    byte[] pixels = Images.decodeJpeg(file, JDK).toByteArray();
    int first = (int) JpegHeader.read(MemorySegment.ofArray(file), JDK).scanAt();
    byte[] comments = {(byte) 0xFF, (byte) 0xFE, 0, 5, 1, 2, 3, (byte) 0xFF, (byte) 0xE3, 0, 3, 9};
    int scans = 0;
    for (int at = file.length - 2; at > first; at--) {
      if (file[at] == (byte) 0xFF && file[at + 1] == (byte) JpegHeader.SOS) {
        file = inserted(file, at, comments);
        scans++;
      }
    }
    assertThat(scans).isGreaterThan(3);
    byte[] commented = file;
    TestDecoders.all()
        .forEach(
            (name, decoder) ->
                assertThat(JpegParityTest.decode(commented, Jpeg.RGB, decoder).toByteArray())
                    .as(name)
                    .isEqualTo(pixels));
  }

  @Test
  void encodedImagesComeBack() {
    byte[] pixels = JpegFiles.pixels(50, 40, 3, new Random(2));
    Tensor image = Tensor.of(Shape.of(40, 50, 3), pixels);
    assertThat(Images.decodePng(Images.encodePng(image)).toByteArray()).isEqualTo(pixels);
    byte[] file = Images.encodeJpeg(image, 95);
    JpegHeader header = JpegHeader.read(MemorySegment.ofArray(file), Jpeg.RGB);
    assertThat(header.describe()).isEqualTo("50 x 40 YCBCR 2x2,1x1,1x1");
    byte[] back = Images.decodeJpeg(file).toByteArray();
    long sum = 0;
    for (int i = 0; i < pixels.length; i++) {
      sum += Math.abs((pixels[i] & 0xFF) - (back[i] & 0xFF));
    }
    assertThat(sum / pixels.length).isLessThan(20);
    Tensor grey = Tensor.of(Shape.of(40, 150, 1), pixels);
    assertThat(Images.decodePng(Images.encodePng(grey)).contentEquals(grey)).isTrue();
    assertThat(Images.decodeJpeg(Images.encodeJpeg(grey, 90)).shape())
        .isEqualTo(Shape.of(40, 150, 1));
    assertThatThrownBy(() -> Images.encodeJpeg(Tensor.of(1, 2), 90))
        .hasMessage("encodeJpeg: expected a uint8 image of 1 or 3 channels, but got int32[2]");
  }
}
