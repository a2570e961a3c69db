package dev.headrace.spi;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of a source as they were when its pipeline first asked; to be kept by {@link
 * Context#shared}, so that all passes see the same ones.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param files the files in order; one that was named and is not there is met when it is read
 * @param fingerprint names, sizes and times
 * @param missing those that were named and are not there
 * @param problem why there is no list, or null
 */
public record FileListing(
    List<Path> files, String fingerprint, List<Path> missing, @Nullable Exception problem) {
  private static final String STATE = "files";
  private static final String WILDCARDS = "*?[{";

  /**
   * The files that a source reads.
   *
   * @param word the operator, for messages
   */
  public static FileListing of(String word, InputFiles inputs) {
    try {
      List<Path> files = new ArrayList<>(inputs.paths());
      for (String pattern : inputs.patterns()) {
        boolean isName = pattern.chars().noneMatch(c -> WILDCARDS.indexOf(c) >= 0);
        files.addAll(isName ? List.of(Path.of(pattern)) : list(word, pattern));
      }
      return of(files);
    } catch (IOException | RuntimeException e) {
      return new FileListing(List.of(), "", List.of(), e);
    }
  }

  /** The files that match a pattern now; without any there is a {@link #problem}. */
  public static FileListing matching(String word, String pattern) {
    try {
      return of(list(word, pattern));
    } catch (IOException | RuntimeException e) {
      return new FileListing(List.of(), "", List.of(), e);
    }
  }

  private static FileListing of(List<Path> files) throws IOException {
    List<String> facts = new ArrayList<>();
    List<Path> missing = new ArrayList<>();
    for (Path file : files) {
      try {
        BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
        facts.add(file + "|" + now.size() + "|" + now.lastModifiedTime().toMillis());
      } catch (NoSuchFileException e) {
        facts.add(file + "|");
        missing.add(file);
      }
    }
    return new FileListing(
        List.copyOf(files),
        FunctionIdentity.digest(facts.toArray(String[]::new)),
        List.copyOf(missing),
        null);
  }

  /** Refuses a position that was taken when the files were other ones. */
  public void check(State state, Context context) {
    if (problem != null || state.text(STATE).equals(fingerprint)) {
      return; // a problem is said by the next element
    }
    throw new State.InvalidState(
        "checkpoint: expected the files that %s matched when it was taken, but files were added,"
                .formatted(context.path())
            + " removed or changed since (now "
            + files.size()
            + (missing.isEmpty() ? "" : ", not there: " + missing.getFirst())
            + "); restore them, or start the epoch anew");
  }

  /** The number of a file in a position, checked. */
  public int fileOf(State state) {
    long file = state.number("file");
    if (file < 0 || file > files.size()) {
      throw new State.InvalidState(
          "checkpoint: expected a file from 0 to %d, but got %d".formatted(files.size(), file));
    }
    return (int) file;
  }

  private static List<Path> list(String word, String pattern) throws IOException {
    Path folder = fixedPart(pattern);
    String glob = pattern.replace("\\", "\\\\");
    PathMatcher matcher = folder.getFileSystem().getPathMatcher("glob:" + glob);
    int depth =
        pattern.contains("**")
            ? Integer.MAX_VALUE
            : Path.of(pattern).getNameCount()
                - (folder.toString().isEmpty() ? 0 : folder.getNameCount());
    List<Path> files = List.of();
    if (Files.exists(folder)) {
      try (Stream<Path> walk =
          Files.walk(folder, Math.max(depth, 1), FileVisitOption.FOLLOW_LINKS)) {
        files =
            walk.filter(path -> matcher.matches(path) && Files.isRegularFile(path))
                .sorted(Comparator.comparing(Path::toString))
                .toList();
      }
    }
    if (files.isEmpty()) {
      throw new NoSuchFileException(
          pattern,
          null,
          word
              + ": expected at least one file to match, but none does; looked in "
              + folder.toAbsolutePath()
              + (Files.exists(folder) ? "" : ", which does not exist"));
    }
    return files;
  }

  /** The folders of a pattern before its first wildcard. */
  private static Path fixedPart(String pattern) {
    int wildcard = 0;
    while (wildcard < pattern.length()
        && (WILDCARDS + "\\").indexOf(pattern.charAt(wildcard)) < 0) {
      wildcard++;
    }
    int slash = pattern.lastIndexOf('/', wildcard - 1);
    return Path.of(slash < 0 ? "" : slash == 0 ? "/" : pattern.substring(0, slash));
  }
}
