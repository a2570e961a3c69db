package dev.headrace.spi;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.data.Account;
import dev.headrace.data.HeapLayout;
import dev.headrace.data.PartialFile;
import dev.headrace.data.Plural;
import dev.headrace.data.TfRecordIndex;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
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
 * <p>A list is charged while it is made. One that does not fit the heap account is a {@link
 * #problem} that tells the size; one that is made outside of a pipeline may take half of the heap.
 *
 * <p><b>Threading:</b> immutable. <b>Ownership:</b> closing it gives back what was charged.
 *
 * @param files the files in order; one that was named and is not there is met when it is read
 * @param fingerprint names, sizes and times
 * @param missing those that were named and are not there
 * @param problem why there is no list, or null
 * @param holding what the list takes
 */
public record FileListing(
    List<StoredFile> files,
    String fingerprint,
    List<StoredFile> missing,
    @Nullable Exception problem,
    @Nullable Holding holding)
    implements AutoCloseable {
  private static final String STATE = "files";
  private static final String WILDCARDS = "*?[{";
  private static final String ANY_DEPTH = "**/";
  private static final int MOST_VARIANTS = 64;

  /**
   * The files that a source reads, on the account of its pipeline.
   *
   * @param word the operator, for messages
   */
  public static FileListing of(String word, InputFiles inputs, Context context) {
    return of(new Listed(word, context.heap(), ""), inputs);
  }

  /** The same outside of a pipeline. */
  public static FileListing of(String word, InputFiles inputs) {
    return of(Listed.alone(word), inputs);
  }

  private static FileListing of(Listed listed, InputFiles inputs) {
    try {
      for (Path path : inputs.paths()) {
        listed.add(StoredFile.of(path));
      }
      for (String name : inputs.names()) {
        listed.add(StoredFile.of(name));
      }
      for (String pattern : inputs.patterns()) {
        boolean isName = pattern.chars().noneMatch(c -> WILDCARDS.indexOf(c) >= 0);
        if (isName) {
          listed.add(StoredFile.of(pattern));
        } else {
          list(pattern, listed);
        }
      }
      return of(listed);
    } catch (IOException | RuntimeException e) {
      return none(listed, e);
    }
  }

  /**
   * The local files that match a pattern now, on the account of a pipeline; without any there is a
   * {@link #problem}.
   */
  public static FileListing matching(String word, String pattern, Context context) {
    return matching(new Listed(word, context.heap(), ""), pattern);
  }

  /** The same outside of a pipeline. */
  public static FileListing matching(String word, String pattern) {
    return matching(Listed.alone(word), pattern);
  }

  private static FileListing matching(Listed listed, String pattern) {
    try {
      list(pattern, listed);
      Path unused = listed.files.getFirst().local(listed.word + ", which gives paths");
      return of(listed);
    } catch (IOException | RuntimeException e) {
      return none(listed, e);
    }
  }

  /** No files, and why. */
  public static FileListing none(Exception problem) {
    return new FileListing(List.of(), "", List.of(), problem, null);
  }

  private static FileListing none(Listed listed, Exception problem) {
    listed.holding.close();
    return none(problem);
  }

  private static FileListing of(Listed listed) throws IOException {
    MessageDigest facts = ContentDigest.sha256();
    List<StoredFile> missing = new ArrayList<>();
    for (StoredFile file : listed.files) {
      String fact = file + "|";
      try {
        Store.Facts now = file.facts();
        fact += now.size() + "|" + now.modifiedMs();
      } catch (NoSuchFileException e) {
        missing.add(file);
      }
      facts.update(fact.getBytes(UTF_8));
      facts.update((byte) 0);
    }
    return new FileListing(
        Collections.unmodifiableList(listed.files),
        FunctionIdentity.shortened(facts),
        List.copyOf(missing),
        null,
        listed.holding);
  }

  /** Gives back what the list takes; it is not to be used any more. */
  @Override
  public void close() {
    if (holding != null) {
      holding.close();
    }
  }

  /** A list that is being made, and charged. */
  private static final class Listed {
    final String word;
    final Holding holding;
    final List<StoredFile> files = new ArrayList<>();

    /** What makes room where that is no budget. */
    private final String remedy;

    Listed(String word, Account account, String remedy) {
      this.word = word;
      this.holding = new Holding(account);
      this.remedy = remedy;
    }

    static Listed alone(String word) {
      Account half = new Account("heap", Runtime.getRuntime().maxMemory() / 2);
      return new Listed(word, half, "the maximum heap (-Xmx)");
    }

    void add(StoredFile file) {
      long bytes = file.heapBytes() + HeapLayout.REFERENCE * 3L / 2; // a list that grows by half
      if (!holding.takeOrPass(bytes)) {
        throw new IllegalStateException(
            ("%s: expected the list of its files to fit the memory budget, but after %s of"
                    + " %s %s; the next one is %s: read fewer and larger files, give a"
                    + " narrower pattern, or raise %s")
                .formatted(
                    word,
                    Plural.of(files.size(), "file"),
                    Plural.of(holding.bytes(), "byte"),
                    holding.isFull(),
                    file,
                    remedy.isEmpty() ? holding.option() : remedy));
      }
      files.add(file);
    }
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
            + "); restore them, or start the epoch again");
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

  /** Adds the files that match, sorted. */
  private static void list(String pattern, Listed listed) throws IOException {
    int before = listed.files.size();
    Store store = StoredFile.storeOf(pattern);
    if (store == LocalStore.INSTANCE) {
      listPaths(LocalStore.path(pattern).toString(), listed);
    } else {
      listNames(pattern, store, listed);
    }
    listed.files.subList(before, listed.files.size()).sort(Comparator.comparing(StoredFile::name));
  }

  private static void listNames(String pattern, Store store, Listed listed) throws IOException {
    int slash = pattern.lastIndexOf('/', firstWildcard(pattern));
    String folder =
        slash < 0
            ? pattern.substring(0, pattern.indexOf(':') + 1)
            : pattern.substring(0, slash + 1);
    Predicate<Path> matches = matching(pattern.substring(folder.length()));
    int before = listed.files.size();
    for (String name : store.list(folder)) {
      if (name.startsWith(folder)
          && !PartialFile.isPartial(name)
          && matches.test(Path.of(name.substring(folder.length())))) {
        listed.add(new StoredFile(store, name, null));
      }
    }
    if (listed.files.size() == before) {
      throw new NoSuchFileException(
          pattern,
          null,
          listed.word
              + ": expected at least one file to match, but none does; looked in "
              + folder);
    }
  }

  /*
   * Brackets and braces may be part of a name, as in "data [v2]/train-{a}.csv". So where a pattern
   * matches nothing, the folders and the file of exactly that name are looked for.
   */
  private static void listPaths(String pattern, Listed listed) throws IOException {
    int slash = pattern.lastIndexOf('/', firstWildcard(pattern) - 1);
    if (addMatching(pattern, slash, listed)) {
      return;
    }
    if (Files.isRegularFile(Path.of(pattern))) {
      listed.add(StoredFile.of(Path.of(pattern)));
      return;
    }
    slash = Math.max(slash, lastSlashOfFolders(pattern));
    if (!addMatching(pattern, slash, listed)) {
      Path folder = folder(pattern, slash);
      throw new NoSuchFileException(
          pattern,
          null,
          listed.word
              + ": expected at least one file to match, but none does; looked in "
              + folder.toAbsolutePath()
              + (Files.exists(folder) ? "" : ", which does not exist"));
    }
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

  /** Adds the files in a folder that match what follows the slash; says whether there are any. */
  private static boolean addMatching(String pattern, int slash, Listed listed) throws IOException {
    Path folder = folder(pattern, slash);
    String glob = pattern.substring(slash + 1);
    if (!Files.exists(folder)) {
      return false;
    }
    int before = listed.files.size();
    Predicate<Path> matches = matching(glob);
    int depth = glob.contains("**") ? Integer.MAX_VALUE : Path.of(glob).getNameCount();
    try (Stream<Path> walk = Files.walk(folder, depth, FileVisitOption.FOLLOW_LINKS)) {
      walk.filter(
              path ->
                  matches.test(folder.relativize(path))
                      && Files.isRegularFile(path)
                      && !isOurs(path))
          .forEach(path -> listed.add(StoredFile.of(path)));
    }
    return listed.files.size() > before;
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
