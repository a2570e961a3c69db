package dev.headrace.spi;

import dev.headrace.data.PartialFile;
import dev.headrace.data.TfRecordIndex;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.PatternSyntaxException;
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
    List<StoredFile> files,
    String fingerprint,
    List<StoredFile> missing,
    @Nullable Exception problem) {
  private static final String STATE = "files";
  private static final String WILDCARDS = "*?[{";
  private static final String ANY_DEPTH = "**/";
  private static final int MOST_VARIANTS = 64;

  /**
   * The files that a source reads.
   *
   * @param word the operator, for messages
   */
  public static FileListing of(String word, InputFiles inputs) {
    try {
      List<StoredFile> files = new ArrayList<>();
      inputs.paths().forEach(path -> files.add(StoredFile.of(path)));
      for (String name : inputs.names()) {
        files.add(StoredFile.of(name));
      }
      for (String pattern : inputs.patterns()) {
        boolean isName = pattern.chars().noneMatch(c -> WILDCARDS.indexOf(c) >= 0);
        files.addAll(isName ? List.of(StoredFile.of(pattern)) : list(word, pattern));
      }
      return of(files);
    } catch (IOException | RuntimeException e) {
      return new FileListing(List.of(), "", List.of(), e);
    }
  }

  /** The local files that match a pattern now; without any there is a {@link #problem}. */
  public static FileListing matching(String word, String pattern) {
    try {
      List<StoredFile> files = list(word, pattern);
      Path unused = files.getFirst().local(word + ", which gives paths");
      return of(files);
    } catch (IOException | RuntimeException e) {
      return new FileListing(List.of(), "", List.of(), e);
    }
  }

  private static FileListing of(List<StoredFile> files) throws IOException {
    List<String> facts = new ArrayList<>();
    List<StoredFile> missing = new ArrayList<>();
    for (StoredFile file : files) {
      try {
        Store.Facts now = file.facts();
        facts.add(file + "|" + now.size() + "|" + now.modifiedMs());
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

  /** A file that is on this machine. */
  public Path path(int index) {
    return Objects.requireNonNull(files.get(index).local());
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

  private static List<StoredFile> list(String word, String pattern) throws IOException {
    Store store = StoredFile.storeOf(pattern);
    return store == LocalStore.INSTANCE
        ? listPaths(word, LocalStore.path(pattern).toString()).stream().map(StoredFile::of).toList()
        : listNames(word, pattern, store);
  }

  private static List<StoredFile> listNames(String word, String pattern, Store store)
      throws IOException {
    int slash = pattern.lastIndexOf('/', firstWildcard(pattern));
    String folder =
        slash < 0
            ? pattern.substring(0, pattern.indexOf(':') + 1)
            : pattern.substring(0, slash + 1);
    Predicate<Path> matches = matching(pattern.substring(folder.length()));
    List<StoredFile> files =
        store.list(folder).stream()
            .filter(
                name ->
                    name.startsWith(folder)
                        && !PartialFile.isPartial(name)
                        && matches.test(Path.of(name.substring(folder.length()))))
            .sorted()
            .map(name -> new StoredFile(store, name, null))
            .toList();
    if (files.isEmpty()) {
      throw new NoSuchFileException(
          pattern,
          null,
          word + ": expected at least one file to match, but none does; looked in " + folder);
    }
    return files;
  }

  /*
   * Brackets and braces may be part of a name, as in "data [v2]/train-{a}.csv". So where a pattern
   * matches nothing, the folders and the file of exactly that name are looked for.
   */
  private static List<Path> listPaths(String word, String pattern) throws IOException {
    int slash = pattern.lastIndexOf('/', firstWildcard(pattern) - 1);
    List<Path> files = matching(pattern, slash);
    if (files.isEmpty() && Files.isRegularFile(Path.of(pattern))) {
      files = List.of(Path.of(pattern));
    }
    if (files.isEmpty()) {
      slash = Math.max(slash, lastSlashOfFolders(pattern));
      files = matching(pattern, slash);
    }
    if (files.isEmpty()) {
      Path folder = folder(pattern, slash);
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

  private static Path folder(String pattern, int slash) {
    return Path.of(slash < 0 ? "" : slash == 0 ? "/" : pattern.substring(0, slash));
  }

  /** Where the folders of a pattern end that are there by exactly that name. */
  private static int lastSlashOfFolders(String pattern) {
    int last = -1;
    for (int slash = pattern.indexOf('/', 1);
        slash >= 0 && Files.isDirectory(folder(pattern, slash));
        slash = pattern.indexOf('/', slash + 1)) {
      last = slash;
    }
    return last;
  }

  /** The files in a folder that match what follows the slash. */
  private static List<Path> matching(String pattern, int slash) throws IOException {
    Path folder = folder(pattern, slash);
    String glob = pattern.substring(slash + 1);
    if (!Files.exists(folder)) {
      return List.of();
    }
    Predicate<Path> matches = matching(glob);
    int depth = glob.contains("**") ? Integer.MAX_VALUE : Path.of(glob).getNameCount();
    try (Stream<Path> walk = Files.walk(folder, depth, FileVisitOption.FOLLOW_LINKS)) {
      return walk.filter(
              path ->
                  matches.test(folder.relativize(path))
                      && Files.isRegularFile(path)
                      && !isOurs(path))
          .sorted(Comparator.comparing(Path::toString))
          .toList();
    }
  }

  /** Whether a name matches, where a folder of any depth may also be none. */
  private static Predicate<Path> matching(String glob) {
    List<PathMatcher> matchers = new ArrayList<>();
    for (String each : withoutAnyDepth(glob)) {
      try {
        matchers.add(FileSystems.getDefault().getPathMatcher("glob:" + each.replace("\\", "\\\\")));
      } catch (PatternSyntaxException e) {
        return path -> false; // a bracket that is not closed belongs to a name
      }
    }
    return path -> matchers.stream().anyMatch(matcher -> matcher.matches(path));
  }

  /** The pattern, and what it is if each of its folders of any depth is left out. */
  private static List<String> withoutAnyDepth(String glob) {
    List<String> all = new ArrayList<>(List.of(glob));
    for (int i = 0; i < all.size() && all.size() < MOST_VARIANTS; i++) {
      String each = all.get(i);
      for (int at = each.indexOf(ANY_DEPTH); at >= 0; at = each.indexOf(ANY_DEPTH, at + 1)) {
        if (at == 0 || each.charAt(at - 1) == '/') {
          all.add(each.substring(0, at) + each.substring(at + ANY_DEPTH.length()));
        }
      }
    }
    return all;
  }

  /** Whether a file is one that Headrace keeps beside others, or has not yet written whole. */
  private static boolean isOurs(Path file) {
    Path folder = file.getParent();
    return folder != null && folder.endsWith(TfRecordIndex.FOLDER)
        || PartialFile.isPartial(file.toString());
  }

  private static int firstWildcard(String pattern) {
    int wildcard = 0;
    while (wildcard < pattern.length()
        && (WILDCARDS + "\\").indexOf(pattern.charAt(wildcard)) < 0) {
      wildcard++;
    }
    return wildcard;
  }
}
