package dev.headrace.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.cuda.kernel.Program;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.JpegSource;
import dev.headrace.data.image.Window;
import dev.headrace.device.DeviceStream;
import dev.headrace.image.Images;
import dev.headrace.image.InvalidImageException;
import dev.headrace.testing.NoLeftovers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** JPEG files in programs, whoever decodes them. */
@Tag("gpu")
@Timeout(120)
@ExtendWith(NoLeftovers.class)
class DeviceDecoderTest {
  /** Decoders differ in rounding, and in how they enlarge the colours of neighbours. */
  private static final double MOST_MEAN_ERROR = 2;

  private static JpegSource image(Tensor decoded) {
    return (JpegSource) Objects.requireNonNull(decoded.expression());
  }

  private static Program.Decode decode(byte[] file, Tensor decoded, int scratch, long offset) {
    JpegFrame frame = Objects.requireNonNull(JpegFrame.read(MemorySegment.ofArray(file)));
    return new Program.Decode(
        image(decoded),
        frame.height(),
        frame.width(),
        (int) decoded.shape().dim(2),
        new Program.ScratchBuffer(scratch),
        offset);
  }

  /** A program that decodes all and puts them one behind the other, each in {@code rowBytes}. */
  private static Program program(List<byte[]> files, List<Tensor> decoded, int rowBytes) {
    List<Program.Decode> decodes = new ArrayList<>();
    List<Program.Scratch> scratch = new ArrayList<>();
    List<Program.Address> addresses = new ArrayList<>();
    ByteBuffer table = ByteBuffer.allocate(files.size() * 16).order(ByteOrder.nativeOrder());
    for (int i = 0; i < files.size(); i++) {
      Program.Decode decode = decode(files.get(i), decoded.get(i), i, 0);
      decodes.add(decode);
      scratch.add(new Program.Scratch(Math.max(rowBytes, decode.bytes())));
      addresses.add(new Program.Address(i * 16, new Program.ScratchBuffer(i), 0));
      table.putLong(i * 16 + 8, rowBytes);
    }
    Program.Launch gather =
        new Program.Launch(
            TestKernels.GATHER,
            "gather",
            files.size(),
            1,
            1,
            256,
            1,
            0,
            List.of(
                new Program.Table(table.array(), addresses),
                new Program.Pointer(new Program.Target(), 0),
                new Program.Int(files.size())));
    return new Program(List.of(gather), scratch, decodes, List.of());
  }

  /** Decodes all on the device, again and again, and compares with what the host decodes. */
  private static void checkPixels(CudaDevice device, List<byte[]> files, int rounds) {
    List<byte[]> expected =
        files.stream().map(file -> Images.decodeJpeg(file).toByteArray()).toList();
    int rowBytes = expected.stream().mapToInt(pixels -> pixels.length).max().orElseThrow();
    Program program = program(files, files.stream().map(Images::decodeJpeg).toList(), rowBytes);
    try (Arena arena = Arena.ofShared();
        CudaStream stream = (CudaStream) device.openStream("test")) {
      MemorySegment result = device.allocate(arena, (long) rowBytes * files.size());
      byte[] got = new byte[(int) result.byteSize()];
      for (int round = 0; round < rounds; round++) {
        stream.run(program, result);
        Arrays.fill(got, (byte) 0);
        stream.copyToHost(result, MemorySegment.ofArray(got));
        for (int i = 0; i < files.size(); i++) {
          assertThat(meanError(expected.get(i), got, i * rowBytes))
              .as("image %d, decoded by %s", i, device.decodedBy())
              .isLessThan(MOST_MEAN_ERROR);
        }
      }
    }
  }

  @Test
  void imagesOfAnySizeAreDecoded() {
    List<byte[]> files =
        List.of(
            JpegFrameTest.file("j420.jpg"),
            JpegFrameTest.file("t1x1.jpg"),
            JpegFrameTest.file("t13x2.jpg"),
            JpegFrameTest.file("t17x9.jpg"));
    try (CudaDevice device = CudaDevice.open(0)) {
      checkPixels(device, files, 2);
      assertThat(device.imagesDecoded() + device.imagesDecodedByHost()).isEqualTo(8);
    }
  }

  private static double meanError(byte[] expected, byte[] got, int offset) {
    double sum = 0;
    for (int i = 0; i < expected.length; i++) {
      sum += Math.abs((expected[i] & 0xFF) - (got[offset + i] & 0xFF));
    }
    return sum / expected.length;
  }

  @Test
  void imagesOfAllKindsAreDecodedInOneBatch() {
    List<byte[]> files = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      files.add(
          JpegFrameTest.file(
              List.of("j420.jpg", "j444.jpg", "jgray.jpg", "j420prog.jpg").get(i % 4)));
    }
    try (CudaDevice device = CudaDevice.open(0)) {
      checkPixels(device, files, 10);
      assertThat(device.imagesDecoded() + device.imagesDecodedByHost()).isEqualTo(200);
      if (!device.decodedBy().startsWith("the host")) {
        assertThat(device.imagesDecodedByHost()).as("progressive ones").isEqualTo(50);
      }
    }
  }

  @Test
  void aWindowLiesWhereItDoesInTheWholeImage() {
    byte[] file = JpegFrameTest.file("j420prog.jpg"); // the host's
    Tensor whole = Images.decodeJpeg(file);
    Window window = new Window(3, 5, 7, 9);
    Tensor part = Images.decodeAndCropJpeg(file, window);
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0);
        CudaStream stream = (CudaStream) device.openStream("test")) {
      MemorySegment result = device.allocate(arena, whole.byteSize());
      stream.run(program(List.of(file), List.of(part), (int) whole.byteSize()), result);
      byte[] got = new byte[(int) whole.byteSize()];
      stream.copyToHost(result, MemorySegment.ofArray(got));
      int width = (int) whole.shape().dim(1);
      byte[] expected = part.toByteArray();
      for (int row = 0; row < window.height(); row++) {
        int from = ((window.top() + row) * width + window.left()) * 3;
        assertThat(Arrays.copyOfRange(got, from, from + window.width() * 3))
            .isEqualTo(
                Arrays.copyOfRange(
                    expected, row * window.width() * 3, (row + 1) * window.width() * 3));
      }
    }
  }

  @Test
  void aDamagedFileIsAnErrorAndTheStreamGoesOn() {
    byte[] file = JpegFrameTest.file("j420.jpg");
    byte[] cut = Arrays.copyOf(file, file.length - 40);
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0);
        CudaStream stream = (CudaStream) device.openStream("test")) {
      Tensor good = Images.decodeJpeg(file);
      MemorySegment result = device.allocate(arena, 2 * good.byteSize());
      List<byte[]> files = List.of(file, cut);
      List<Tensor> decoded = List.of(good, Images.decodeJpeg(cut));
      assertThatThrownBy(() -> stream.run(program(files, decoded, (int) good.byteSize()), result))
          .isInstanceOf(InvalidImageException.class);
      MemorySegment one = result.asSlice(0, good.byteSize());
      stream.run(program(List.of(file), List.of(good), (int) good.byteSize()), one);
      byte[] got = new byte[(int) good.byteSize()];
      stream.copyToHost(one, MemorySegment.ofArray(got));
      assertThat(meanError(good.toByteArray(), got, 0)).isLessThan(MOST_MEAN_ERROR);
    }
  }

  @Test
  void closingWhileBatchesAreDecoded() {
    byte[] file = JpegFrameTest.file("j420.jpg");
    List<byte[]> files = Collections.nCopies(50, file);
    List<Tensor> decoded = files.stream().map(Images::decodeJpeg).toList();
    int rowBytes = (int) decoded.getFirst().byteSize();
    try (Arena arena = Arena.ofShared();
        CudaDevice device = CudaDevice.open(0)) {
      long before = device.usedBytes();
      MemorySegment result = device.allocate(arena, (long) rowBytes * files.size());
      for (int round = 0; round < 5; round++) {
        try (DeviceStream stream = device.openStream("test")) {
          for (int i = 0; i <= round; i++) {
            ((CudaStream) stream).run(program(files, decoded, rowBytes), result);
          }
        }
      }
      assertThat(device.usedBytes()).isEqualTo(before + result.byteSize());
    }
  }
}
