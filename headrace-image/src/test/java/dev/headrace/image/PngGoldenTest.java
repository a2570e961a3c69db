package dev.headrace.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.ImageSource;
import dev.headrace.data.image.Window;
import java.lang.foreign.MemorySegment;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What TensorFlow decodes, ours does to the same values: every kind of PNG file. */
@Timeout(60)
class PngGoldenTest {

  static Stream<GoldenCase> cases() {
    return Stream.concat(
        GoldenCase.read("decode.txt").stream().filter(c -> c.name().startsWith("decode_png")),
        GoldenCase.read("png.txt").stream());
  }

  private static byte[] file(GoldenCase golden) {
    return golden.file().endsWith(".png")
        ? GoldenCase.resource(golden.file())
        : Base64.getDecoder().decode(golden.file());
  }

  private static Png options(GoldenCase golden) {
    int at = golden.call().indexOf("channels=");
    return Png.channels(at < 0 ? 0 : golden.call().charAt(at + 9) - '0')
        .dtype(golden.type().equals("uint16") ? DType.UINT16 : DType.UINT8);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void decodesAsTensorFlowDoes(GoldenCase golden) {
    Tensor pixels = Images.decodePng(file(golden), options(golden));
    assertThat(pixels.shape()).isEqualTo(Shape.of(golden.shape()));
    byte[] expected = golden.values().clone();
    if (golden.name().matches("type[03]_[124]bit(_adam7)?_ch4.*")) {
      // TensorFlow gives an opacity of 1, 3 or 15 of 255 here: a slip, not to be copied.
      int sample = golden.type().equals("uint16") ? 2 : 1;
      for (int i = 3 * sample; i < expected.length; i += 4 * sample) {
        assertThat(expected[i]).isIn((byte) 1, (byte) 3, (byte) 15);
        expected[i] = -1;
        expected[i + sample - 1] = -1;
      }
    }
    assertThat(pixels.toByteArray()).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aWindowHasThePixelsOfTheWhole(GoldenCase golden) {
    Tensor whole = Images.decodePng(file(golden), options(golden));
    Window window = new Window(1, 2, 3, 4);
    int bytes = (int) (whole.shape().dim(2) * whole.dtype().byteSize());
    byte[] part = new byte[3 * 4 * bytes];
    ((ImageSource) whole.expression()).evaluateWindow(window, MemorySegment.ofArray(part));
    byte[] all = whole.toByteArray();
    int width = (int) whole.shape().dim(1);
    for (int row = 0; row < 3; row++) {
      for (int i = 0; i < 4 * bytes; i++) {
        assertThat(part[row * 4 * bytes + i]).isEqualTo(all[((row + 1) * width + 2) * bytes + i]);
      }
    }
  }

  @Test
  void decodeImageTakesATransformAndAType() {
    byte[] jpeg = GoldenCase.resource("j444.jpg");
    GoldenCase golden =
        GoldenCase.read("decode.txt").stream()
            .filter(c -> c.name().equals("decode_image_jpeg"))
            .findFirst()
            .orElseThrow();
    byte[] pixels = golden.values();
    assertThat(Images.decodeImage(jpeg, 0, DType.UINT8, Dct.FAST).toByteArray()).isEqualTo(pixels);
    assertThat(Images.decodeImage(jpeg, 0, DType.UINT8, Dct.ACCURATE).toByteArray())
        .isEqualTo(Images.decodeImage(jpeg).toByteArray());
    Tensor wide = Images.decodeImage(jpeg, 0, DType.UINT16, Dct.FAST);
    Tensor floats = Images.decodeImage(jpeg, 0, DType.FLOAT32, Dct.FAST);
    for (int i = 0; i < pixels.length; i++) {
      assertThat(wide.longAt(i)).isEqualTo((pixels[i] & 0xff) << 8);
      assertThat(floats.floatAt(i)).isEqualTo((pixels[i] & 0xff) / 255f);
    }
    byte[] png = GoldenCase.resource("p_rgb16.png");
    Tensor deep = Images.decodePng(png, Png.AS_STORED.dtype(DType.UINT16));
    assertThat(Images.decodeImage(png, 0, DType.UINT16, Dct.FAST).toByteArray())
        .isEqualTo(deep.toByteArray());
    Tensor shares = Images.decodeImage(png, 3, DType.FLOAT32, Dct.FAST);
    for (int i = 0; i < deep.elements(); i++) {
      assertThat(shares.floatAt(i)).isEqualTo(deep.longAt(i) / 65_535f);
    }
    assertThatThrownBy(() -> Images.decodeImage(jpeg, 0, DType.INT8, Dct.FAST))
        .hasMessage("decodeImage: expected uint8, uint16 or float, but got int8");
  }

  @Test
  void decodeImageTellsFormatsByTheirFirstBytes() {
    assertThat(Images.decodeImage(GoldenCase.resource("p_rgb.png")).shape())
        .isEqualTo(Shape.of(6, 9, 3));
    assertThat(Images.decodeImage(GoldenCase.resource("j444.jpg")).shape())
        .isEqualTo(Shape.of(21, 33, 3));
    assertThatThrownBy(() -> Images.decodeImage("hello world".getBytes(UTF_8)))
        .hasMessage(
            "decodeImage: expected a JPEG or PNG file, but got 11 bytes that begin with 68 65 6C 6C"
                + " 6F 20 77 6F");
    assertThatThrownBy(() -> Images.decodeImage("GIF89a".getBytes(UTF_8)))
        .hasMessage(
            "decodeImage: expected a JPEG or PNG file, but got a GIF file, which is not supported");
    assertThatThrownBy(() -> Images.decodeJpeg(GoldenCase.resource("p_rgb.png")))
        .hasMessage(
            "decodeJpeg: expected a JPEG file, but got a PNG file; use decodePng or decodeImage");
  }
}
