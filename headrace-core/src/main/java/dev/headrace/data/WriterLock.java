package dev.headrace.data;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The right to write a file, which one writer at a time has among all processes that share it. It
 * ends with the process, however that ends; the {@code .lock} file that stands for it is removed
 * when it is given back, and one left behind by a killed process means nothing.
 *
 * <p><b>Threading:</b> safe.
 */
public final class WriterLock implements Closeable {
  /*
   * On many systems, closing any handle of a file gives up all locks that the process has on it. So
   * this process remembers what it has locked, and opens no such file a second time.
   *
   * A holder removes the file before it lets go. Whoever had opened it by then locks a file that
   * has no name any more, and must not believe it has the right. So a lock is taken, then the file
   * is given a random length, and then the length is looked up by name.
   */
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  private static final long LONGEST = 1 << 20;
  private static final int ATTEMPTS = 100;

  private final Path path;
  private final RandomAccessFile held;

  private WriterLock(Path path, RandomAccessFile held) {
    this.path = path;
    this.held = held;
  }

  /** Takes the right to write {@code file}; null where another writer has it. */
  public static @Nullable WriterLock tryTake(Path file) throws IOException {
    Path absolute = file.toAbsolutePath();
    Path folder = absolute.getParent();
    if (folder == null) {
      throw new IOException(file + ": expected a file in a folder, but got a root");
    }
    Files.createDirectories(folder);
    Path path = folder.toRealPath().resolve(absolute.getFileName() + ".lock");
    if (!HELD_HERE.add(path)) {
      return null;
    }
    WriterLock lock = null;
    try {
      lock = take(path);
      return lock;
    } finally {
      if (lock == null) {
        HELD_HERE.remove(path);
      }
    }
  }

  private static @Nullable WriterLock take(Path path) throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      RandomAccessFile opened = new RandomAccessFile(new File(path.toString()), "rw");
      boolean taken = false;
      try {
        if (opened.getChannel().tryLock(LONGEST, 1, false) == null) {
          return null;
        }
        long length = ThreadLocalRandom.current().nextLong(1, LONGEST);
        opened.setLength(length);
        taken = Files.size(path) == length;
      } catch (OverlappingFileLockException e) {
        return null; // under another name
      } catch (NoSuchFileException e) {
        continue; // removed by its former holder
      } finally {
        if (!taken) {
          opened.close();
        }
      }
      if (taken) {
        return new WriterLock(path, opened);
      }
    }
    return null;
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
