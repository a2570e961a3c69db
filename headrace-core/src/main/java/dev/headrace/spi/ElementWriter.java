package dev.headrace.spi;

import dev.headrace.data.BlockWriter;
import dev.headrace.data.Compression;
import dev.headrace.data.ElementCodec;
import dev.headrace.data.WriterLock;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes elements with their ids to a file that {@link ElementReader} reads.
 *
 * <p><b>Threading:</b> one thread at a time. <b>Ownership:</b> closing without {@link #finish}
 * leaves no file behind.
 */
public final class ElementWriter implements Closeable {
  /*
   * A block is closed when it has this many bytes, or where longs and other elements meet. So
   * blocks depend on the elements alone, and the same elements make the same file.
   */
  private static final int BLOCK_BYTES = 1 << 16;

  static final String RECORDS = "records";

  private final BlockWriter blocks;
  private final ElementCodec codec;
  private final BlockEncoder block;
  private long elements;

  /**
   * Begins a file whose name no other writer has; the codec learns the record classes that are
   * written.
   */
  public ElementWriter(Path file, Compression compression, ElementCodec codec) throws IOException {
    this.blocks = new BlockWriter(file, compression);
    this.codec = codec;
    this.block = new BlockEncoder(codec);
  }

  /** Begins the file that a lock gives the right to write; the lock stays the caller's. */
  public ElementWriter(WriterLock lock, Compression compression, ElementCodec codec)
      throws IOException {
    this.blocks = new BlockWriter(lock, compression);
    this.codec = codec;
    this.block = new BlockEncoder(codec);
  }

  /** How many elements were added. */
  public long elements() {
    return elements;
  }

  /** How many bytes were written so far. */
  public long bytes() {
    return blocks.bytes();
  }

  /** Appends an element of a chunk with its id. */
  public void add(Chunk chunk, int index) throws IOException {
    if (chunk.inLongs()) {
      addLong(chunk.longs()[index], chunk.parentOf(index), chunk.ordinalOf(index));
    } else {
      add(chunk.item(index), chunk.parentOf(index), chunk.ordinalOf(index));
    }
  }

  /**
   * Appends an element.
   *
   * @throws IllegalArgumentException if it cannot be written; nothing of it was then
   */
  public void add(Object element, @Nullable Id parent, long ordinal) throws IOException {
    if (element instanceof Long number) {
      addLong(number, parent, ordinal);
      return;
    }
    if (!block.takes(false)) {
      flush();
    }
    block.add(element, parent, ordinal);
    added();
  }

  private void addLong(long number, @Nullable Id parent, long ordinal) throws IOException {
    if (!block.takes(true)) {
      flush();
    }
    block.addLong(number, parent, ordinal);
    added();
  }

  private void added() throws IOException {
    elements++;
    if (block.bytes() >= BLOCK_BYTES) {
      flush();
    }
  }

  private void flush() throws IOException {
    if (block.count() == 0) {
      return;
    }
    byte[] bytes;
    try {
      bytes = block.toBytes();
    } catch (IOException e) {
      throw new IOException(blocks.file() + ": " + e.getMessage(), e);
    }
    blocks.add(bytes, bytes.length, block.count());
    block.clear();
  }

  /** Completes the file, with some facts about it, and gives it its name. */
  public void finish(Map<String, Object> facts) throws IOException {
    flush();
    Map<String, Object> all = new HashMap<>(facts);
    List<String> records = new ArrayList<>(codec.recordNames());
    records.sort(null);
    all.put(RECORDS, records);
    blocks.finish(all);
  }

  @Override
  public void close() throws IOException {
    blocks.close();
  }
}
