package dev.headrace.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class JpegFrameTest {

  static byte[] file(String name) {
    try (InputStream in = JpegFrameTest.class.getResourceAsStream("/jpeg/" + name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JpegFrame read(byte[] file) {
    return Objects.requireNonNull(JpegFrame.read(MemorySegment.ofArray(file)));
  }

  @Test
  void readsWhatDecidesWhoDecodes() {
    JpegFrame colour = read(file("j420.jpg"));
    assertThat(colour.isBaseline()).isTrue();
    assertThat(colour.isWhole()).isTrue();
    assertThat(colour.isYcc()).isTrue();
    assertThat(colour.components()).isEqualTo(3);
    assertThat(read(file("j444.jpg")).isBaseline()).isTrue();
    JpegFrame grey = read(file("jgray.jpg"));
    assertThat(grey.components()).isEqualTo(1);
    assertThat(grey.isBaseline() && grey.isYcc()).isTrue();
    JpegFrame progressive = read(file("j420prog.jpg"));
    assertThat(progressive.isBaseline()).isFalse();
    assertThat(progressive.height()).isEqualTo(colour.height());
    assertThat(progressive.width()).isEqualTo(colour.width());
  }

  @Test
  void aFileThatWasCutOffIsNotWhole() {
    byte[] file = file("j420.jpg");
    assertThat(read(Arrays.copyOf(file, file.length - 2)).isWhole()).isFalse();
    assertThat(read(Arrays.copyOf(file, file.length + 100)).isWhole()).isTrue();
    assertThat(read(Arrays.copyOf(file, file.length + 5000)).isWhole()).isFalse();
  }

  @Test
  void coloursThatAreNotYccAreSeen() {
    byte[] file = file("j444.jpg");
    int jfif = indexOf(file, 0xE0);
    file[jfif + 4] = 'X'; // no JFIF any more
    assertThat(read(file).isYcc()).as("numbered components").isTrue();
    int frame = indexOf(file, 0xC0);
    file[frame + 10] = 'R';
    file[frame + 13] = 'G';
    file[frame + 16] = 'B';
    assertThat(read(file).isYcc()).as("named components").isFalse();
  }

  @Test
  void unusualSamplingsAreLeftToTheHost() {
    byte[] file = file("j444.jpg");
    file[indexOf(file, 0xC0) + 11] = 0x41;
    assertThat(read(file).isBaseline()).isFalse();
  }

  private static int indexOf(byte[] file, int marker) {
    for (int i = 0; i < file.length - 1; i++) {
      if ((file[i] & 0xFF) == 0xFF && (file[i + 1] & 0xFF) == marker) {
        return i;
      }
    }
    throw new AssertionError(marker);
  }

  @Test
  void nothingIsReadOfWhatIsNoJpeg() {
    assertThat(JpegFrame.read(MemorySegment.ofArray(new byte[0]))).isNull();
    assertThat(JpegFrame.read(MemorySegment.ofArray(new byte[100]))).isNull();
    byte[] file = file("j420.jpg");
    for (int length = 0; length < 100; length++) {
      assertThat(JpegFrame.read(MemorySegment.ofArray(Arrays.copyOf(file, length)))).isNull();
    }
  }

  @Test
  void damageDoesNoHarm() {
    SplittableRandom random = new SplittableRandom(7);
    byte[] whole = file("j420.jpg");
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] file = whole.clone();
      for (int n = random.nextInt(1, 8); n > 0; n--) {
        file[random.nextInt(file.length)] = (byte) random.nextInt();
      }
      read += JpegFrame.read(MemorySegment.ofArray(file)) != null ? 1 : 0;
    }
    assertThat(read).isBetween(1, 19_999);
  }
}
