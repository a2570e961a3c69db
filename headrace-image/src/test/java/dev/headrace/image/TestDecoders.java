package dev.headrace.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;

/** The decoders that a test can use on this machine, by name. */
final class TestDecoders {
  private static final Map<String, JpegDecoder> ALL = find();

  private TestDecoders() {}

  /** All of them; tell of those that are missing on standard output. */
  static Map<String, JpegDecoder> all() {
    return ALL;
  }

  private static Map<String, JpegDecoder> find() {
    Map<String, JpegDecoder> all = new LinkedHashMap<>();
    // The system's first: once another is loaded, the loader gives that for the same name.
    add(all, "turbojpeg", Decoders::findTurboJpeg);
    add(all, "turbojpeg of jvips", () -> new TurboJpegDecoder(TurboJpeg.at(extracted())));
    add(all, "opencv", Decoders::findOpenCv);
    add(all, "imageio", ImageIoDecoder::new);
    return all;
  }

  private interface Search {
    JpegDecoder find() throws IOException;
  }

  private static void add(Map<String, JpegDecoder> all, String name, Search search) {
    try {
      all.put(name, search.find());
    } catch (IOException | RuntimeException | LinkageError e) {
      System.out.println("skipped: decoder " + name + ": " + e.getMessage());
    }
  }

  /** A libturbojpeg for Linux x86-64 that the jar of jvips has; old, so for tests alone. */
  private static Path extracted() throws IOException {
    if (!System.getProperty("os.name").equals("Linux")
        || !System.getProperty("os.arch").equals("amd64")) {
      throw new IllegalStateException("the jar has it for Linux x86-64 only");
    }
    try (InputStream library =
        TestDecoders.class.getClassLoader().getResourceAsStream("libturbojpeg.so")) {
      if (library == null) {
        throw new IllegalStateException("com.criteo:jvips is not on the class path");
      }
      Path folder = Files.createTempDirectory("headrace-turbojpeg");
      Path file = folder.resolve("libturbojpeg.so");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(file, folder)));
      Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
      return file;
    }
  }

  private static void delete(Path file, Path folder) {
    try {
      Files.deleteIfExists(file);
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
