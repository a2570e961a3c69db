package dev.headrace.data;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The folder in which this process has its temporary files, within one that others use too. It is
 * there while it holds a file, and only its owner may look into it.
 *
 * <p>A process that dies leaves its folder behind; the next one that opens a pipeline removes it.
 * It knows a dead process's folder by its {@code owner} file: a live process holds a lock on it,
 * which the system takes back however the process ends.
 *
 * <p><b>Threading:</b> safe.
 */
final class SpillFolder {
  static final String PREFIX = "headrace-spill-";

  /*
   * In the names of all folders of this process. To look whether a folder's owner lives, its file
   * is opened; if that were this process's own, closing it would give up the lock.
   */
  private static final String PROCESS =
      ProcessHandle.current().pid()
          + "-"
          + ProcessHandle.current().info().startInstant().map(Instant::toEpochMilli).orElse(0L)
          + "-";

  private static final String OWNER = "owner";
  private static final String OWNER_TO_BE = "owner.new";
  private static final String SUFFIX = ".elements";
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  /** A folder without an owner file is being made, or its maker died at that very moment. */
  private static final Duration LONGEST_START = Duration.ofHours(1);

  /** Folders of this process by the folder they are in; and where leftovers were looked for. */
  private static final Map<Path, SpillFolder> OPEN = new HashMap<>();

  private static final Set<Path> SWEPT = new HashSet<>();
  private static boolean hasHook;

  private final Path parent;
  private final Path folder;
  private final RandomAccessFile owner;
  private int files;
  private long numbers;

  private SpillFolder(Path parent, Path folder, RandomAccessFile owner) {
    this.parent = parent;
    this.folder = folder;
    this.owner = owner;
  }

  /** The folder of this process within {@code parent}, for one more file. */
  static SpillFolder enter(Path parent) throws IOException {
    synchronized (OPEN) {
      Files.createDirectories(parent);
      Path real = parent.toRealPath();
      SpillFolder known = OPEN.get(real);
      if (known == null) {
        known = make(real);
        OPEN.put(real, known);
        deleteAtExit();
      }
      known.files++;
      return known;
    }
  }

  private static SpillFolder make(Path parent) throws IOException {
    boolean isPosix = Files.getFileStore(parent).supportsFileAttributeView("posix");
    FileAttribute<?>[] rights =
        isPosix
            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
            : new FileAttribute<?>[0];
    Path folder = Files.createTempDirectory(parent, PREFIX + PROCESS, rights);
    RandomAccessFile owner = null;
    boolean isMade = false;
    try {
      // Locked first, then named: an owner file without a lock is a dead process's.
      Path unnamed = folder.resolve(OWNER_TO_BE);
      owner = new RandomAccessFile(new File(unnamed.toString()), "rw");
      FileLock lock = owner.getChannel().tryLock();
      if (lock == null) {
        throw new IOException(unnamed + ": expected to lock a new file, but another has locked it");
      }
      Files.move(unnamed, folder.resolve(OWNER), StandardCopyOption.ATOMIC_MOVE);
      isMade = true;
      return new SpillFolder(parent, folder, owner);
    } finally {
      if (!isMade) {
        if (owner != null) {
          owner.close();
        }
        delete(folder);
      }
    }
  }

  /** The folder that it is in. */
  Path parent() {
    return parent;
  }

  /** Makes an empty file. */
  Path createFile() throws IOException {
    synchronized (OPEN) {
      return Files.createFile(folder.resolve(++numbers + SUFFIX));
    }
  }

  /** Deletes a file, if there is one, and the folder with the last of them. */
  void leave(@Nullable Path file) throws IOException {
    synchronized (OPEN) {
      try {
        if (file != null) {
          Files.deleteIfExists(file);
        }
      } finally {
        if (--files == 0) {
          OPEN.remove(parent);
          remove();
        }
      }
    }
  }

  private void remove() throws IOException {
    try {
      delete(folder);
    } finally {
      owner.close();
    }
  }

  /** A program that ends without closing its pipelines leaves nothing behind, either. */
  private static void deleteAtExit() {
    if (hasHook) {
      return;
    }
    hasHook = true;
    try {
      Runtime.getRuntime()
          .addShutdownHook(new Thread(SpillFolder::deleteAll, "headrace-spill-shutdown"));
    } catch (IllegalStateException e) {
      // The program is ending already; the next one removes what it leaves.
    }
  }

  private static void deleteAll() {
    synchronized (OPEN) {
      for (SpillFolder each : OPEN.values()) {
        try {
          delete(each.folder);
        } catch (IOException e) {
          // On some systems files that are open cannot be deleted; the next process does it.
        }
      }
    }
  }

  /** Deletes a folder of this kind with its files; whatever else is in it stays, and it too. */
  private static void delete(Path folder) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> content = Files.newDirectoryStream(folder)) {
      for (Path file : content) {
        String name = file.getFileName().toString();
        if (name.endsWith(SUFFIX) || name.equals(OWNER_TO_BE)) {
          found.add(file);
        }
      }
    }
    for (Path file : found) {
      Files.deleteIfExists(file); // a link, where there is one, and not what it leads to
    }
    Files.deleteIfExists(folder.resolve(OWNER));
    Files.deleteIfExists(folder);
  }

  /**
   * Removes what processes that died have left in a folder; looks once per process.
   *
   * @return the folders that were removed
   */
  static List<Path> removeLeftovers(Path parent) {
    synchronized (OPEN) {
      return SWEPT.add(parent.toAbsolutePath()) ? sweep(parent) : List.of();
    }
  }

  /** The same, each time. */
  static List<Path> sweep(Path parent) {
    List<Path> removed = new ArrayList<>();
    synchronized (OPEN) {
      try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, PREFIX + "*")) {
        for (Path each : found) {
          if (removeIfDead(each)) {
            removed.add(each);
          }
        }
      } catch (IOException | java.nio.file.DirectoryIteratorException e) {
        return removed; // it is not there, or may not be read: then nothing of ours is in it
      }
    }
    return removed;
  }

  private static boolean removeIfDead(Path folder) {
    try {
      if (!isOurs(folder)) {
        return false;
      }
      Path owner = folder.resolve(OWNER);
      if (!Files.isRegularFile(owner, LinkOption.NOFOLLOW_LINKS)) {
        Instant made = Files.getLastModifiedTime(folder).toInstant();
        if (made.isBefore(Instant.now().minus(LONGEST_START))) {
          delete(folder);
          return true;
        }
        return false;
      }
      try (RandomAccessFile opened = new RandomAccessFile(new File(owner.toString()), "rw")) {
        if (opened.getChannel().tryLock() == null) {
          return false;
        }
        delete(folder);
        return true;
      }
    } catch (IOException | OverlappingFileLockException | UnsupportedOperationException e) {
      return false; // another process was faster, or it cannot be told who owns it
    }
  }

  /** Whether it is a folder of another process that this user made and no other user may change. */
  private static boolean isOurs(Path folder) throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
        || folder.getFileName().toString().startsWith(PREFIX + PROCESS)) {
      return false;
    }
    if (!Files.getFileStore(folder).supportsFileAttributeView("posix")) {
      return true;
    }
    Path self = Path.of("/proc/self");
    String user =
        Files.exists(self) ? Files.getOwner(self).getName() : System.getProperty("user.name", "");
    return Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS).equals(OWNER_ONLY)
        && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).getName().equals(user);
  }

  /** Whether files in a folder take memory, as they do in a tmpfs. */
  static boolean isInMemory(Path folder) {
    try {
      FileStore store = Files.getFileStore(folder);
      String type = store.type().toLowerCase(Locale.ROOT);
      return type.equals("tmpfs") || type.equals("ramfs");
    } catch (IOException e) {
      return false; // the first file will tell what is wrong with it
    }
  }
}
