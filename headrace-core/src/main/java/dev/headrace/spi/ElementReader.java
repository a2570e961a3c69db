package dev.headrace.spi;

import dev.headrace.data.BlockReader;
import dev.headrace.data.ElementCodec;
import java.io.Closeable;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file that {@link ElementWriter} wrote, in order or from any element. What is read is
 * treated as hostile; an error names the file and the place.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
public final class ElementReader implements Closeable {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final BlockReader blocks;
  private final ElementCodec codec;

  /** The next element to be given. */
  private long position;

  /** The block that is held, or −1; and where its parts begin. */
  private int block = -1;

  private ByteBuffer bytes = NOTHING;
  private int count;
  private byte kindOfIds;
  private @Nullable Id parent;
  private int idsAt;
  private boolean inLongs;
  private int valuesAt;

  /** In a block of objects: the element at {@link #bodyAt}, which is the next that is read. */
  private int bodyIndex;

  private int bodyAt;

  /** In a block of mixed ids: likewise. */
  private int mixedIndex;

  private int mixedAt;

  public ElementReader(Path file, ElementCodec codec) throws IOException {
    this.blocks = new BlockReader(file);
    this.codec = codec;
  }

  /** How many elements there are. */
  public long elements() {
    return blocks.elements();
  }

  /** The same for files with the same elements. */
  public String digest() {
    return blocks.digest();
  }

  /** What {@link ElementWriter#finish} was told. */
  public Map<?, ?> facts() {
    return blocks.facts();
  }

  /** The record classes that were written and the codec does not know. */
  public List<String> unknownRecords() {
    List<String> unknown = new ArrayList<>();
    if (facts().get(ElementWriter.RECORDS) instanceof List<?> names) {
      for (Object name : names) {
        if (name instanceof String text && !codec.recordNames().contains(text)) {
          unknown.add(text);
        }
      }
    }
    return unknown;
  }

  /** The number of the next element. */
  public long position() {
    return position;
  }

  /** Goes to an element, or to the end. */
  public void seek(long element) {
    position = Math.clamp(element, 0, elements());
  }

  /** Appends the next elements to a chunk: between one and {@code max}, or none at the end. */
  public void read(Chunk out, int max) throws IOException {
    if (position >= elements()) {
      return;
    }
    int first = load(position);
    int size = Math.min(max, count - first);
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
      throw damaged("a block that ends too early", e);
    }
    position += size;
  }

  /** One element, wherever it is. */
  public Object at(long element) throws IOException {
    int index = load(element);
    try {
      return inLongs ? (Object) bytes.getLong(valuesAt + 8 * index) : object(index);
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw damaged("a block that ends too early", e);
    }
  }

  private void readLongs(Chunk out, int first, int size) throws IOException {
    if (out.isEmpty() && kindOfIds == ElementWriter.RUN) {
      long[] longs = out.longRun(parent, ordinalOf(first), size);
      bytes.slice(valuesAt + 8 * first, 8 * size).asLongBuffer().get(longs, 0, size);
      return;
    }
    for (int i = first; i < first + size; i++) {
      out.addLong(bytes.getLong(valuesAt + 8 * i), parentOf(i), ordinalOf(i));
    }
  }

  /** Holds the block of an element; returns its index there. */
  private int load(long element) throws IOException {
    int wanted =
        block >= 0 && element >= blocks.first(block) && element < blocks.first(block) + count
            ? block
            : blocks.blockOf(element);
    if (wanted != block) {
      block = -1; // in case it cannot be read
      bytes = blocks.read(wanted);
      count = (int) countOf(wanted);
      try {
        open();
      } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
        throw damaged("a block that ends too early", e);
      }
      block = wanted;
    }
    return (int) (element - blocks.first(block));
  }

  private long countOf(int wanted) {
    return (wanted + 1 < blocks.blocks() ? blocks.first(wanted + 1) : blocks.elements())
        - blocks.first(wanted);
  }

  private void open() throws IOException {
    kindOfIds = bytes.get();
    parent = kindOfIds == ElementWriter.MIXED ? null : path();
    idsAt = bytes.position();
    switch (kindOfIds) {
      case ElementWriter.RUN -> bytes.position(idsAt + 8);
      case ElementWriter.LISTED -> bytes.position(checked(idsAt + 8L * count));
      case ElementWriter.MIXED -> {
        for (int i = 0; i < count; i++) {
          int depth = depth();
          bytes.position(checked(bytes.position() + 8L * depth + 8));
        }
      }
      default -> throw damaged("ids of kind " + kindOfIds, null);
    }
    byte lane = bytes.get();
    if (lane != ElementWriter.LONGS && lane != ElementWriter.OBJECTS) {
      throw damaged("elements of kind " + lane, null);
    }
    inLongs = lane == ElementWriter.LONGS;
    valuesAt = bytes.position();
    bodyIndex = 0;
    bodyAt = checked(valuesAt + (inLongs ? 8L : 4L) * count);
    mixedIndex = 0;
    mixedAt = idsAt;
  }

  private int checked(long at) throws IOException {
    if (at < 0 || at > bytes.limit()) {
      throw damaged("a block that ends too early", null);
    }
    return (int) at;
  }

  private int depth() throws IOException {
    int depth = bytes.getInt();
    if (depth < 0 || depth > bytes.remaining() / 8) {
      throw damaged("an id of depth " + depth, null);
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
    if (kindOfIds != ElementWriter.MIXED) {
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

  private long ordinalOf(int index) throws IOException {
    switch (kindOfIds) {
      case ElementWriter.RUN:
        return bytes.getLong(idsAt) + index;
      case ElementWriter.LISTED:
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
      throw new IOException(
          "%s: element %d cannot be read: %s"
              .formatted(blocks.file(), blocks.first(block) + index, e.getMessage()),
          e);
    }
  }

  private int length(int index) throws IOException {
    int length = bytes.getInt(valuesAt + 4 * index);
    if (length < 0) {
      throw damaged("an element of " + length + " bytes", null);
    }
    return length;
  }

  private IOException damaged(String found, @Nullable Exception cause) {
    return new IOException(
        "%s: expected an undamaged element file, but got %s near element %d"
            .formatted(blocks.file(), found, position),
        cause);
  }

  @Override
  public void close() throws IOException {
    blocks.close();
  }
}
