package dev.headrace.data.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headrace.data.DType;
import dev.headrace.data.RandomStream;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ImageStepsTest {
  private static final Tensor PHOTO = photo(37, 53, 3);
  private static final float[] MEAN = {123.675f, 116.28f, 103.53f};
  private static final float[] DEVIATION = {58.395f, 57.12f, 57.375f};

  /** Pixels made on demand, that note which windows they were asked for. */
  private record Decoder(Tensor image, List<Window> windows) implements ImageSource {
    @Override
    public DType dtype() {
      return image.dtype();
    }

    @Override
    public Shape shape() {
      return image.shape();
    }

    @Override
    public List<Tensor> sources() {
      return List.of(image);
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      windows.add(new Window(0, 0, (int) shape().dim(0), (int) shape().dim(1)));
      image.copyInto(destination, 0);
    }

    @Override
    public void evaluateWindow(Window window, MemorySegment destination) {
      windows.add(window);
      image.crop(window).copyInto(destination, 0);
    }

    @Override
    public String describe() {
      return "decode ← 70 KB";
    }
  }

  private static Tensor photo(int height, int width, int channels) {
    byte[] pixels = new byte[height * width * channels];
    new Random(1).nextBytes(pixels);
    return Tensor.wrap(Shape.of(height, width, channels), pixels);
  }

  private static Tensor computed(Tensor tensor) {
    return Tensor.wrap(tensor.dtype(), tensor.shape(), tensor.segment());
  }

  @Test
  void fusedStepsGiveWhatSingleOnesGive() {
    List<UnaryOperator<Tensor>> steps =
        List.of(
            image -> image.crop(3, 5, 30, 41),
            image -> image.resize(24, 32),
            Tensor::flipLeftRight,
            image -> image.convert(DType.UINT8),
            image -> image.adjustBrightness(0.1),
            image -> image.adjustContrast(1.5),
            image -> image.adjustSaturation(0.5),
            image -> image.adjustHue(0.1),
            Tensor::flipUpDown,
            image -> image.convertImageDtype(DType.FLOAT32),
            Tensor::rgbToGrayscale,
            Tensor::grayscaleToRgb,
            image -> image.scale(255),
            image -> image.normalise(MEAN, DEVIATION),
            image -> image.convert(DType.FLOAT16),
            Tensor::toNchw);
    Tensor fused = PHOTO;
    Tensor single = PHOTO;
    for (UnaryOperator<Tensor> step : steps) {
      fused = step.apply(fused);
      single = computed(step.apply(single));
      assertThat(fused.contentEquals(single)).as(single.describe()).isTrue();
      fused = deferred(steps.subList(0, steps.indexOf(step) + 1)); // that one has been computed
    }
  }

  private static Tensor deferred(List<UnaryOperator<Tensor>> steps) {
    Tensor image = PHOTO;
    for (UnaryOperator<Tensor> step : steps) {
      image = step.apply(image);
    }
    return image;
  }

  @Test
  void aBatchIsItsImages() {
    byte[] bytes = new byte[2 * 37 * 53 * 3];
    PHOTO.copyInto(MemorySegment.ofArray(bytes), bytes.length / 2);
    Tensor batch = Tensor.wrap(Shape.of(2, 37, 53, 3), bytes);
    List<UnaryOperator<Tensor>> steps =
        List.of(
            image -> image.resize(20, 30),
            image -> image.resize(20, 30, Resize.NEAREST),
            image -> image.resize(20, 30, Resize.of(ResizeMethod.LANCZOS3).antialiased()),
            image -> image.crop(3, 5, 30, 41).resize(20, 20),
            image -> image.centralCrop(0.5),
            image -> image.rot90(1),
            image -> image.rot90(-1),
            Tensor::transpose,
            Tensor::flipUpDown,
            image -> image.pad(1, 2, 50, 60),
            Tensor::standardise,
            image -> image.adjustContrast(2),
            image -> image.normalise(MEAN, DEVIATION).toNchw(),
            image -> image.toNchw().toNhwc());
    for (UnaryOperator<Tensor> step : steps) {
      Tensor whole = step.apply(batch);
      Tensor alone = step.apply(PHOTO);
      assertThat(whole.slice(1).contentEquals(alone)).as(whole.describe()).isTrue();
    }
  }

  @Test
  void memoryOfAnyKindGivesTheSame() {
    Tensor expected = computed(PHOTO.resize(20, 30));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocate(PHOTO.byteSize() + 1).asSlice(1);
      PHOTO.copyInto(source, 0);
      MemorySegment destination = arena.allocate(expected.byteSize() + 1).asSlice(1);
      Tensor.wrap(DType.UINT8, PHOTO.shape(), source).resize(20, 30).copyInto(destination, 0);
      assertThat(destination.mismatch(expected.segment())).isEqualTo(-1);
    }
  }

  @Test
  void onlyTheWindowIsDecoded() {
    List<Window> windows = new ArrayList<>();
    Tensor decoded = Tensor.deferred(new Decoder(PHOTO, windows));
    Tensor small = decoded.crop(3, 5, 30, 41).resize(20, 20).normalise(MEAN, DEVIATION);
    assertThat(small.describe())
        .isEqualTo(
            "normalise([123.675, 116.28, 103.53], [58.395, 57.12, 57.375])"
                + " ← resize(20, 20, bilinear) ← crop(3, 5, 30, 41) ← decode ← 70 KB");
    Tensor expected = PHOTO.crop(3, 5, 30, 41).resize(20, 20).normalise(MEAN, DEVIATION);
    assertThat(small.contentEquals(expected)).isTrue();
    assertThat(windows).containsExactly(new Window(3, 5, 30, 41));
    assertThat(decoded.isDeferred()).as("no tensor in between").isTrue();
  }

  @ParameterizedTest
  @EnumSource(Orientation.class)
  void orientationsMoveWholePixels(Orientation orientation) {
    for (DType dtype : List.of(DType.UINT8, DType.INT16, DType.FLOAT32, DType.INT64)) {
      Tensor image = computed(PHOTO.convert(dtype));
      Tensor turned = Tensor.deferred(new OrientExpression(image, orientation));
      int rows = (int) turned.shape().dim(0);
      int columns = (int) turned.shape().dim(1);
      for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
          int row = orientation.swaps() ? x : y;
          int column = orientation.swaps() ? y : x;
          row = orientation.reversesRows() ? 36 - row : row;
          column = orientation.reversesColumns() ? 52 - column : column;
          assertThat(turned.doubleAt((y * columns + x) * 3 + 1))
              .isEqualTo(image.doubleAt((row * 53 + column) * 3 + 1));
        }
      }
    }
  }

  @Test
  void turnsAddUp() {
    assertThat(PHOTO.rot90(1).rot90(1).contentEquals(PHOTO.rot90(2))).isTrue();
    assertThat(PHOTO.rot90(1).rot90(2).contentEquals(PHOTO.rot90(3))).isTrue();
    assertThat(PHOTO.rot90(-1).contentEquals(PHOTO.rot90(3))).isTrue();
    assertThat(PHOTO.rot90(4)).isSameAs(PHOTO);
    assertThat(Tensor.of(Shape.of(1, 2, 1), new int[] {1, 2}).rot90(1).toIntArray())
        .as("against the clock")
        .containsExactly(2, 1);
  }

  @Test
  void wideTypesKeepTheirBits() {
    long[] values = {1L << 60 | 1, 2, 3, Long.MIN_VALUE, 5, 6};
    Tensor image = Tensor.of(Shape.of(2, 3, 1), values);
    assertThat(image.flipLeftRight().flipLeftRight().toLongArray()).containsExactly(values);
    assertThat(image.toNchw().toLongArray()).containsExactly(values);
    assertThat(image.grayscaleToRgb().longAt(11)).isEqualTo(Long.MIN_VALUE);
    assertThat(image.pad(0, 1, 2, 4).toLongArray())
        .containsExactly(0, values[0], 2, 3, 0, Long.MIN_VALUE, 5, 6);
    assertThat(image.flipUpDown().convert(DType.FLOAT64).doubleAt(3)).isEqualTo(0x1p60);
    assertThat(PHOTO.resize(5, 5).convert(DType.INT64).dtype()).isEqualTo(DType.INT64);
    assertThat(PHOTO.resize(5, 5).convert(DType.INT64).longAt(3))
        .isEqualTo((long) PHOTO.resize(5, 5).floatAt(3));
  }

  @Test
  void fusedConversionsToWideTypesGiveWhatSingleOnesGive() {
    byte[] bytes = {1, 2, -1, -128, 127, 0};
    float[] floats = {
      -1.5f, Float.NaN, 3e9f, 1e19f, 3e38f, Float.NEGATIVE_INFINITY, 255.9f, -0.5f, 0x1p63f
    };
    List<Tensor> images =
        List.of(
            Tensor.of(Shape.of(2, 3, 1), bytes),
            computed(Tensor.of(Shape.of(2, 3, 1), bytes).convert(DType.INT8)),
            computed(Tensor.of(Shape.of(2, 3, 1), bytes).convert(DType.INT8).convert(DType.INT16)),
            Tensor.of(Shape.of(3, 3, 1), floats));
    for (Tensor image : images) {
      for (DType dtype : DType.values()) {
        if (dtype.isFixedSize()) {
          Tensor single = computed(computed(image.flipUpDown()).convert(dtype));
          assertThat(image.flipUpDown().convert(dtype).contentEquals(single))
              .as(image.dtype().tfName() + " to " + dtype.tfName())
              .isTrue();
        }
      }
    }
  }

  @Test
  void largeUnsignedNumbersAreReached() {
    Tensor bytes = Tensor.of(Shape.of(1, 2, 1), new byte[] {1, (byte) 200});
    assertThat(bytes.convertImageDtype(DType.UINT64).toLongArray())
        .containsExactly(1L << 56, 200L << 56);
    Tensor floats = Tensor.of(Shape.of(1, 3, 1), new float[] {0.75f, 1, Float.NaN});
    assertThat(floats.convertImageDtype(DType.UINT64).toLongArray())
        .containsExactly(3L << 62, -1, 0);
    assertThat(Tensor.of(Double.NaN).convert(DType.UINT64).longAt(0)).isZero();
  }

  @Test
  void inputsAtTheEdgeOfAFilterCountAsInTensorFlow() {
    float[] row = new float[52];
    for (int i = 0; i < row.length; i++) {
      row[i] = 37 * i % 256;
    }
    Resize gaussian = Resize.of(ResizeMethod.GAUSSIAN).antialiased();
    Tensor small = Tensor.of(Shape.of(1, 52, 1), row).resize(1, 48, gaussian);
    assertThat(small.floatAt(4)).isCloseTo(161.58296f, within(1e-3f));
    assertThat(small.floatAt(7)).isCloseTo(28.520805f, within(1e-3f));
    assertThat(small.floatAt(19)).isCloseTo(94.84481f, within(1e-3f));
  }

  @Test
  void huesBeyondATurnAreRed() {
    Tensor hsv =
        Tensor.of(Shape.of(1, 3, 3), new float[] {-0.25f, 1, 1, 1.4f, 0.5f, 1, 7, 1, 0.5f});
    assertThat(hsv.hsvToRgb().toFloatArray()).containsExactly(1, 0, 0, 1, 0.5f, 0.5f, 0.5f, 0, 0);
  }

  @Test
  void weightsOfHugeReductionsAreNotKept() {
    Resize smooth = Resize.of(ResizeMethod.LANCZOS3).antialiased();
    Axis common = Axis.of(smooth, 500, 224);
    assertThat(AxisCache.taps(common)).isSameAs(AxisCache.taps(common));
    Axis huge = Axis.of(smooth, 1 << 20, 8);
    assertThat(AxisCache.taps(huge)).isNotSameAs(AxisCache.taps(huge));
  }

  @Test
  void otherTypesResizeAsFloats() {
    Tensor expected = computed(PHOTO.resize(20, 30));
    for (DType dtype : DType.values()) {
      if (dtype.isFixedSize() && dtype != DType.BOOL && dtype != DType.INT8) {
        assertThat(computed(PHOTO.convert(dtype)).resize(20, 30).contentEquals(expected))
            .as(dtype.tfName())
            .isTrue();
      }
    }
  }

  @Test
  void keepsTheAspectRatio() {
    Resize fitting = Resize.BILINEAR.preservingAspectRatio();
    assertThat(PHOTO.resize(100, 100, fitting).shape()).isEqualTo(Shape.of(70, 100, 3));
    assertThat(PHOTO.resizeWithPad(100, 100, Resize.BILINEAR).shape())
        .isEqualTo(Shape.of(100, 100, 3));
    assertThat(PHOTO.resizeWithCropOrPad(20, 60).shape()).isEqualTo(Shape.of(20, 60, 3));
    Tensor middle = PHOTO.resizeWithCropOrPad(20, 60).crop(0, 3, 20, 53);
    assertThat(middle.contentEquals(PHOTO.crop(8, 0, 20, 53))).isTrue();
  }

  @Test
  void integersRescale() {
    Tensor bytes = Tensor.of(Shape.of(1, 2, 1), new byte[] {1, (byte) 255});
    assertThat(bytes.convertImageDtype(DType.UINT16).toIntArray()).containsExactly(256, 65280);
    assertThat(bytes.convertImageDtype(DType.INT8).toIntArray()).containsExactly(0, 127);
    Tensor shorts = Tensor.wrap(Shape.of(1, 3, 1), new short[] {1000, 4000, -1});
    assertThat(shorts.convertImageDtype(DType.UINT8).toIntArray()).containsExactly(7, 31, 0);
    assertThat(Tensor.deferred(new ConvertImageExpression(shorts, DType.UINT8, false)).toIntArray())
        .containsExactly(7, 31, 255);
  }

  @Test
  void hueSaturationAndValueGoThereAndBack() {
    Tensor unit = computed(PHOTO.convertImageDtype(DType.FLOAT32));
    float[] back = unit.rgbToHsv().hsvToRgb().toFloatArray();
    for (int i = 0; i < back.length; i++) {
      assertThat(back[i]).isCloseTo(unit.floatAt(i), within(1e-5f));
    }
  }

  @Test
  void randomStepsAreOfTheirStreamAlone() {
    List<String> seen = new ArrayList<>();
    for (int element = 0; element < 50; element++) {
      Tensor first = augmented(new RandomStream(7, element));
      Tensor second = augmented(new RandomStream(7, element));
      assertThat(first.describe()).isEqualTo(second.describe());
      seen.add(first.describe());
      assertThat(first.contentEquals(second)).isTrue();
      assertThat(first.shape()).isEqualTo(Shape.of(8, 9, 3));
    }
    assertThat(seen.stream().distinct().count()).isGreaterThan(40);
    assertThat(seen.toString()).contains("flipLeftRight").contains("flipUpDown");
  }

  private static Tensor augmented(RandomGenerator random) {
    return PHOTO
        .randomCrop(random, 30, 40)
        .randomFlipLeftRight(random)
        .randomFlipUpDown(random)
        .randomBrightness(random, 0.1)
        .randomContrast(random, 0.5, 1.5)
        .randomSaturation(random, 0.5, 1.5)
        .randomHue(random, 0.1)
        .randomResizedCrop(random, 8, 9);
  }

  @Test
  void randomWindowsKeepTheirRange() {
    RandomGenerator random = new RandomStream(3, 4);
    CropRange range = new CropRange(0.2, 0.5, 0.5, 2, 100);
    for (int i = 0; i < 2000; i++) {
      Window window = range.draw(random, 375, 500);
      assertThat(window.isWithin(375, 500)).isTrue();
      assertThat(window.height() * window.width() / (375.0 * 500)).isBetween(0.2, 0.5);
      assertThat((double) window.width() / window.height()).isBetween(0.49, 2.02);
    }
    CropRange impossible = new CropRange(1, 1, 5, 5, 10);
    assertThat(impossible.draw(random, 100, 100)).isEqualTo(new Window(0, 0, 100, 100));
  }

  @Test
  void saysWhatItExpected() {
    Tensor flat = Tensor.zeros(DType.UINT8, Shape.of(150528));
    assertThatThrownBy(() -> flat.resize(2, 2))
        .hasMessage(
            "resize: expected an image [height, width, channels] or a batch of them, but got"
                + " uint8[150528]; give decodeRaw a shape, or reshape");
    assertThatThrownBy(() -> Tensor.scalar("x").flipLeftRight()).hasMessageContaining("decode it");
    assertThatThrownBy(() -> PHOTO.resize(0, 2)).hasMessageContaining("got 0 and 2");
    assertThatThrownBy(() -> PHOTO.crop(30, 0, 20, 20))
        .hasMessage(
            "crop: expected a window within uint8[37, 53, 3], but got top 30, left 0, height 20,"
                + " width 20");
    assertThatThrownBy(() -> PHOTO.centralCrop(0)).hasMessageContaining("fraction");
    assertThatThrownBy(() -> PHOTO.pad(0, 0, 10, 100)).hasMessageContaining("room for");
    assertThatThrownBy(() -> PHOTO.normalise(new float[2], DEVIATION))
        .hasMessageContaining("each of 3 channels");
    assertThatThrownBy(() -> PHOTO.normalise(MEAN, new float[] {0}))
        .hasMessageContaining("other than 0");
    assertThatThrownBy(() -> PHOTO.rgbToGrayscale().rgbToGrayscale())
        .hasMessageContaining("images of 3 channels (red, green and blue)");
    assertThatThrownBy(PHOTO::rgbToHsv).hasMessageContaining("convertImageDtype(FLOAT32)");
    assertThatThrownBy(() -> PHOTO.adjustHue(2)).hasMessageContaining("-1 to 1");
    assertThatThrownBy(() -> PHOTO.randomCrop(new Random(1), 40, 5))
        .hasMessageContaining("pad or resize");
    assertThatThrownBy(() -> PHOTO.randomHue(new Random(1), 0.6)).hasMessageContaining("0.5");
    assertThatThrownBy(() -> Resize.of(ResizeMethod.AREA).on(Grid.ALIGN_CORNERS))
        .hasMessageContaining("HALF_PIXEL");
  }

  @Test
  void equalStepsOnTheSameImageAreEqual() {
    assertThat(PHOTO.resize(2, 3).expression()).isEqualTo(PHOTO.resize(2, 3).expression());
    assertThat(PHOTO.normalise(MEAN, DEVIATION).expression())
        .isEqualTo(PHOTO.normalise(MEAN, DEVIATION).expression());
    assertThat(PHOTO.resize(2, 3).expression()).isNotEqualTo(PHOTO.resize(3, 2).expression());
  }

  @Test
  void everyByteIsWritten() {
    byte[] dirty = new byte[60 * 60 * 3];
    Arrays.fill(dirty, (byte) 77);
    PHOTO.pad(1, 2, 60, 60).copyInto(MemorySegment.ofArray(dirty), 0);
    assertThat(MemorySegment.ofArray(dirty).get(ValueLayout.JAVA_BYTE, 0)).isZero();
  }
}
