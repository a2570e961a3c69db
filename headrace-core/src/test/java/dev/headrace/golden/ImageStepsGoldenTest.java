package dev.headrace.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.ConvertImageExpression;
import dev.headrace.data.image.CropAndResizeExpression.Box;
import dev.headrace.data.image.Grid;
import dev.headrace.data.image.Resize;
import dev.headrace.data.image.ResizeMethod;
import dev.headrace.data.image.ScaleAndTranslateExpression.Factors;
import dev.headrace.data.image.ScaleKernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Images come out of every step as TensorFlow was recorded to compute them. */
class ImageStepsGoldenTest {
  private static final Map<String, Object> FILE = map(Json.read(GoldenCase.resource("image.json")));
  private static final Pattern RESIZE =
      Pattern.compile("Resize([A-Za-z]+)_(?:(\\d+)x(\\d+)(_half|_align)?|f32_half)");
  private static final Pattern SCALE =
      Pattern.compile("ScaleAndTranslate_([a-z0-9]+)(_aa)?_(\\d+)x(\\d+)");

  /** One recording. */
  record Case(String name, Tensor input, Tensor output) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    return list(FILE.get("cases")).stream()
        .map(ImageStepsGoldenTest::map)
        .filter(fields -> fields.containsKey("input_ref"))
        .map(
            fields ->
                new Case(
                    (String) fields.get("name"),
                    tensor(map(FILE.get("inputs")).get((String) fields.get("input_ref"))),
                    tensor(list(fields.get("outputs")).getFirst())));
  }

  @Test
  void everyCaseOnATensorIsHere() {
    assertThat(cases()).hasSize(134);
  }

  /** Those on files are run by the module that decodes, those on raw bytes by ParseGoldenTest. */
  @Test
  void everyCaseIsInOneOfTheLists() throws IOException {
    Set<String> listed = new TreeSet<>(cases().map(Case::name).toList());
    GoldenCase.all("raw.json").forEach(golden -> listed.add(golden.name()));
    Path decoding = Path.of("../headrace-image/src/test/resources/golden/decode.txt");
    for (String line : Files.readAllLines(decoding)) {
      if (!line.startsWith("#")) {
        listed.add(line.substring(0, line.indexOf(" | ")));
      }
    }
    assertThat(list(FILE.get("cases")))
        .extracting(each -> (String) map(each).get("name"))
        .containsExactlyInAnyOrderElementsOf(listed);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void isAsRecorded(Case golden) {
    Tensor image = golden.input;
    Tensor ours = step(golden).apply(image);
    if (golden.name.equals("convert_f32_u8_nosat")) {
      checkWithinRange(golden, ours);
      return;
    }
    check(golden.output, ours);
    if (golden.output.shape().dim(0) == 1) {
      // The same image without a batch around it.
      Tensor single = step(golden).apply(image.slice(0));
      check(golden.output.slice(0), single);
      assertThat(single.contentEquals(ours.slice(0))).isTrue();
    }
  }

  private static void check(Tensor expected, Tensor ours) {
    assertThat(ours.dtype()).isEqualTo(expected.dtype());
    assertThat(ours.shape()).isEqualTo(expected.shape());
    for (long i = 0; i < expected.elements(); i++) {
      double value = expected.doubleAt(i);
      double tolerance = Math.max(Math.abs(value) * 1e-4, Math.abs(value) > 1.5 ? 1e-3 : 1e-5);
      assertThat(ours.doubleAt(i))
          .as("element %d", i)
          .isCloseTo(value, within(expected.dtype().isFloating() ? tolerance : 0));
    }
  }

  // What C++ makes of a float beyond a byte's range is undefined, and differs within the recording.
  private static void checkWithinRange(Case golden, Tensor ours) {
    for (long i = 0; i < ours.elements(); i++) {
      float value = golden.input.floatAt(i);
      if (value >= 0 && value <= 1) {
        assertThat(ours.intAt(i)).isEqualTo(golden.output.intAt(i));
      }
    }
  }

  private static UnaryOperator<Tensor> step(Case golden) {
    String name = golden.name;
    Matcher resize = RESIZE.matcher(name);
    if (resize.matches()) {
      Shape shape = golden.output.shape();
      return image -> image.resize((int) shape.dim(1), (int) shape.dim(2), options(resize, name));
    }
    Matcher scale = SCALE.matcher(name);
    if (scale.matches()) {
      return image -> scaled(image, scale);
    }
    return switch (name) {
      case "convert_u8_f32" -> image -> image.convertImageDtype(DType.FLOAT32);
      case "convert_f32_u8" -> image -> image.convertImageDtype(DType.UINT8);
      case "convert_f32_u8_nosat" ->
          image -> Tensor.deferred(new ConvertImageExpression(image, DType.UINT8, false));
      case "adjust_brightness_u8_0.1" -> image -> image.adjustBrightness(0.1);
      case "adjust_brightness_u8_-0.3", "adjust_brightness_f32_-0.3" ->
          image -> image.adjustBrightness(-0.3);
      case "adjust_brightness_f32_0.7" -> image -> image.adjustBrightness(0.7);
      case "adjust_saturation_f32_0.5" -> image -> unit(image).adjustSaturation(0.5);
      case "adjust_saturation_f32_2.0" -> image -> unit(image).adjustSaturation(2);
      case "adjust_hue_f32_-0.25" -> image -> unit(image).adjustHue(-0.25);
      case "adjust_hue_f32_0.5" -> image -> unit(image).adjustHue(0.5);
      case "adjust_contrast_u8_2.0" -> image -> image.adjustContrast(2);
      case "rgb_to_hsv" -> image -> unit(image).rgbToHsv();
      case "per_image_standardization_u8", "per_image_standardization_f32" -> Tensor::standardise;
      case "flip_left_right" -> Tensor::flipLeftRight;
      case "flip_up_down" -> Tensor::flipUpDown;
      case "crop_1_2_3_4" -> image -> image.crop(1, 2, 3, 4);
      case "crop_and_resize" ->
          image ->
              image.cropAndResize(
                  List.of(
                      new Box(0, 0, 0, 1, 1),
                      new Box(0, 0.1f, 0.2f, 0.8f, 0.9f),
                      new Box(0, -0.2f, 0, 1.2f, 0.5f)),
                  3,
                  4);
      default -> throw new AssertionError("no step for " + name);
    };
  }

  private static Resize options(Matcher resize, String name) {
    ResizeMethod method =
        switch (resize.group(1)) {
          case "Bilinear" -> ResizeMethod.BILINEAR;
          case "Bicubic" -> ResizeMethod.BICUBIC;
          case "Area" -> ResizeMethod.AREA;
          case "NearestNeighbor" -> ResizeMethod.NEAREST;
          default -> throw new AssertionError(name);
        };
    String grid = resize.group(4);
    if (method == ResizeMethod.AREA || name.endsWith("_half")) {
      return Resize.of(method);
    }
    return Resize.of(method).on("_align".equals(grid) ? Grid.ALIGN_CORNERS : Grid.UPPER_LEFT);
  }

  private static Tensor scaled(Tensor image, Matcher name) {
    int height = number(name, 3);
    int width = number(name, 4);
    int rank = image.shape().rank();
    float rows = (float) height / image.shape().dim(rank - 3);
    float columns = (float) width / image.shape().dim(rank - 2);
    return image.scaleAndTranslate(
        height,
        width,
        new Factors(rows, columns),
        new Factors(0, 0),
        ScaleKernel.valueOf(name.group(1).toUpperCase(Locale.ROOT)),
        name.group(2) != null);
  }

  private static Tensor unit(Tensor image) {
    return image.scale(1 / 255.0);
  }

  private static int number(Matcher matcher, int group) {
    return Integer.parseInt(matcher.group(group));
  }

  private static Tensor tensor(Object json) {
    Map<String, Object> fields = map(json);
    List<Object> values = list(fields.get("values"));
    float[] floats = new float[values.size()];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = Float.parseFloat(((Json.Numeral) values.get(i)).text());
    }
    long[] shape =
        list(fields.get("shape")).stream()
            .mapToLong(dim -> Long.parseLong(((Json.Numeral) dim).text()))
            .toArray();
    Tensor exact =
        Tensor.wrap(Shape.of(shape), floats).convert(DType.ofTfName((String) fields.get("dtype")));
    return Tensor.wrap(exact.dtype(), exact.shape(), exact.segment());
  }

  @SuppressWarnings("unchecked") // the reader makes no other maps
  private static Map<String, Object> map(Object json) {
    return (Map<String, Object>) json;
  }

  @SuppressWarnings("unchecked") // the reader makes no other lists
  private static List<Object> list(Object json) {
    return (List<Object>) json;
  }
}
