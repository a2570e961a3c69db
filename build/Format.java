import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions.Style;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import com.google.googlejavaformat.java.StringWrapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Checks or rewrites the layout of Java sources with google-java-format, which it expects on its
 * class path: {@code java ... Format.java check|rewrite folder...}. Folders that are missing, and
 * those named {@code target}, are skipped.
 */
final class Format {
  public static void main(String[] args) throws IOException {
    boolean rewrites = args[0].equals("rewrite");
    List<Path> changed =
        Arrays.stream(args)
            .skip(1)
            .map(Path::of)
            .filter(Files::isDirectory)
            .flatMap(Format::sources)
            .toList()
            .parallelStream()
            .filter(source -> changes(source, rewrites))
            .sorted()
            .toList();
    if (changed.isEmpty()) {
      return;
    }
    changed.forEach(
        source -> System.err.println((rewrites ? "formatted " : "not formatted: ") + source));
    if (!rewrites) {
      System.err.println(
          "%d file(s) are not laid out as google-java-format would; run: mvn -Pformat process-sources"
              .formatted(changed.size()));
      System.exit(1);
    }
  }

  private static Stream<Path> sources(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Format::isSource).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isSource(Path file) {
    for (Path name : file) {
      if (name.toString().equals("target")) {
        return false;
      }
    }
    return file.toString().endsWith(".java");
  }

  private static boolean changes(Path source, boolean rewrites) {
    try {
      String before = Files.readString(source);
      String after = format(before);
      if (after.equals(before)) {
        return false;
      }
      if (rewrites) {
        Files.writeString(source, after);
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(source + ": " + e.getMessage(), e);
    } catch (FormatterException e) {
      System.err.println(source + ":" + e.getMessage());
      System.exit(1);
      throw new AssertionError(e);
    }
  }

  // The steps, and their order, of google-java-format's own command line.
  private static String format(String source) throws FormatterException {
    Formatter formatter = new Formatter();
    String imports =
        RemoveUnusedImports.removeUnusedImports(ImportOrderer.reorderImports(source, Style.GOOGLE));
    return StringWrapper.wrap(formatter.formatSource(imports), formatter);
  }
}
