package dev.headrace.spi;

import dev.headrace.data.Compression;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Which files a source reads, in which order, and how they are packed: {@code
 * InputFiles.matching("logs/*.gz").compressed(GZIP)}.
 *
 * @param paths the files, in the order in which they are read; none where there are patterns
 * @param names names of files as their stores call them, meant as they are, instead of paths
 * @param patterns patterns as of {@code listFiles}, each giving its files sorted by path
 */
public record InputFiles(
    List<Path> paths, List<String> names, List<String> patterns, Compression compression) {
  private static final int SHOWN = 4;

  public InputFiles {
    paths = List.copyOf(paths);
    names = List.copyOf(names);
    patterns = List.copyOf(patterns);
    Objects.requireNonNull(compression, "InputFiles: expected a compression, but got null");
    int kinds =
        (paths.isEmpty() ? 0 : 1) + (names.isEmpty() ? 0 : 1) + (patterns.isEmpty() ? 0 : 1);
    if (kinds != 1) {
      throw new IllegalArgumentException(
          "InputFiles: expected paths, names or patterns, but got "
              + (kinds == 0 ? "none of them" : "several of them"));
    }
    for (String name : names) {
      if (name.isBlank()) {
        throw new IllegalArgumentException(
            "InputFiles: expected the name of a file, but got an empty one");
      }
    }
    for (String pattern : patterns) {
      if (pattern.isBlank()) {
        throw new IllegalArgumentException(
            "InputFiles: expected a pattern such as logs/*.txt, but got an empty one");
      }
    }
  }

  /** These files, in this order. A name is meant as it is, even with a * in it. */
  public static InputFiles of(Path first, Path... more) {
    List<Path> paths = new ArrayList<>();
    paths.add(Objects.requireNonNull(first, "InputFiles: expected a path, but got null"));
    for (Path path : more) {
      paths.add(Objects.requireNonNull(path, "InputFiles: expected a path, but got null"));
    }
    return of(paths);
  }

  /** These files, in this order. */
  public static InputFiles of(List<Path> paths) {
    return new InputFiles(paths, List.of(), List.of(), Compression.NONE);
  }

  /** These files of any store, in this order. A name is meant as it is, even with a * in it. */
  public static InputFiles named(String first, String... more) {
    List<String> names = new ArrayList<>();
    names.add(Objects.requireNonNull(first, "InputFiles: expected a name, but got null"));
    for (String each : more) {
      names.add(Objects.requireNonNull(each, "InputFiles: expected a name, but got null"));
    }
    return new InputFiles(List.of(), names, List.of(), Compression.NONE);
  }

  /**
   * The files that match; those of one pattern are sorted by path. A text without a wildcard is the
   * name of one file.
   */
  public static InputFiles matching(String pattern, String... more) {
    List<String> patterns = new ArrayList<>();
    patterns.add(Objects.requireNonNull(pattern, "InputFiles: expected a pattern, but got null"));
    for (String each : more) {
      patterns.add(Objects.requireNonNull(each, "InputFiles: expected a pattern, but got null"));
    }
    return new InputFiles(List.of(), List.of(), patterns, Compression.NONE);
  }

  /** The same files, which are packed. */
  public InputFiles compressed(Compression how) {
    return new InputFiles(paths, names, patterns, how);
  }

  /** The names and the compression; where there are many names, the first ones and a hash. */
  @Override
  public String toString() {
    List<String> all =
        !paths.isEmpty()
            ? paths.stream().map(Path::toString).toList()
            : names.isEmpty() ? patterns : names;
    String text =
        all.size() <= SHOWN
            ? String.join(", ", all)
            : "%s, … (%d in all, #%s)"
                .formatted(
                    String.join(", ", all.subList(0, SHOWN - 1)),
                    all.size(),
                    FunctionIdentity.digest(all.toArray(String[]::new)));
    return "[" + text + "]" + (compression == Compression.NONE ? "" : " " + compression);
  }
}
