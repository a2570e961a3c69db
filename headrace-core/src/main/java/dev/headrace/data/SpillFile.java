package dev.headrace.data;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Records of bytes in a temporary file, for what does not fit into memory. The space of a record
 * that was freed is used again, so the file is about as large as what it held at most.
 *
 * <p><b>Threading:</b> safe; one thread at a time reads or writes. An interrupted thread goes on as
 * any other.
 *
 * <p><b>Ownership:</b> its holder's, who closes it; the file is then deleted. Its space is on the
 * disk account, the list of free places on the heap account.
 */
public final class SpillFile implements Closeable {
  /*
   * The file is divided into places whose sizes are a few fixed ones, four to each doubling: a
   * record lies in the smallest that holds it, which wastes an eighth on average. Each size has a
   * list of its free places. An address is the place's offset and its size.
   *
   * RandomAccessFile and not FileChannel: a channel is closed when a thread that reads or writes is
   * interrupted, and everything in the file would be lost with it.
   */
  private static final int UNIT = 64;
  private static final int LINEAR = 8;
  private static final int STEPS = 4;
  private static final int SIZES = 128;
  private static final int SIZE_BITS = 8;
  private static final int LENGTH_BYTES = 4;
  private static final long[] NONE = {};

  private final SpillFolder folder;
  private final Path path;
  private final RandomAccessFile file;
  private final Account disk;
  private final Account heap;
  private final long[][] free = new long[SIZES][];
  private final int[] freeCount = new int[SIZES];

  /** How far the file is in use, which is what the disk account was told; and its live records. */
  private long endBytes;

  private long records;
  private long liveBytes;
  private long listBytes;
  private byte[] buffer = new byte[1 << 12];
  private boolean closed;

  /**
   * Makes an empty file in a private folder within {@code parent}.
   *
   * @param disk bounds the file
   * @param heap the account of the memory it takes to know what is free
   */
  public SpillFile(Path parent, Account disk, Account heap) throws IOException {
    this.disk = disk;
    this.heap = heap;
    Arrays.fill(free, NONE);
    this.folder = SpillFolder.enter(parent);
    Path made = null;
    RandomAccessFile opened = null;
    try {
      made = folder.createFile();
      opened = new RandomAccessFile(made.toFile(), "rw");
    } finally {
      if (opened == null) {
        folder.leave(made);
      }
    }
    this.path = made;
    this.file = opened;
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  /** The folder that it is in, within one that others use too. */
  public Path folder() {
    return folder.parent();
  }

  /** How many bytes of the disk it takes. */
  public synchronized long bytes() {
    return endBytes;
  }

  /** How many bytes of records are in it. */
  public synchronized long liveBytes() {
    return liveBytes;
  }

  /**
   * Writes the first {@code length} bytes as a record.
   *
   * @return its address
   * @throws IOException if there is no room for it or the disk fails; what was written before is
   *     still there
   */
  public synchronized long put(byte[] bytes, int length) throws IOException {
    checkOpen();
    int size = sizeFor(LENGTH_BYTES + (long) length);
    long placeBytes = bytesOf(size);
    boolean isReused = freeCount[size] > 0;
    if (!isReused && !disk.tryReserve(placeBytes)) {
      throw new IOException(
          "the spill budget is used up (%,d MB of %,d MB): raise %s"
              .formatted(disk.usedBytes() >> 20, disk.limitBytes() >> 20, disk.option()));
    }
    long offset = isReused ? free[size][freeCount[size] - 1] : endBytes;
    try {
      write(offset, bytes, length);
    } catch (IOException e) {
      if (!isReused) {
        disk.release(placeBytes);
        cut(endBytes); // a part of the record may have been written
      }
      throw e;
    }
    if (isReused) {
      freeCount[size]--;
    } else {
      endBytes += placeBytes;
    }
    records++;
    liveBytes += placeBytes;
    return offset / UNIT << SIZE_BITS | size;
  }

  private void write(long offset, byte[] bytes, int length) throws IOException {
    file.seek(offset);
    if (length > 1 << 16) {
      ByteBuffer head = ByteBuffer.allocate(LENGTH_BYTES).putInt(length);
      file.write(head.array());
      file.write(bytes, 0, length);
      return;
    }
    if (buffer.length < LENGTH_BYTES + length) {
      buffer = new byte[LENGTH_BYTES + (1 << 16)];
    }
    ByteBuffer.wrap(buffer).putInt(length).put(bytes, 0, length);
    file.write(buffer, 0, LENGTH_BYTES + length);
  }

  private void cut(long length) {
    try {
      file.setLength(length);
    } catch (IOException e) {
      // The disk is failing; the file goes when it is closed.
    }
  }

  /** The record at an address, in bytes that are the caller's. */
  public synchronized ByteBuffer get(long address) throws IOException {
    checkOpen();
    long placeBytes = bytesOf(sizeOf(address));
    file.seek(offsetOf(address));
    // Most often one read: the record with what is behind it in its place.
    byte[] bytes = new byte[(int) Math.min(placeBytes, Integer.MAX_VALUE - 16)];
    int had = readAtLeast(bytes, 0, LENGTH_BYTES);
    int length = ByteBuffer.wrap(bytes).getInt();
    if (length < 0 || length > bytes.length - LENGTH_BYTES) {
      throw new IOException(
          path
              + ": expected a record, but got one of "
              + length
              + " "
              + Plural.word(length, "byte"));
    }
    if (readAtLeast(bytes, had, LENGTH_BYTES + length) < LENGTH_BYTES + length) {
      throw new EOFException(path + ": expected a record, but the file ends");
    }
    return ByteBuffer.wrap(bytes, LENGTH_BYTES, length).slice();
  }

  private int readAtLeast(byte[] bytes, int from, int least) throws IOException {
    int had = from;
    while (had < least) {
      int more = file.read(bytes, had, bytes.length - had);
      if (more < 0) {
        throw new EOFException(path + ": expected a record, but the file ends");
      }
      had += more;
    }
    return had;
  }

  /** Gives the place of a record back; its address is then void. */
  public synchronized void free(long address) {
    if (closed) {
      return;
    }
    int size = sizeOf(address);
    records--;
    liveBytes -= bytesOf(size);
    if (records == 0) {
      empty();
      return;
    }
    int count = freeCount[size];
    if (count == free[size].length) {
      int grown = count + (count >> 1) + 16;
      free[size] = Arrays.copyOf(free[size], grown);
      heap.reserve(8L * (grown - count));
      listBytes += 8L * (grown - count);
    }
    free[size][count] = offsetOf(address);
    freeCount[size]++;
  }

  /** Begins again at the start of the file. */
  private void empty() {
    cut(0);
    disk.release(endBytes);
    endBytes = 0;
    heap.release(listBytes);
    listBytes = 0;
    Arrays.fill(free, NONE);
    Arrays.fill(freeCount, 0);
  }

  /** The bytes of the disk that the record at an address takes. */
  public static long placeBytes(long address) {
    return bytesOf(sizeOf(address));
  }

  private static long offsetOf(long address) {
    return (address >>> SIZE_BITS) * UNIT;
  }

  private static int sizeOf(long address) {
    return (int) (address & (1 << SIZE_BITS) - 1);
  }

  /** The number of the smallest size that holds so many bytes. */
  static int sizeFor(long bytes) {
    long units = (bytes + UNIT - 1) / UNIT;
    if (units <= LINEAR) {
      return (int) units - 1;
    }
    int doublings = 63 - Long.numberOfLeadingZeros(units - 1) - 3;
    long step = 2L << doublings;
    long steps = (units - ((long) LINEAR << doublings) + step - 1) / step;
    return (int) (LINEAR + STEPS * doublings + steps - 1);
  }

  /** The bytes of a place of this size. */
  static long bytesOf(int size) {
    if (size < LINEAR) {
      return (size + 1L) * UNIT;
    }
    int doublings = (size - LINEAR) / STEPS;
    long steps = (size - LINEAR) % STEPS + 1;
    return (((long) LINEAR << doublings) + steps * (2L << doublings)) * UNIT;
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException(path + ": expected an open file, but it was closed and deleted");
    }
  }

  /** Deletes the file, and the folder with the last one in it. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      disk.release(endBytes);
      heap.release(listBytes);
      endBytes = 0;
      liveBytes = 0;
      Arrays.fill(free, NONE);
      buffer = new byte[0];
    }
    try {
      file.close();
    } finally {
      folder.leave(path);
    }
  }
}
