package dev.headrace.data;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The right to write a file, which one writer at a time has among all processes that share it. It
 * ends with the process, however that ends; the hidden file that stands for it is removed when it
 * is given back. One left behind by a killed process names the partial file of that process, and
 * the next writer removes both.
 *
 * <p>The lock's name can be guessed, and others may be able to write in its folder. So it is never
 * opened through a link, and a file of that name that is no lock of ours is refused, not changed.
 *
 * <p><b>Threading:</b> safe.
 */
public final class WriterLock implements Closeable {
  /*
   * On many systems, closing any handle of a file gives up all locks that the process has on it. So
   * this process remembers what it has locked, and opens no such file a second time.
   *
   * A holder removes the file before it lets go. A process that had opened it by then locks a file
   * that has no name any more, and must not believe it has the right. So a lock is taken, then the
   * file is given a random length, and then the length is looked up by name.
   */
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  private static final byte[] START = "headrace writer lock\n".getBytes(StandardCharsets.US_ASCII);
  private static final int NOTE_BYTES = 1 << 12;
  private static final long LONGEST = 1 << 20;
  private static final int ATTEMPTS = 100;

  private final Path file;
  private final Path path;
  private final String partialName;
  private final FileChannel held;

  private WriterLock(Path file, Path path, String partialName, FileChannel held) {
    this.file = file;
    this.path = path;
    this.partialName = partialName;
    this.held = held;
  }

  /** Takes the right to write {@code file}; null where another writer has it. */
  public static @Nullable WriterLock tryTake(Path file) throws IOException {
    Path folder = PartialFile.folderOf(file);
    Files.createDirectories(folder);
    Path path = folder.toRealPath().resolve(PartialFile.lockName(file));
    if (!HELD_HERE.add(path)) {
      return null;
    }
    WriterLock lock = null;
    try {
      lock = take(file, path);
      return lock;
    } finally {
      if (lock == null) {
        HELD_HERE.remove(path);
      }
    }
  }

  private static @Nullable WriterLock take(Path file, Path path) throws IOException {
    String partialName = PartialFile.newName(file);
    // An interruption closes a channel, and gives up its lock: it is kept for the caller.
    boolean interrupted = Thread.interrupted();
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        FileChannel opened = open(path);
        boolean taken = false;
        try {
          if (opened.tryLock(LONGEST, 1, false) == null) {
            return null;
          }
          removeLeftovers(file, path, opened);
          taken = isStillNamed(path, opened, partialName);
        } catch (OverlappingFileLockException e) {
          return null; // under another name
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        } catch (NoSuchFileException e) {
          continue; // removed by its former holder
        } finally {
          if (!taken) {
            opened.close();
          }
        }
        if (taken) {
          return new WriterLock(file, path, partialName, opened);
        }
      }
      return null;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static FileChannel open(Path path) throws IOException {
    try {
      return FileChannel.open(
          path,
          StandardOpenOption.CREATE,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      if (Files.isSymbolicLink(path)) {
        throw notOurs(path, e);
      }
      throw e;
    }
  }

  private static IOException notOurs(Path path, @Nullable Exception cause) {
    return new IOException(
        path + ": expected a lock of this engine, but it is something else; remove it", cause);
  }

  /** Removes what a killed writer left; refuses a file that is no lock. */
  private static void removeLeftovers(Path file, Path path, FileChannel lock) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(NOTE_BYTES);
    while (content.hasRemaining() && lock.read(content, content.position()) > 0) {}
    content.flip();
    if (hasOtherNames(path)) {
      throw notOurs(path, null);
    }
    if (!content.hasRemaining()) {
      return; // new
    }
    for (byte expected : START) {
      if (!content.hasRemaining() || content.get() != expected) {
        throw notOurs(path, null);
      }
    }
    String note = StandardCharsets.UTF_8.decode(content).toString();
    String name = note.substring(0, Math.max(0, note.indexOf('\n')));
    if (PartialFile.isPartialOf(file, name)) {
      Files.deleteIfExists(path.resolveSibling(name));
    }
  }

  /** Whether the file is known by another name too, where the system tells. */
  private static boolean hasOtherNames(Path path) throws IOException {
    try {
      return Files.getAttribute(path, "unix:nlink", LinkOption.NOFOLLOW_LINKS)
              instanceof Integer names
          && names > 1;
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isStillNamed(Path path, FileChannel lock, String partialName)
      throws IOException {
    ByteBuffer note = ByteBuffer.allocate(NOTE_BYTES);
    note.put(START).put((partialName + "\n").getBytes(StandardCharsets.UTF_8)).flip();
    long length = ThreadLocalRandom.current().nextLong(NOTE_BYTES, LONGEST);
    lock.truncate(0);
    try {
      lock.write(note, 0);
      lock.write(ByteBuffer.allocate(1), length - 1);
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      if (Files.size(path) < NOTE_BYTES) {
        Files.delete(path); // the disk is full, and what others hold is longer
      }
      throw e;
    }
    return Files.size(path) == length;
  }

  /** The file that may be written. */
  public Path file() {
    return file;
  }

  /** The name of the partial file that the next writer removes if this process is killed. */
  String partialName() {
    return partialName;
  }

  @Override
  public void close() throws IOException {
    try {
      Files.deleteIfExists(path);
    } finally {
      held.close();
      HELD_HERE.remove(path);
    }
  }
}
