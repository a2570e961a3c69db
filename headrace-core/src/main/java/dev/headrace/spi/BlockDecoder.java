package dev.headrace.spi;

import dev.headrace.data.ElementCodec;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The elements of one block of bytes that {@link BlockEncoder} made, in any order. The bytes are
 * treated as hostile.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
final class BlockDecoder {
  private final ElementCodec codec;
  private final ByteBuffer bytes;
  private final int count;
  private final byte kindOfIds;
  private @Nullable Id parent;
  private final int idsAt;
  private final boolean inLongs;
  private final int valuesAt;

  /** In a block of objects: the element at {@link #bodyAt}, which is the next that is read. */
  private int bodyIndex;

  private int bodyAt;

  /** In a block of mixed ids: likewise. */
  private int mixedIndex;

  private int mixedAt;

  /**
   * Reads how the block is laid out.
   *
   * @param count how many elements it has
   * @throws IOException if it is damaged, with what was found instead
   */
  BlockDecoder(ByteBuffer bytes, int count, ElementCodec codec) throws IOException {
    this.bytes = bytes;
    this.count = count;
    this.codec = codec;
    try {
      kindOfIds = bytes.get();
      parent = kindOfIds == BlockEncoder.MIXED ? null : path();
      idsAt = bytes.position();
      passIds();
      byte lane = bytes.get();
      if (lane != BlockEncoder.LONGS && lane != BlockEncoder.OBJECTS) {
        throw new IOException("elements of kind " + lane);
      }
      inLongs = lane == BlockEncoder.LONGS;
      valuesAt = bytes.position();
      bodyAt = checked(valuesAt + (inLongs ? 8L : 4L) * count);
      mixedAt = idsAt;
    } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
      throw endsTooEarly(e);
    }
  }

  private void passIds() throws IOException {
    switch (kindOfIds) {
      case BlockEncoder.RUN -> bytes.position(idsAt + 8);
      case BlockEncoder.LISTED -> bytes.position(checked(idsAt + 8L * count));
      case BlockEncoder.MIXED -> {
        for (int i = 0; i < count; i++) {
          int depth = depth();
          bytes.position(checked(bytes.position() + 8L * depth + 8));
        }
      }
      default -> throw new IOException("ids of kind " + kindOfIds);
    }
  }

  private static IOException endsTooEarly(@Nullable Exception cause) {
    return new IOException("a block that ends too early", cause);
  }

  /** How many elements there are. */
  int count() {
    return count;
  }

  /** Appends elements to a chunk. */
  void read(Chunk out, int first, int size) throws IOException {
    try {
      if (inLongs) {
        readLongs(out, first, size);
      } else {
        for (int i = first; i < first + size; i++) {
          Object element = object(i);
          out.add(element, parentOf(i), ordinalOf(i));
        }
      }
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw endsTooEarly(e);
    }
  }

  /** One element. */
  Object at(int index) throws IOException {
    try {
      return inLongs ? (Object) bytes.getLong(valuesAt + 8 * index) : object(index);
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw endsTooEarly(e);
    }
  }

  private void readLongs(Chunk out, int first, int size) throws IOException {
    if (out.isEmpty() && kindOfIds == BlockEncoder.RUN) {
      long[] longs = out.longRun(parent, ordinalOf(first), size);
      bytes.slice(valuesAt + 8 * first, 8 * size).asLongBuffer().get(longs, 0, size);
      return;
    }
    for (int i = first; i < first + size; i++) {
      out.addLong(bytes.getLong(valuesAt + 8 * i), parentOf(i), ordinalOf(i));
    }
  }

  private int checked(long at) throws IOException {
    if (at < 0 || at > bytes.limit()) {
      throw endsTooEarly(null);
    }
    return (int) at;
  }

  private int depth() throws IOException {
    int depth = bytes.getInt();
    if (depth < 0 || depth > bytes.remaining() / 8) {
      throw new IOException("an id of depth " + depth);
    }
    return depth;
  }

  private @Nullable Id path() throws IOException {
    int depth = depth();
    Id id = null;
    for (int i = 0; i < depth; i++) {
      id = new Id(id, bytes.getLong());
    }
    return id;
  }

  private @Nullable Id parentOf(int index) throws IOException {
    if (kindOfIds != BlockEncoder.MIXED) {
      return parent;
    }
    goToMixed(index);
    bytes.position(mixedAt);
    Id itsParent = path();
    if (!Objects.equals(itsParent, parent)) {
      parent = itsParent; // neighbours share theirs, which chunks make use of
    }
    return parent;
  }

  private long ordinalOf(int index) {
    switch (kindOfIds) {
      case BlockEncoder.RUN:
        return bytes.getLong(idsAt) + index;
      case BlockEncoder.LISTED:
        return bytes.getLong(idsAt + 8 * index);
      default:
        goToMixed(index);
        return bytes.getLong(mixedAt + 4 + 8 * bytes.getInt(mixedAt));
    }
  }

  private void goToMixed(int index) {
    if (index < mixedIndex) {
      mixedIndex = 0;
      mixedAt = idsAt;
    }
    for (; mixedIndex < index; mixedIndex++) {
      mixedAt += 4 + 8 * bytes.getInt(mixedAt) + 8;
    }
  }

  private Object object(int index) throws IOException {
    if (index < bodyIndex) {
      bodyIndex = 0;
      bodyAt = valuesAt + 4 * count;
    }
    for (; bodyIndex < index; bodyIndex++) {
      bodyAt = checked(bodyAt + (long) length(bodyIndex));
    }
    int length = length(index);
    checked(bodyAt + (long) length);
    try {
      return codec.decode(bytes.slice(bodyAt, length));
    } catch (RuntimeException e) {
      throw new UnreadableElementException(index, e);
    }
  }

  private int length(int index) throws IOException {
    int length = bytes.getInt(valuesAt + 4 * index);
    if (length < 0) {
      throw new IOException("an element of " + length + " bytes");
    }
    return length;
  }

  /** Says that one element cannot be read, while the block is whole. */
  static final class UnreadableElementException extends IOException {
    private static final long serialVersionUID = 1;

    final int index;

    UnreadableElementException(int index, RuntimeException cause) {
      super(cause.getMessage(), cause);
      this.index = index;
    }
  }
}
