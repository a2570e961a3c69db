package dev.headrace.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether, where and how much a pipeline may write to disk of what does not fit into memory.
 *
 * <p><b>Threading:</b> safe.
 */
public final class SpillSpace {
  /** The budget of who gave none: so much of what is free, so that others find room too. */
  private static final double SHARE_OF_FREE = 0.8;

  private static final Path DISK_BY_CUSTOM = Path.of("/var/tmp");

  /** Looked for once. */
  private static final class Default {
    static final @Nullable Path FOLDER = findDefaultFolder();
  }

  private final boolean isAllowed;
  private final @Nullable Path given;
  private final long budgetBytes;
  private @Nullable Account disk;

  /**
   * Makes nothing yet.
   *
   * @param given the folder to write to; null for the default one
   * @param budgetBytes how much may be written; 0 for most of what is free there
   */
  public SpillSpace(boolean isAllowed, @Nullable Path given, long budgetBytes) {
    this.isAllowed = isAllowed;
    this.given = given;
    this.budgetBytes = budgetBytes;
  }

  /** Why nothing can be written, with what to do about it; null where it can. */
  public @Nullable String refusal() {
    if (!isAllowed) {
      return "spilling is off: leave out options.spill(false)";
    }
    if (given == null && defaultFolder() == null) {
      return "the temporary folder %s is in memory: name one on a disk by options.spillTo(path)"
          .formatted(temporaryFolder());
    }
    return null;
  }

  /** Where files are made; null where none may be. */
  public @Nullable Path folder() {
    if (!isAllowed) {
      return null;
    }
    return given == null ? defaultFolder() : given;
  }

  /**
   * Java's folder for temporary files. Where that is in memory, writing to it would gain nothing:
   * then the one that is on a disk by custom.
   */
  public static @Nullable Path defaultFolder() {
    return Default.FOLDER;
  }

  private static @Nullable Path findDefaultFolder() {
    Path usual = temporaryFolder();
    if (!SpillFolder.isInMemory(usual)) {
      return usual;
    }
    boolean isThere = Files.isWritable(DISK_BY_CUSTOM) && !SpillFolder.isInMemory(DISK_BY_CUSTOM);
    return isThere ? DISK_BY_CUSTOM : null;
  }

  private static Path temporaryFolder() {
    return Path.of(System.getProperty("java.io.tmpdir", "."));
  }

  /**
   * Makes a file.
   *
   * @param heap the account of the memory that goes with it
   * @throws IOException if it cannot be made, or may not
   */
  public SpillFile open(Account heap) throws IOException {
    String refused = refusal();
    Path folder = folder();
    if (refused != null || folder == null) {
      throw new IOException(refused);
    }
    return new SpillFile(folder, disk(folder), heap);
  }

  private synchronized Account disk(Path folder) throws IOException {
    Account known = disk;
    if (known == null) {
      Files.createDirectories(folder);
      long bytes = budgetBytes;
      if (bytes == 0) {
        bytes = (long) (SHARE_OF_FREE * Files.getFileStore(folder).getUsableSpace());
      }
      known = new Account("spill", bytes);
      disk = known;
    }
    return known;
  }

  /** Removes what processes that died have left where this one would write; once per process. */
  public List<Path> removeLeftovers() {
    Path folder = folder();
    return folder == null ? List.of() : SpillFolder.removeLeftovers(folder);
  }
}
