package dev.headrace.spi;

import dev.headrace.data.ElementCodec;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Collects elements with their ids, and makes the bytes of them that {@link BlockDecoder} reads.
 * All elements of a block are longs, or all are other objects.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
final class BlockEncoder {
  static final byte RUN = 0;
  static final byte LISTED = 1;
  static final byte MIXED = 2;
  static final byte LONGS = 0;
  static final byte OBJECTS = 1;

  /** Larger memory than this is not kept for the next block. */
  private static final int MOST_KEPT = 1 << 20;

  private final ElementCodec codec;
  private Body body = new Body();
  private DataOutputStream encoded = new DataOutputStream(body);
  private long[] longs = new long[64];
  private int[] lengths = new int[64];
  private @Nullable Id[] parents = new Id[64];
  private long[] ordinals = new long[64];
  private boolean inLongs = true;
  private int count;

  BlockEncoder(ElementCodec codec) {
    this.codec = codec;
  }

  /** How many elements the block has. */
  int count() {
    return count;
  }

  /** About how many bytes their values take. */
  int bytes() {
    return inLongs ? 8 * count : body.size();
  }

  /** Whether a long, or another element, can be added to this block: they do not share one. */
  boolean takes(boolean isLong) {
    return count == 0 || inLongs == isLong;
  }

  /**
   * Adds an object.
   *
   * @throws IllegalArgumentException if it cannot be written; nothing of it was then
   */
  void add(Object element, @Nullable Id parent, long ordinal) throws IOException {
    inLongs = false;
    int before = body.size();
    try {
      codec.encode(element, encoded);
    } catch (RuntimeException | Error e) {
      body.cut(before);
      throw e;
    }
    note(parent, ordinal);
    lengths[count++] = body.size() - before;
  }

  void addLong(long number, @Nullable Id parent, long ordinal) {
    inLongs = true;
    note(parent, ordinal);
    longs[count++] = number;
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

  /** The bytes of the elements that were added. */
  byte[] toBytes() throws IOException {
    byte kind = kindOfIds();
    long size = 2 + idBytes(kind) + (inLongs ? 8L * count : 4L * count + body.size());
    if (size > Integer.MAX_VALUE - 64) {
      throw new IOException("expected elements below 2 GB, but got one of " + size + " bytes");
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
    return block.array();
  }

  /** Begins an empty block. */
  void clear() {
    if (body.bytes().length > MOST_KEPT) {
      body = new Body();
      encoded = new DataOutputStream(body);
    }
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
}
