package dev.headrace.op;

import dev.headrace.data.Compression;
import dev.headrace.spi.Context;
import dev.headrace.spi.Store;
import dev.headrace.spi.StoredFile;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The unpacked bytes of one file, read in large blocks, for sources that look for records in them.
 *
 * <p>What is there and not yet used lies in {@link #buffer} from {@link #start} to {@link #end}; a
 * source moves {@code start} on, and asks for {@link #more} when a record is not yet whole.
 *
 * <p><b>Threading and ownership:</b> its cursor's. Opens the file for itself.
 */
final class FileBytes implements OpenFile {
  private static final byte[] NOTHING = {};
  private static final int BLOCK_BYTES = 256 * 1024;
  private static final int SMALLEST_BLOCK_BYTES = 512;
  private static final int UNPACK_BYTES = 64 * 1024;

  /** Buffers up to this size are not worth an account. */
  private static final int FREE_BYTES = 1024 * 1024;

  private final StoredFile file;
  private final Compression compression;
  private final Context context;
  private Store.Source source;
  private @Nullable InputStream unpacked;
  private long reservedBytes;

  byte[] buffer;
  int start;
  int end;

  /** Whether the file has no more bytes than those in the buffer. */
  boolean ended;

  /** Where in the unpacked file {@code buffer[0]} is. */
  private long base;

  /** Whether an interruption closed the file, so that it must be opened again. */
  private boolean isLost;

  FileBytes(StoredFile file, Compression compression, Context context) throws IOException {
    this.file = file;
    this.compression = compression;
    this.context = context;
    this.source = file.open();
    this.buffer = NOTHING;
    boolean opened = false;
    try {
      long size = compression == Compression.NONE ? packedSize() : BLOCK_BYTES;
      // One byte more than the file has, so that its end is met without a larger buffer.
      buffer = new byte[Math.clamp(size + 1, SMALLEST_BLOCK_BYTES, BLOCK_BYTES)];
      opened = true;
    } finally {
      if (!opened) {
        closeSource();
      }
    }
  }

  /** A record that is larger than what may be held. */
  static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1;

    TooLarge(String message) {
      super(message);
    }
  }

  /** A file that is packed, where text was meant. */
  static final class IsArchive extends IOException {
    private static final long serialVersionUID = 1;

    IsArchive(String message) {
      super(message);
    }
  }

  StoredFile file() {
    return file;
  }

  /** The size of the file as it lies there. */
  long packedSize() throws IOException {
    for (; ; ) {
      try {
        ensureOpen();
        return source.size();
      } catch (ClosedByInterruptException e) {
        interrupted();
      }
    }
  }

  /** Refuses a file that begins as archives do, where text was meant. */
  void refuseArchive() throws IOException {
    if (compression != Compression.NONE) {
      return;
    }
    String kind =
        startsWith(0x1f, 0x8b)
            ? "gzip"
            : startsWith('P', 'K', 3, 4) ? "zip" : startsWith(0x28, 0xb5, 0x2f, 0xfd) ? "zstd" : "";
    if (!kind.isEmpty()) {
      throw new IsArchive(
          "expected text, but the file is packed by %s; %s"
              .formatted(
                  kind,
                  kind.equals("gzip")
                      ? "say InputFiles.matching(…).compressed(Compression.GZIP)"
                      : "unpack it first"));
    }
  }

  private boolean startsWith(int... signs) throws IOException {
    if (!has(signs.length)) {
      return false;
    }
    for (int i = 0; i < signs.length; i++) {
      if ((buffer[start + i] & 0xff) != signs[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public long offset() {
    return base + start;
  }

  int available() {
    return end - start;
  }

  /**
   * Reads more behind what is there, which moves to the front of the buffer.
   *
   * @return false at the end of the file
   */
  boolean more() throws IOException {
    if (ended) {
      return false;
    }
    if (start > 0) {
      System.arraycopy(buffer, start, buffer, 0, end - start);
      base += start;
      end -= start;
      start = 0;
    }
    int wanted = compression == Compression.NONE ? buffer.length - end : toNextUnit();
    if (wanted == 0 || wanted > buffer.length - end) {
      grow();
      wanted = compression == Compression.NONE ? buffer.length - end : wanted;
    }
    int count = read(buffer, end, wanted);
    ended = count < 0;
    end += Math.max(count, 0);
    return !ended;
  }

  /**
   * How many bytes to ask an unpacker for. It gives nothing of a piece that is damaged, so pieces
   * must begin and end at the same places wherever reading began: a resumed pipeline meets the
   * damage behind the same record.
   */
  private int toNextUnit() {
    return (int) (UNPACK_BYTES - (base + end) % UNPACK_BYTES);
  }

  /** Whether at least {@code bytes} are there, reading until they are or the file ends. */
  boolean has(long bytes) throws IOException {
    while (available() < bytes) {
      if (!more()) {
        return false;
      }
    }
    return true;
  }

  /** Reads until the buffer is full or the file ends, before anything of it was used. */
  void readAhead() throws IOException {
    while (base + end < BLOCK_BYTES && more()) {
      continue;
    }
  }

  /** Goes back to a place before this one; a packed file is then unpacked again up to there. */
  void rewind(long offset) {
    if (offset >= base) {
      start = (int) (offset - base);
      return;
    }
    isLost = true;
    ended = false;
    start = 0;
    end = 0;
    base = offset;
  }

  /** Goes to another place of the unpacked file; back only where it is not packed. */
  void seek(long offset) throws IOException {
    if (offset >= base && offset <= base + end) {
      start = (int) (offset - base);
      return;
    }
    if (compression == Compression.NONE) {
      unpacked = new SourceBytes(source, offset);
      ended = false;
      start = 0;
      end = 0;
      base = offset;
      return;
    }
    while (base + end < offset) {
      start = end;
      if (!more()) {
        return;
      }
    }
    start = (int) (offset - base);
  }

  private void grow() throws IOException {
    if (buffer.length >= Integer.MAX_VALUE / 2) {
      throw tooLarge();
    }
    int size = 2 * buffer.length;
    if (size > FREE_BYTES) {
      long extra = size - Math.max(buffer.length, FREE_BYTES);
      if (!context.heap().tryReserve(extra)) {
        throw tooLarge();
      }
      reservedBytes += extra;
    }
    buffer = Arrays.copyOf(buffer, size);
  }

  private TooLarge tooLarge() {
    return new TooLarge(
        "%s: expected records that fit into the heap budget, but the one at byte %d is larger than %d bytes; raise heap.budget, or check that the file is what it is read as"
            .formatted(file, offset(), buffer.length));
  }

  private int read(byte[] into, int at, int length) throws IOException {
    for (; ; ) {
      try {
        ensureOpen();
        return unpacked().read(into, at, length);
      } catch (ClosedByInterruptException e) {
        interrupted();
      }
    }
  }

  /** A thread that reads on after an interruption finds the file open, and nothing lost. */
  private void interrupted() {
    isLost = true;
    context.checkGoing(); // the consumer's interruption, or a closed pipeline
    boolean _ = Thread.interrupted(); // one that a function of the user left behind
  }

  private InputStream unpacked() throws IOException {
    InputStream known = unpacked;
    if (known == null) {
      known =
          compression == Compression.NONE
              ? new SourceBytes(source, 0)
              : compression.unpack(new SourceBytes(source, 0));
      unpacked = known;
    }
    return known;
  }

  /** Opens the file again where an interruption closed it, and goes to where the buffer ends. */
  private void ensureOpen() throws IOException {
    if (!isLost) {
      return;
    }
    closeSource();
    source = file.open();
    if (compression == Compression.NONE) {
      unpacked = new SourceBytes(source, base + end);
    } else {
      unpacked = null;
      unpacked().skipNBytes(base + end);
    }
    isLost = false;
  }

  /** A file of a store as a stream. */
  private static final class SourceBytes extends InputStream {
    private final Store.Source source;
    private long at;

    SourceBytes(Store.Source source, long at) {
      this.source = source;
      this.at = at;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
      int count = length == 0 ? 0 : source.read(at, ByteBuffer.wrap(into, from, length));
      at += Math.max(count, 0);
      return count;
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }

  @Override
  public void close() {
    context.heap().release(reservedBytes);
    reservedBytes = 0;
    closeSource();
  }

  private void closeSource() {
    Closeable outermost = unpacked == null ? source : unpacked;
    try {
      outermost.close();
    } catch (IOException e) {
      context.warn("%s: closing failed: %s".formatted(file, e));
    }
  }
}
