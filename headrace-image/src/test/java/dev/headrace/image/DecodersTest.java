package dev.headrace.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is chosen in JVMs that lack one thing or another. */
@Timeout(120)
class DecodersTest {

  /** Runs in a JVM of its own. */
  static final class Report {
    public static void main(String[] arguments) {
      System.out.println(Images.decoder());
      byte[] file = GoldenCase.resource("j420.jpg");
      System.out.println(Arrays.hashCode(Images.decodeJpeg(file).toByteArray()));
    }
  }

  private static String report(String... options) throws IOException, InterruptedException {
    String classes =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(path -> !path.contains("bytedeco"))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", classes, Report.class.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  private static String pixels() {
    byte[] file = GoldenCase.resource("j420.jpg");
    return Integer.toString(
        Arrays.hashCode(
            Images.decodeJpeg(file, Jpeg.AS_STORED.decoder(Decoder.IMAGEIO)).toByteArray()));
  }

  @Test
  void theJdkDecodesWhereNativeAccessIsDenied() throws Exception {
    assertThat(report("--illegal-native-access=deny"))
        .contains(
            "ImageIO of the JDK; native access is not allowed; start Java with"
                + " --enable-native-access=ALL-UNNAMED; org.bytedeco:opencv is not on the class"
                + " path")
        .contains("JPEG files are decoded by the JDK, about three times slower than")
        .contains(pixels());
  }

  @Test
  void theJdkDecodesWhereTheNamedLibraryIsMissing() throws Exception {
    assertThat(report("--enable-native-access=ALL-UNNAMED", "-Dheadrace.turbojpeg=/nowhere/lib.so"))
        .startsWith("ImageIO of the JDK; ")
        .contains("/nowhere/lib.so")
        .contains(pixels());
  }

  @Test
  void aPropertyForcesADecoder() throws Exception {
    assertThat(report("-Dheadrace.image.decoder=imageio"))
        .startsWith("ImageIO of the JDK\n")
        .doesNotContain("slower")
        .contains(pixels());
  }
}
