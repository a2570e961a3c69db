package dev.headrace.image;

import dev.headrace.data.Log;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The JPEG decoders of this machine, looked for once: libturbojpeg, then OpenCV, then the JDK's.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Decoders {
  private static final System.Logger LOG = Log.named("headrace.image");
  private static final AtomicBoolean SAID_SLOW = new AtomicBoolean();

  private static final Found TURBOJPEG = new Found(Decoders::findTurboJpeg);
  private static final Found OPENCV = new Found(Decoders::findOpenCv);
  private static final Found IMAGEIO = new Found(Decoders::findImageIo);

  private Decoders() {}

  /**
   * The decoder for such a file.
   *
   * @throws UnsupportedOperationException if no decoder of this machine can decode it that way
   */
  static JpegDecoder choose(JpegHeader header, Jpeg options) {
    if (header.components() == 4 && options.channels() == 1) {
      throw new InvalidImageException(
          "decodeJpeg: expected a file with a brightness for 1 channel, but got one in "
              + header.colour()
              + "; decode it with 3 channels");
    }
    List<String> refusals = new ArrayList<>();
    for (Found found : candidates(options.decoder())) {
      JpegDecoder decoder = found.decoder();
      String refusal = decoder == null ? null : decoder.refusal(header, options);
      if (decoder != null && refusal == null) {
        if (decoder instanceof ImageIoDecoder && candidates(options.decoder()).size() > 1) {
          warnOfSlowness();
        }
        return decoder;
      }
      refusals.add(decoder == null ? found.problem() : decoder.describe() + ": " + refusal);
    }
    throw new UnsupportedOperationException(
        "decodeJpeg: expected a decoder for %s of %s, but there is none (%s); %s"
            .formatted(
                options.describe(),
                header.describe(),
                String.join("; ", refusals),
                advice(options)));
  }

  /** What helps where no decoder does: another library only if that one was not asked in vain. */
  private static String advice(Jpeg options) {
    if (!candidates(options.decoder()).contains(TURBOJPEG)) {
      return "ask for Decoder.AUTO, and install libturbojpeg 2.1 or later";
    }
    return TURBOJPEG.decoder() == null
        ? "install libturbojpeg 2.1 or later, or set headrace.turbojpeg to its file"
        : "decode it at full size and resize it";
  }

  /** The decoder that most files get, and why not a better one. */
  static String describe() {
    StringBuilder text = new StringBuilder();
    for (Found found : candidates(Decoder.AUTO)) {
      JpegDecoder decoder = found.decoder();
      if (decoder != null) {
        return text.insert(0, decoder.describe()).toString();
      }
      text.append("; ").append(found.problem());
    }
    return "none" + text;
  }

  private static List<Found> candidates(Decoder asked) {
    return switch (asked == Decoder.AUTO ? setting() : asked) {
      case AUTO -> List.of(TURBOJPEG, OPENCV, IMAGEIO);
      case TURBOJPEG -> List.of(TURBOJPEG);
      case OPENCV -> List.of(OPENCV);
      case IMAGEIO -> List.of(IMAGEIO);
    };
  }

  private static Decoder setting() {
    String text = System.getProperty("headrace.image.decoder");
    if (text == null) {
      text = System.getenv("HEADRACE_IMAGE_DECODER");
    }
    if (text == null) {
      return Decoder.AUTO;
    }
    try {
      return Decoder.valueOf(text.strip().toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "headrace.image.decoder: expected auto, turbojpeg, opencv or imageio, but got '"
              + text
              + "'");
    }
  }

  private static void warnOfSlowness() {
    if (SAID_SLOW.compareAndSet(false, true)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "JPEG files are decoded by the JDK, about three times slower than by libturbojpeg; "
              + TURBOJPEG.problem());
    }
  }

  static JpegDecoder findTurboJpeg() {
    try {
      String file = System.getProperty("headrace.turbojpeg");
      if (file == null) {
        file = System.getenv("HEADRACE_TURBOJPEG");
      }
      if (file != null) {
        return new TurboJpegDecoder(TurboJpeg.at(Path.of(file)));
      }
      return new TurboJpegDecoder(firstNamed(names()));
    } catch (IllegalCallerException e) {
      throw new IllegalStateException(
          "native access is not allowed; start Java with --enable-native-access="
              + (Decoders.class.getModule().isNamed()
                  ? Decoders.class.getModule().getName()
                  : "ALL-UNNAMED"));
    }
  }

  private static TurboJpeg firstNamed(List<String> names) {
    IllegalArgumentException last = new IllegalArgumentException("no name");
    for (String name : names) {
      try {
        return TurboJpeg.named(name);
      } catch (IllegalArgumentException e) {
        last = e;
      }
    }
    throw new IllegalArgumentException(
        "no "
            + names.getFirst()
            + " on the loader's path (Debian: libturbojpeg0, Fedora: turbojpeg, Homebrew:"
            + " jpeg-turbo); headrace.turbojpeg names a file elsewhere",
        last);
  }

  private static List<String> names() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    if (system.contains("win")) {
      return List.of("turbojpeg.dll", "libturbojpeg.dll");
    }
    if (system.contains("mac")) {
      return List.of(
          "libturbojpeg.dylib",
          "/opt/homebrew/opt/jpeg-turbo/lib/libturbojpeg.dylib",
          "/usr/local/opt/jpeg-turbo/lib/libturbojpeg.dylib");
    }
    return List.of("libturbojpeg.so.0");
  }

  static JpegDecoder findOpenCv() {
    // Asked first, since the class that uses it cannot even be loaded without it.
    try {
      Class.forName(
          "org.bytedeco.opencv.global.opencv_imgcodecs", false, Decoders.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("org.bytedeco:opencv is not on the class path", e);
    }
    return OpenCvDecoder.find();
  }

  private static JpegDecoder findImageIo() {
    return new ImageIoDecoder();
  }

  /** A decoder that is looked for when it is first asked for. */
  private static final class Found {
    private final Supplier<JpegDecoder> search;
    private boolean isDone;
    private @Nullable JpegDecoder decoder;
    private String problem = "";

    Found(Supplier<JpegDecoder> search) {
      this.search = search;
    }

    synchronized @Nullable JpegDecoder decoder() {
      if (!isDone) {
        try {
          decoder = search.get();
        } catch (RuntimeException | LinkageError e) {
          String message = e.getMessage();
          problem = message == null ? e.toString() : message;
        }
        isDone = true;
      }
      return decoder;
    }

    synchronized String problem() {
      return problem;
    }
  }
}
