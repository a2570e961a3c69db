package dev.headrace.spi;

import dev.headrace.data.BlockWriter;
import dev.headrace.data.Compression;
import dev.headrace.data.ElementCodec;
import dev.headrace.data.WriterLock;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  static final byte RUN = 0;
  static final byte LISTED = 1;
  static final byte MIXED = 2;
  static final byte LONGS = 0;
  static final byte OBJECTS = 1;
  static final String RECORDS = "records";

  private final BlockWriter blocks;
  private final ElementCodec codec;
  private final Body body = new Body();
  private final DataOutputStream encoded = new DataOutputStream(body);

  private long[] longs = new long[64];
  private int[] lengths = new int[64];
  private @Nullable Id[] parents = new Id[64];
  private long[] ordinals = new long[64];
  private boolean inLongs = true;
  private int count;
  private long elements;

  /**
   * Begins a file whose name no other writer has; the codec learns the record classes that are
   * written.
   */
  public ElementWriter(Path file, Compression compression, ElementCodec codec) throws IOException {
    this.blocks = new BlockWriter(file, compression);
    this.codec = codec;
  }

  /** Begins the file that a lock gives the right to write; the lock stays the caller's. */
  public ElementWriter(WriterLock lock, Compression compression, ElementCodec codec)
      throws IOException {
    this.blocks = new BlockWriter(lock, compression);
    this.codec = codec;
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
    if (inLongs) {
      flush();
      inLongs = false;
    }
    int before = body.size();
    try {
      codec.encode(element, encoded);
    } catch (RuntimeException e) {
      body.cut(before);
      throw e;
    }
    note(parent, ordinal);
    lengths[count++] = body.size() - before;
    elements++;
    if (body.size() >= BLOCK_BYTES) {
      flush();
    }
  }

  private void addLong(long number, @Nullable Id parent, long ordinal) throws IOException {
    if (!inLongs) {
      flush();
      inLongs = true;
    }
    note(parent, ordinal);
    longs[count++] = number;
    elements++;
    if (8 * count >= BLOCK_BYTES) {
      flush();
    }
  }

  private void note(@Nullable Id parent, long ordinal) {
    if (count == longs.length) {
      longs = Arrays.copyOf(longs, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
      parents = Arrays.copyOf(parents, 2 * count);
      ordinals = Arrays.copyOf(ordinals, 2 * count);
    }
    parents[count] = parent;
    ordinals[count] = ordinal;
  }

  private void flush() throws IOException {
    if (count == 0) {
      return;
    }
    byte kind = kindOfIds();
    long size = 2 + idBytes(kind) + (inLongs ? 8L * count : 4L * count + body.size());
    if (size > Integer.MAX_VALUE - 64) {
      throw new IOException(
          blocks.file() + ": expected elements below 2 GB, but got one of " + size + " bytes");
    }
    ByteBuffer block = ByteBuffer.allocate((int) size);
    putIds(kind, block);
    block.put(inLongs ? LONGS : OBJECTS);
    if (inLongs) {
      block.asLongBuffer().put(longs, 0, count);
    } else {
      block.asIntBuffer().put(lengths, 0, count);
      block.position(block.position() + 4 * count);
      block.put(body.bytes(), 0, body.size());
    }
    blocks.add(block.array(), block.capacity(), count);
    body.reset();
    Arrays.fill(parents, 0, count, null);
    count = 0;
  }

  private byte kindOfIds() {
    byte kind = RUN;
    for (int i = 1; i < count; i++) {
      if (parents[i] != parents[0] && !Objects.equals(parents[i], parents[0])) {
        return MIXED;
      }
      if (ordinals[i] != ordinals[0] + i) {
        kind = LISTED;
      }
    }
    return kind;
  }

  private long idBytes(byte kind) {
    if (kind != MIXED) {
      return pathBytes(parents[0]) + (kind == RUN ? 8 : 8L * count);
    }
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      bytes += pathBytes(parents[i]) + 8;
    }
    return bytes;
  }

  private static long pathBytes(@Nullable Id parent) {
    return 4 + 8L * Id.path(parent).length;
  }

  private void putIds(byte kind, ByteBuffer block) {
    block.put(kind);
    if (kind == MIXED) {
      for (int i = 0; i < count; i++) {
        putPath(parents[i], block);
        block.putLong(ordinals[i]);
      }
      return;
    }
    putPath(parents[0], block);
    for (int i = 0; i < (kind == RUN ? 1 : count); i++) {
      block.putLong(ordinals[i]);
    }
  }

  private static void putPath(@Nullable Id parent, ByteBuffer block) {
    long[] path = Id.path(parent);
    block.putInt(path.length);
    for (long ordinal : path) {
      block.putLong(ordinal);
    }
  }

  /** Bytes that can be cut off and read without a copy. */
  private static final class Body extends ByteArrayOutputStream {
    byte[] bytes() {
      return buf;
    }

    void cut(int size) {
      count = size;
    }
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
