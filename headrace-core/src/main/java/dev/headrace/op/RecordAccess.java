package dev.headrace.op;

import dev.headrace.data.TfRecordIndex;
import dev.headrace.spi.Access;
import dev.headrace.spi.FileListing;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Records of TFRecord files by their index. */
final class RecordAccess implements Access {
  private final FileListing listing;
  private final RecordIndexes indexes;
  private final MappedFiles mapped;
  private final boolean quietEnd;

  /** By file, readers that are not in use now. */
  private final Map<Integer, Queue<MappedRecordFile>> idle = new ConcurrentHashMap<>();

  RecordAccess(FileListing listing, RecordIndexes indexes, boolean quietEnd) {
    this.listing = listing;
    this.indexes = indexes;
    this.mapped = new MappedFiles();
    this.quietEnd = quietEnd;
  }

  @Override
  public long size() {
    return indexes.size();
  }

  @Override
  public String fingerprint() {
    return listing.fingerprint();
  }

  @Override
  public Object at(long index) throws IOException {
    Objects.checkIndex(index, size());
    int file = indexes.fileOf(index);
    long number = indexes.numberIn(file, index);
    for (; ; ) {
      TfRecordIndex known = indexes.of(file);
      try {
        return read(file, known, number);
      } catch (RecordFile.WrongIndex e) {
        indexes.makeAgain(file, known, e);
      }
    }
  }

  private Object read(int file, TfRecordIndex index, long number) throws IOException {
    Path path = listing.files().get(file).local("an index");
    Queue<MappedRecordFile> readers =
        idle.computeIfAbsent(file, key -> new ConcurrentLinkedQueue<>());
    MappedRecordFile reader = readers.poll();
    if (reader == null) {
      MemorySegment memory = mapped.map(path);
      if (memory == null) {
        return readUnmapped(path, index, number);
      }
      reader = new MappedRecordFile(memory, 0, quietEnd);
    }
    try {
      for (int i = firstToCheck(index, number); i <= lastToCheck(index, number); i++) {
        reader.check(index, i);
      }
      return read(reader, index.before(number), number, path);
    } finally {
      readers.add(reader);
    }
  }

  private Object readUnmapped(Path path, TfRecordIndex index, long number) throws IOException {
    for (int i = firstToCheck(index, number); i <= lastToCheck(index, number); i++) {
      if (!index.isChecked(i)) {
        part(path, index.anchor(i)).check(index, i);
      }
    }
    TfRecordIndex.Anchor anchor = index.before(number);
    return read(part(path, anchor), anchor, number, path);
  }

  private static int firstToCheck(TfRecordIndex index, long number) {
    return RecordFile.firstToCheck(index, number);
  }

  private static int lastToCheck(TfRecordIndex index, long number) {
    return index.anchorCount() == 0 ? -1 : index.anchorOf(number);
  }

  private static Object read(
      MappedRecordFile reader, TfRecordIndex.Anchor anchor, long number, Path path)
      throws IOException {
    try {
      reader.seek(anchor.offset(), anchor.number());
      reader.walk(number - anchor.number(), anchor.next());
      @Nullable Object record = reader.next();
      if (record == null) {
        throw new EOFException("the file has become shorter");
      }
      return record;
    } catch (RecordFile.WrongIndex e) {
      throw e;
    } catch (IOException e) {
      throw new IOException("%s: %s".formatted(path, e.getMessage()), e);
    }
  }

  /** The part of a file that has the records from a known place to the next, read at once. */
  private MappedRecordFile part(Path path, TfRecordIndex.Anchor anchor) throws IOException {
    long length = anchor.next() - anchor.offset();
    if (length > Integer.MAX_VALUE - 8) {
      throw new IOException(
          "%s: expected a record of at most %d bytes, but the one at byte %d has more; leave mmap on"
              .formatted(path, Integer.MAX_VALUE - 8, anchor.offset()));
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) length);
    boolean wasInterrupted = false;
    try {
      while (!fill(bytes, path, anchor.offset())) {
        wasInterrupted |= Thread.interrupted(); // an interruption must not cost a record
      }
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
    MemorySegment read = MemorySegment.ofArray(bytes.array()).asSlice(0, bytes.position());
    return new MappedRecordFile(read, anchor.offset(), quietEnd);
  }

  /** Reads what is missing in a buffer; false if an interruption came between. */
  private static boolean fill(ByteBuffer bytes, Path path, long offset) throws IOException {
    try (FileChannel channel = FileChannel.open(path)) {
      while (bytes.hasRemaining() && channel.read(bytes, offset + bytes.position()) >= 0) {
        continue;
      }
      return true;
    } catch (ClosedByInterruptException e) {
      return false;
    }
  }

  @Override
  public void close() {
    idle.clear();
  }
}
