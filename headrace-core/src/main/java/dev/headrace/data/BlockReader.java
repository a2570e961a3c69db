package dev.headrace.data;

import java.io.Closeable;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Reads a file that a {@link BlockWriter} finished. Nothing in it is trusted: sums, lengths and
 * offsets are checked, and messages name the file and the offset.
 *
 * <p><b>Threading:</b> one thread at a time. Reading is not broken off by interruptions.
 */
public final class BlockReader implements Closeable {
  private final Path file;
  private final RandomAccessFile in;
  private final Compression compression;
  private final Inflater inflater = new Inflater();
  private final long[] offsets;

  /** The number of elements before each block, and that of all. */
  private final long[] firsts;

  private final long digest;
  private final Map<?, ?> facts;
  private byte[] stored = {};
  private byte[] plain = {};

  /** Opens a file and reads its footer. */
  public BlockReader(Path file) throws IOException {
    this.file = file;
    if (!Files.isRegularFile(file)) {
      throw new IOException(
          file
              + (Files.exists(file)
                  ? ": expected a file, but got a folder"
                  : ": expected an element file, but there is none"
                      + (file.isAbsolute()
                          ? ""
                          : "; the working directory is " + Path.of("").toAbsolutePath())));
    }
    this.in = new RandomAccessFile(new File(file.toString()), "r");
    try {
      this.compression = readStart();
      long size = in.length();
      long footerOffset = readEnd(size);
      ByteBuffer footer =
          ByteBuffer.wrap(
              readAt(footerOffset, (int) (size - BlockFormat.END_BYTES - footerOffset)));
      int blocks = footer.remaining() < 12 ? -1 : footer.getInt();
      if (blocks < 0 || blocks > (footer.remaining() - 8) / BlockFormat.INDEX_ENTRY_BYTES) {
        throw damaged(footerOffset, "an index of " + blocks + " " + Plural.word(blocks, "block"));
      }
      this.offsets = new long[blocks + 1];
      this.firsts = new long[blocks + 1];
      readIndex(footer, blocks, footerOffset);
      this.digest = footer.getLong();
      this.facts = readFacts(footer, footerOffset);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Says that a file is of another kind, not a damaged one. */
  public static final class AnotherKind extends IOException {
    private static final long serialVersionUID = 1;

    private AnotherKind(Path file) {
      super(file + ": expected an element file, but it starts otherwise");
    }
  }

  private Compression readStart() throws IOException {
    int length = (int) Math.min(in.length(), BlockFormat.START.length);
    byte[] magic = readAt(0, length);
    if (!Arrays.equals(magic, 0, length, BlockFormat.START, 0, length)) {
      throw new AnotherKind(file);
    }
    if (in.length() < BlockFormat.START_BYTES) {
      throw notClosed(in.length());
    }
    ByteBuffer start = ByteBuffer.wrap(readAt(0, BlockFormat.START_BYTES));
    start.position(BlockFormat.START.length);
    int version = start.getInt();
    if (version != BlockFormat.VERSION) {
      throw new IOException(
          "%s: expected version %d of element files, but got %d; it was written by another version of Headrace"
              .formatted(file, BlockFormat.VERSION, version));
    }
    int code = start.getInt();
    if (code < 0 || code >= Compression.values().length) {
      throw damaged(12, "compression " + code);
    }
    return Compression.values()[code];
  }

  private long readEnd(long size) throws IOException {
    if (size < BlockFormat.START_BYTES + BlockFormat.END_BYTES) {
      throw notClosed(size);
    }
    ByteBuffer end = ByteBuffer.wrap(readAt(size - BlockFormat.END_BYTES, BlockFormat.END_BYTES));
    long footerOffset = end.getLong();
    int footerLength = end.getInt();
    int sum = end.getInt();
    byte[] magic = new byte[BlockFormat.END.length];
    end.get(magic);
    if (!Arrays.equals(magic, BlockFormat.END)) {
      throw notClosed(size);
    }
    if (footerOffset < BlockFormat.START_BYTES
        || footerLength < 0
        || footerOffset != size - BlockFormat.END_BYTES - footerLength) {
      throw damaged(size - BlockFormat.END_BYTES, "a footer at " + footerOffset);
    }
    CRC32C actual = new CRC32C();
    actual.update(readAt(footerOffset, footerLength));
    actual.update(end.array(), 0, 12);
    if ((int) actual.getValue() != sum) {
      throw damaged(footerOffset, "a footer with another sum");
    }
    return footerOffset;
  }

  private void readIndex(ByteBuffer footer, int blocks, long footerOffset) throws IOException {
    long expected = BlockFormat.START_BYTES;
    for (int i = 0; i < blocks; i++) {
      offsets[i] = footer.getLong();
      int count = footer.getInt();
      boolean fits =
          i == 0 ? offsets[i] == expected : offsets[i] >= expected && offsets[i] < footerOffset;
      if (!fits || count < 1) {
        throw damaged(
            footerOffset,
            "block %d at %d with %d %s"
                .formatted(i, offsets[i], count, Plural.word(count, "element")));
      }
      firsts[i + 1] = firsts[i] + count;
      expected = offsets[i] + BlockFormat.BLOCK_HEADER_BYTES;
    }
    if (footerOffset < expected) {
      throw damaged(footerOffset, "a footer inside a block");
    }
    offsets[blocks] = footerOffset;
  }

  private Map<?, ?> readFacts(ByteBuffer footer, long footerOffset) throws IOException {
    try {
      if (new ElementCodec().decode(footer) instanceof Map<?, ?> map) {
        return map;
      }
    } catch (IllegalArgumentException e) {
      throw damaged(footerOffset, "facts that cannot be read: " + e.getMessage());
    }
    throw damaged(footerOffset, "no facts");
  }

  public Path file() {
    return file;
  }

  /** How many elements there are. */
  public long elements() {
    return firsts[firsts.length - 1];
  }

  public int blocks() {
    return offsets.length - 1;
  }

  /** The number of the first element of a block. */
  public long first(int block) {
    return firsts[block];
  }

  /** The block that holds an element. */
  public int blockOf(long element) {
    if (element < 0 || element >= elements()) {
      throw new IndexOutOfBoundsException(
          "%s: expected an element from 0 to %d, but got %d"
              .formatted(file, elements() - 1, element));
    }
    int found = Arrays.binarySearch(firsts, element);
    return found >= 0 ? found : -found - 2;
  }

  /** The same for files with the same elements. */
  public String digest() {
    return Long.toHexString(digest);
  }

  /** What {@link BlockWriter#finish} was told. */
  public Map<?, ?> facts() {
    return facts;
  }

  /** The plain bytes of a block, which stay valid until the next call. */
  public ByteBuffer read(int block) throws IOException {
    long offset = offsets[block];
    long length = offsets[block + 1] - offset - BlockFormat.BLOCK_HEADER_BYTES;
    if (length > Integer.MAX_VALUE - 64) {
      throw damaged(offset, "a block of " + length + " bytes");
    }
    int size = (int) length + BlockFormat.BLOCK_HEADER_BYTES;
    if (stored.length < size) {
      stored = new byte[size];
    }
    readAt(offset, stored, size);
    ByteBuffer header = ByteBuffer.wrap(stored, 0, BlockFormat.BLOCK_HEADER_BYTES);
    int storedLength = header.getInt();
    int plainLength = header.getInt();
    int elements = header.getInt();
    int sum = header.getInt();
    if (storedLength != length || elements != firsts[block + 1] - firsts[block]) {
      throw damaged(
          offset,
          "a block of %d %s and %d %s"
              .formatted(
                  storedLength,
                  Plural.word(storedLength, "byte"),
                  elements,
                  Plural.word(elements, "element")));
    }
    byte[] bytes = stored;
    int from = BlockFormat.BLOCK_HEADER_BYTES;
    if (compression != Compression.NONE) {
      bytes = inflate(offset, storedLength, plainLength);
      from = 0;
    } else if (plainLength != storedLength) {
      throw damaged(offset, "a block whose lengths differ");
    }
    CRC32C actual = new CRC32C();
    actual.update(stored, 4, 8);
    actual.update(bytes, from, plainLength);
    if ((int) actual.getValue() != sum) {
      throw damaged(offset, "a block with another sum");
    }
    return ByteBuffer.wrap(bytes, from, plainLength).slice();
  }

  private byte[] inflate(long offset, int length, int plainLength) throws IOException {
    if (plainLength < 0 || plainLength > BlockFormat.HIGHEST_RATIO * (length + 1L)) {
      throw damaged(offset, "a block of %d plain bytes in %d".formatted(plainLength, length));
    }
    if (plain.length < plainLength) {
      plain = new byte[plainLength];
    }
    inflater.reset();
    inflater.setInput(stored, BlockFormat.BLOCK_HEADER_BYTES, length);
    int size = 0;
    try {
      while (size < plainLength) {
        int more = inflater.inflate(plain, size, plainLength - size);
        if (more == 0) {
          break;
        }
        size += more;
      }
      boolean more = inflater.inflate(new byte[1]) > 0; // also looks at the end of the packed bytes
      if (more || !inflater.finished() || inflater.getRemaining() > 0) {
        throw damaged(offset, "a block that is not packed to its end");
      }
    } catch (DataFormatException e) {
      throw damaged(offset, "a block that cannot be unpacked: " + e.getMessage());
    }
    if (size < plainLength) {
      throw damaged(
          offset,
          "a block of %d plain %s instead of %d"
              .formatted(size, Plural.word(size, "byte"), plainLength));
    }
    return plain;
  }

  private byte[] readAt(long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    readAt(offset, bytes, length);
    return bytes;
  }

  private void readAt(long offset, byte[] into, int length) throws IOException {
    try {
      in.seek(offset);
      in.readFully(into, 0, length);
    } catch (EOFException e) {
      throw new IOException(
          "%s: expected %d %s at offset %d, but the file ends at %d; it was cut off while it was read"
              .formatted(file, length, Plural.word(length, "byte"), offset, in.length()),
          e);
    }
  }

  private IOException notClosed(long size) {
    return new IOException(
        "%s: expected an element file, but it has no end after %d %s; it was cut off, or is not one"
            .formatted(file, size, Plural.word(size, "byte")));
  }

  private IOException damaged(long offset, String found) {
    return new IOException(
        "%s: expected an undamaged element file, but got %s at offset %d"
            .formatted(file, found, offset));
  }

  @Override
  public void close() throws IOException {
    inflater.end();
    in.close();
  }
}
