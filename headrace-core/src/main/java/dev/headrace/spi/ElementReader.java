package dev.headrace.spi;

import dev.headrace.data.BlockReader;
import dev.headrace.data.ElementCodec;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file that {@link ElementWriter} wrote, in order or from any element. What is read is
 * treated as hostile; an error names the file and the place.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
public final class ElementReader implements Closeable {
  private final BlockReader blocks;
  private final ElementCodec codec;

  /** The next element to be given. */
  private long position;

  /** The block that is held, or −1. */
  private int block = -1;

  private @Nullable BlockDecoder held;

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
    BlockDecoder from = load(position);
    int first = (int) (position - blocks.first(block));
    int size = Math.min(max, from.count() - first);
    try {
      from.read(out, first, size);
    } catch (IOException e) {
      throw named(e);
    }
    position += size;
  }

  /** One element, wherever it is. */
  public Object at(long element) throws IOException {
    BlockDecoder from = load(element);
    try {
      return from.at((int) (element - blocks.first(block)));
    } catch (IOException e) {
      throw named(e);
    }
  }

  /** Holds the block of an element. */
  private BlockDecoder load(long element) throws IOException {
    BlockDecoder known = held;
    if (known != null
        && element >= blocks.first(block)
        && element < blocks.first(block) + known.count()) {
      return known;
    }
    int wanted = blocks.blockOf(element);
    held = null; // in case it cannot be read
    ByteBuffer bytes = blocks.read(wanted);
    try {
      known = new BlockDecoder(bytes, (int) countOf(wanted), codec);
    } catch (IOException e) {
      throw named(e);
    }
    block = wanted;
    held = known;
    return known;
  }

  private long countOf(int wanted) {
    return (wanted + 1 < blocks.blocks() ? blocks.first(wanted + 1) : blocks.elements())
        - blocks.first(wanted);
  }

  private IOException named(IOException e) {
    if (e instanceof BlockDecoder.UnreadableElementException unreadable) {
      return new IOException(
          "%s: element %d cannot be read: %s"
              .formatted(blocks.file(), blocks.first(block) + unreadable.index, e.getMessage()),
          e.getCause());
    }
    return damaged(String.valueOf(e.getMessage()), e);
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
