package dev.headrace.spi;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A place where files lie: what sources need to read from an object store as they read from disks.
 *
 * <p>A store is found by the scheme of a name, {@code s3} for {@code s3://bucket/train-0}, among
 * the services of this type; names without a scheme, and {@code file:}, are those of the local file
 * system. Names are whole, scheme and all, and have {@code /} between folders.
 *
 * <p><b>Threading:</b> safe.
 */
public interface Store {
  /** What its names begin with, without the colon. */
  String scheme();

  /** The names of all files below a folder, however deep, in any order; none if there is none. */
  List<String> list(String folder) throws IOException;

  /**
   * Size and time of a file.
   *
   * @throws java.nio.file.NoSuchFileException if there is none of that name
   */
  Facts facts(String name) throws IOException;

  /**
   * Opens a file for reading.
   *
   * @throws java.nio.file.NoSuchFileException if there is none of that name
   */
  Source open(String name) throws IOException;

  /** Writes a file, which then is there whole, or as it was before. */
  void write(String name, InputStream content) throws IOException;

  /**
   * What is known of a file without reading it.
   *
   * @param modifiedMs when it was changed last, in milliseconds since 1970
   */
  record Facts(long size, long modifiedMs) {}

  /**
   * A file that is open for reading.
   *
   * <p><b>Threading:</b> several threads may read at once.
   */
  interface Source extends Closeable {
    /**
     * Reads some bytes from a place of the file on.
     *
     * @return how many, at least one unless there is no room; -1 at the end or behind it
     */
    int read(long offset, ByteBuffer into) throws IOException;

    long size() throws IOException;
  }
}
