package dev.headrace.data;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A file that is being written and takes its name when it is whole. Until then it is hidden beside
 * that name, and no pattern matches it. Every file that the engine makes is written through this
 * class.
 *
 * <pre>{@code
 * try (PartialFile out = PartialFile.beside(target)) {
 *   out.write(content);
 *   out.publish();
 * }
 * }</pre>
 *
 * <p>Folders may be shared with people one does not trust. The name of the partial file cannot be
 * guessed, the file is made new and never through a link, and the move to its name replaces a link
 * instead of following it. It has the rights that any new file of this user has.
 *
 * <p><b>Threading:</b> one thread at a time; an interruption neither loses bytes nor closes it.
 *
 * <p><b>Ownership:</b> the code that opened it closes it. Closing without {@link #publish} removes
 * it, and so does the first write that fails: a full disk is not kept full.
 */
public final class PartialFile extends OutputStream {
  private static final String SUFFIX = ".partial";
  private static final String LOCK_SUFFIX = ".lock";
  private static final int RANDOM_BYTES = 8;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Path target;
  private final Path path;
  private final OutputStream out;
  private final @Nullable WriterLock ownLock;
  private long bytes;
  private boolean isOpen = true;

  private PartialFile(Path target, Path path, OutputStream out, @Nullable WriterLock ownLock) {
    this.target = target;
    this.path = path;
    this.out = out;
    this.ownLock = ownLock;
  }

  /** Begins a file that several may write: the last one to publish wins. Makes missing folders. */
  public static PartialFile beside(Path target) throws IOException {
    Files.createDirectories(folderOf(target));
    WriterLock lock = lockIfPossible(target);
    try {
      return begin(target, lock == null ? newName(target) : lock.partialName(), lock);
    } catch (IOException | RuntimeException e) {
      if (lock != null) {
        lock.close();
      }
      throw e;
    }
  }

  /*
   * Here the lock only notes the name of the partial file, so that the next writer removes it if
   * this process is killed. Where it cannot be had, the file is written all the same.
   */
  private static @Nullable WriterLock lockIfPossible(Path target) {
    try {
      return WriterLock.tryTake(target);
    } catch (IOException e) {
      return null;
    }
  }

  /** Begins the file that a lock gives the right to write; the lock stays the caller's. */
  public static PartialFile under(WriterLock lock) throws IOException {
    return begin(lock.file(), lock.partialName(), null);
  }

  /** Writes a whole file. */
  public static void write(Path target, byte[] content) throws IOException {
    try (PartialFile file = beside(target)) {
      file.write(content);
      file.publish();
    }
  }

  private static PartialFile begin(Path target, String name, @Nullable WriterLock ownLock)
      throws IOException {
    if (Files.exists(target) && !Files.isRegularFile(target)) {
      throw new IOException(
          target + ": expected a file to write, but there is something else of that name");
    }
    Path path = target.resolveSibling(name);
    // Not a channel: an interruption of its thread would close it.
    OutputStream out =
        Files.newOutputStream(
            path,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);
    return new PartialFile(target, path, out, ownLock);
  }

  static Path folderOf(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null) {
      throw new IOException(file + ": expected a file in a folder, but got a root");
    }
    return folder;
  }

  /** A name for a partial file of {@code target} that cannot be guessed. */
  static String newName(Path target) {
    byte[] random = new byte[RANDOM_BYTES];
    RANDOM.nextBytes(random);
    return startOf(target) + HexFormat.of().formatHex(random) + SUFFIX;
  }

  private static String startOf(Path target) {
    return "." + target.getFileName() + ".";
  }

  /** The lock that stands for the right to write {@code target}; no pattern matches it either. */
  static String lockName(Path target) {
    return "." + target.getFileName() + SUFFIX + LOCK_SUFFIX;
  }

  /** Whether a partial file of {@code target} may have this name. */
  static boolean isPartialOf(Path target, String name) {
    String start = startOf(target);
    int end = name.length() - SUFFIX.length();
    return name.startsWith(start)
        && name.endsWith(SUFFIX)
        && end - start.length() == 2 * RANDOM_BYTES
        && name.substring(start.length(), end).chars().allMatch(c -> HexFormat.isHexDigit(c));
  }

  /** Whether a file of this name is one that is being written, or the lock of one. */
  public static boolean isPartial(String name) {
    String file = name.substring(name.lastIndexOf('/') + 1);
    return file.startsWith(".") && (file.endsWith(SUFFIX) || file.endsWith(SUFFIX + LOCK_SUFFIX));
  }

  /** How many bytes were written so far. */
  public long bytes() {
    return bytes;
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] from, int at, int length) throws IOException {
    if (!isOpen) {
      throw new IOException(
          target + ": expected a file that is being written, but it was given up");
    }
    try {
      out.write(from, at, length);
    } catch (IOException e) {
      closeAfter(e);
      throw e;
    }
    bytes += length;
  }

  /** Waits until the disk has everything, and gives the file its name. */
  public void publish() throws IOException {
    if (!isOpen) {
      throw new IOException(
          target + ": expected a file that is being written, but it was given up");
    }
    try {
      sync();
      out.close();
      Files.move(path, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      closeAfter(e);
      throw e;
    }
    isOpen = false;
    if (ownLock != null) {
      ownLock.close();
    }
  }

  /** An interruption closes a channel; it is kept for the caller, and the disk is asked again. */
  private void sync() throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try (FileChannel channel =
            FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
          channel.force(true);
          return;
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void closeAfter(IOException e) {
    try {
      close();
    } catch (IOException second) {
      e.addSuppressed(second);
    }
  }

  @Override
  public void close() throws IOException {
    if (!isOpen) {
      return;
    }
    isOpen = false;
    try (ownLock) {
      try {
        out.close();
      } finally {
        Files.deleteIfExists(path);
      }
    }
  }
}
