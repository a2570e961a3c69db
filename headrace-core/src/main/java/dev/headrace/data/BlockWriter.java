package dev.headrace.data;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;

/**
 * Writes a file of blocks of bytes that is there whole or not at all: the bytes go to a {@link
 * PartialFile} beside it, which takes its name when everything is written.
 *
 * <p><b>Threading:</b> one thread at a time.
 *
 * <p><b>Ownership:</b> closing without {@link #finish} removes what was written.
 */
public final class BlockWriter implements Closeable {
  private final Path file;
  private final Compression compression;
  private final PartialFile out;
  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);
  private final CRC32C digest = new CRC32C();
  private long[] offsets = new long[16];
  private int[] counts = new int[16];
  private int blocks;
  private byte[] packed = {};
  private boolean open = true;

  /** Begins a file whose name no other writer has. */
  public BlockWriter(Path file, Compression compression) throws IOException {
    this(file, PartialFile.beside(file), compression);
  }

  /** Begins the file that a lock gives the right to write; the lock stays the caller's. */
  public BlockWriter(WriterLock lock, Compression compression) throws IOException {
    this(lock.file(), PartialFile.under(lock), compression);
  }

  private BlockWriter(Path file, PartialFile out, Compression compression) throws IOException {
    this.file = file;
    this.out = out;
    this.compression = compression;
    ByteBuffer start = ByteBuffer.allocate(BlockFormat.START_BYTES);
    start.put(BlockFormat.START).putInt(BlockFormat.VERSION).putInt(compression.ordinal());
    try {
      out.write(start.array());
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  public Path file() {
    return file;
  }

  /** How many bytes were written so far. */
  public long bytes() {
    return out.bytes();
  }

  /** Appends a block that holds {@code elements} elements in the first {@code length} bytes. */
  public void add(byte[] plain, int length, int elements) throws IOException {
    if (elements < 1) {
      throw new IllegalArgumentException("block: expected at least 1 element, but got " + elements);
    }
    if (blocks == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * blocks);
      counts = Arrays.copyOf(counts, 2 * blocks);
    }
    offsets[blocks] = out.bytes();
    counts[blocks++] = elements;
    int sum = sumOf(plain, length, elements);
    byte[] stored = plain;
    int storedLength = length;
    if (compression != Compression.NONE) {
      storedLength = deflate(plain, length);
      stored = packed;
    }
    ByteBuffer header = ByteBuffer.allocate(BlockFormat.BLOCK_HEADER_BYTES);
    header.putInt(storedLength).putInt(length).putInt(elements).putInt(sum);
    digest.update(header.array(), 4, 12);
    out.write(header.array());
    out.write(stored, 0, storedLength);
  }

  static int sumOf(byte[] plain, int length, int elements) {
    CRC32C sum = new CRC32C();
    sum.update(ByteBuffer.allocate(8).putInt(length).putInt(elements).flip());
    sum.update(plain, 0, length);
    return (int) sum.getValue();
  }

  private int deflate(byte[] plain, int length) {
    deflater.reset();
    deflater.setInput(plain, 0, length);
    deflater.finish();
    int size = 0;
    while (!deflater.finished()) {
      if (size == packed.length) {
        packed = Arrays.copyOf(packed, Math.max(1 << 16, (int) Math.min(2L * size, 1L << 30)));
      }
      size += deflater.deflate(packed, size, packed.length - size);
    }
    return size;
  }

  /**
   * Writes the footer with some facts about the content, waits until the disk has everything, and
   * gives the file its name.
   */
  public void finish(Map<String, Object> facts) throws IOException {
    byte[] factBytes = new ElementCodec().encode(facts);
    long length = 4L + (long) BlockFormat.INDEX_ENTRY_BYTES * blocks + 8 + factBytes.length;
    ByteBuffer footer = ByteBuffer.allocate(Math.toIntExact(length + BlockFormat.END_BYTES));
    footer.putInt(blocks);
    for (int i = 0; i < blocks; i++) {
      footer.putLong(offsets[i]).putInt(counts[i]);
    }
    footer.putLong(digest.getValue()).put(factBytes);
    footer.putLong(out.bytes()).putInt((int) length);
    CRC32C sum = new CRC32C();
    sum.update(footer.array(), 0, footer.position());
    footer.putInt((int) sum.getValue()).put(BlockFormat.END);
    out.write(footer.array());
    out.publish();
    open = false;
    deflater.end();
  }

  @Override
  public void close() throws IOException {
    if (open) {
      open = false;
      deflater.end();
      out.close();
    }
  }
}
