package dev.headrace.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.Window;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What TensorFlow decodes, every decoder that can decodes to the same pixels. */
@Timeout(60)
class JpegGoldenTest {

  static Stream<Arguments> cases() {
    return GoldenCase.read("decode.txt").stream()
        .filter(c -> c.call().contains("Jpeg") || c.name().contains("jpeg"))
        .flatMap(
            c -> TestDecoders.all().keySet().stream().map(decoder -> Arguments.of(c, decoder)));
  }

  @ParameterizedTest(name = "{0} by {1}")
  @MethodSource("cases")
  void decodesAsTensorFlowDoes(GoldenCase golden, String decoderName) {
    JpegDecoder decoder = TestDecoders.all().get(decoderName);
    byte[] file = file(golden);
    Jpeg options = options(golden.call());
    if (golden.isError()) {
      assertThat(golden.code()).isEqualTo("INVALID_ARGUMENT");
      assertThat(IllegalArgumentException.class).isAssignableFrom(InvalidImageException.class);
      if (golden.call().contains("window outside")) {
        Tensor source = Tensor.wrapStrings(Shape.scalar(), file);
        assertThatThrownBy(
                () -> Images.decodeAndCropJpeg(source, new Window(30, 40, 20, 20), options))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("decodeAndCropJpeg: expected a window within 33 x 48, but got");
        return;
      }
      assertThatThrownBy(() -> decode(file, options, null, decoder).toByteArray())
          .isInstanceOf(InvalidImageException.class)
          .hasMessageStartingWith("decodeJpeg: expected ");
      return;
    }
    if (golden.call().equals("ExtractJpegShape")) {
      assertThat(Images.jpegShape(file).toByteArray()).isEqualTo(golden.values());
      return;
    }
    JpegHeader header = JpegHeader.read(MemorySegment.ofArray(file), options);
    String refusal = decoder.refusal(header, options);
    Assumptions.assumeTrue(refusal == null, refusal);
    Window window = golden.call().contains("window [2,3,5,6]") ? new Window(2, 3, 5, 6) : null;
    Tensor pixels = decode(file, options, window, decoder);
    assertThat(pixels.shape()).isEqualTo(Shape.of(golden.shape()));
    if (golden.name().endsWith("_recover")) {
      checkRowsThatWereThere(golden, pixels);
    } else {
      assertThat(pixels.toByteArray()).isEqualTo(golden.values());
    }
  }

  /** TensorFlow fills in what it gets by reading the last bytes again: noise, not to be copied. */
  private static void checkRowsThatWereThere(GoldenCase golden, Tensor pixels) {
    byte[] whole =
        GoldenCase.read("decode.txt").stream()
            .filter(c -> c.name().equals("decode_j420_ch3"))
            .findFirst()
            .orElseThrow()
            .values();
    int same = Arrays.mismatch(whole, golden.values());
    assertThat(same).isGreaterThan(whole.length / 3);
    assertThat(Arrays.copyOf(pixels.toByteArray(), same)).isEqualTo(Arrays.copyOf(whole, same));
  }

  private static byte[] file(GoldenCase golden) {
    if (!golden.file().equals("-")) {
      return GoldenCase.resource(golden.file());
    }
    byte[] whole = GoldenCase.resource("j420.jpg");
    if (golden.call().contains("80%")) {
      return Arrays.copyOf(whole, 940);
    }
    if (golden.call().contains("95%")) {
      return Arrays.copyOf(whole, 1117);
    }
    return golden.call().contains("half")
        ? Arrays.copyOf(whole, whole.length / 2)
        : "hello world".getBytes(UTF_8);
  }

  private static Jpeg options(String call) {
    Jpeg options =
        Jpeg.channels(call.contains("channels=1") ? 1 : call.contains("channels=3") ? 3 : 0);
    if (!call.contains("ACCURATE")) {
      options = options.dct(Dct.FAST);
    }
    for (int ratio : new int[] {2, 4, 8}) {
      if (call.contains("ratio=" + ratio)) {
        options = options.ratio(ratio);
      }
    }
    if (call.contains("acceptable_fraction=0.1")) {
      options = options.recoverTruncated(0.1);
    }
    return options.fancyUpsampling(!call.contains("fancy_upscaling=false"));
  }

  private static Tensor decode(byte[] file, Jpeg options, Window window, JpegDecoder decoder) {
    Tensor source = Tensor.wrapStrings(Shape.scalar(), file);
    JpegHeader header = JpegHeader.read(source.segmentAt(0), options);
    return Tensor.deferred(new JpegExpression(source, header, options, window, decoder));
  }
}
