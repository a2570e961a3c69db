package dev.headrace.op;

import dev.headrace.data.Compression;
import dev.headrace.data.Plural;
import dev.headrace.spi.Access;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.InputSplit;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.Store;
import dev.headrace.spi.StoredFile;
import dev.headrace.spi.Traits;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Records of {@code recordBytes} bytes each, one file after the other, as {@code byte[]}.
 *
 * @param headerBytes how many bytes of each file come before its first record
 * @param footerBytes how many bytes of each file come after its last record
 */
public record FixedLengthRecordsOp(
    InputFiles files, int recordBytes, int headerBytes, int footerBytes, Site site) implements Op {

  public FixedLengthRecordsOp {
    Objects.requireNonNull(files, "fixedLengthRecords: expected files, but got null");
    if (recordBytes < 1) {
      throw new IllegalArgumentException(
          "fixedLengthRecords: expected records of at least 1 byte, but got " + recordBytes);
    }
    if (headerBytes < 0 || footerBytes < 0) {
      throw new IllegalArgumentException(
          "fixedLengthRecords: expected a header and a footer of 0 bytes or more, but got %d and %d"
              .formatted(headerBytes, footerBytes));
    }
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public Traits traits() {
    return isPacked()
        ? Traits.PLAIN.asKeepingPlace().with(Checkpointing.REPLAY)
        : Traits.PLAIN.asKeepingPlace();
  }

  private boolean isPacked() {
    return files.compression() != Compression.NONE;
  }

  @Override
  public String dataVersion() {
    return FileListing.of(word(), files).fingerprint();
  }

  @Override
  public Cursor open(Context context) {
    return new RecordsCursor(
        context, this, context.shared(() -> FileListing.of(word(), files, context)));
  }

  @Override
  public List<InputSplit> splits(int wanted) throws IOException {
    FileListing listing = FileListing.of(word(), files);
    if (isPacked()) {
      return FileSplits.whole(listing);
    }
    List<StoredFile> all = FileSplits.files(listing);
    int[] parts = FileSplits.parts(all, wanted);
    List<InputSplit> splits = new ArrayList<>();
    for (int i = 0; i < parts.length; i++) {
      StoredFile file = all.get(i);
      Store.Facts facts = file.facts();
      long records = records(file, facts.size());
      for (int part = 0; part < parts[i]; part++) {
        long from = records * part / parts[i];
        long count = records * (part + 1) / parts[i] - from;
        long at = headerBytes + from * recordBytes;
        long bytes = count * recordBytes;
        splits.add(
            new InputSplit(FileSplits.uri(file), at, at + bytes, from, count, bytes).of(facts));
      }
    }
    return splits;
  }

  @Override
  public Op ofSplit(InputSplit split) throws IOException {
    return new FixedLengthRecordsOp(
        FileSplits.of(split, files), recordBytes, headerBytes, footerBytes, site);
  }

  /** How many records a file of this size has; throws if it has a part of one. */
  private long records(StoredFile file, long size) throws IOException {
    long body = size - headerBytes - footerBytes;
    if (body < 0 || body % recordBytes != 0) {
      throw new IOException(
          "fixedLengthRecords: expected %s to have a header of %d %s, whole records of %d and a footer of %d, but it has %d %s, which leaves %s"
              .formatted(
                  file,
                  headerBytes,
                  Plural.word(headerBytes, "byte"),
                  recordBytes,
                  footerBytes,
                  size,
                  Plural.word(size, "byte"),
                  body < 0 ? "none for records" : body % recordBytes + " over"));
    }
    return body / recordBytes;
  }

  @Override
  public Access access() {
    if (isPacked()) {
      throw new UnsupportedOperationException(
          "fixedLengthRecords (%s): expected files that are not packed to give records by their index, but got %s; unpack them"
              .formatted(site, files));
    }
    FileListing listing = FileListing.of(word(), files);
    try {
      if (listing.problem() != null) {
        throw new IOException(listing.problem().getMessage(), listing.problem());
      }
      long[] ends = new long[listing.files().size()];
      long count = 0;
      for (int i = 0; i < ends.length; i++) {
        StoredFile file = listing.files().get(i);
        count += records(file, file.facts().size());
        ends[i] = count;
      }
      return new RecordAccess(this, listing.files(), ends);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Records by their index. The first files that are asked for stay open; those beyond are opened
   * for each record.
   */
  private static final class RecordAccess implements Access {
    private static final int MOST_OPEN = 256;

    private final FixedLengthRecordsOp op;
    private final List<StoredFile> files;

    /** By file, the index after its last record. */
    private final long[] ends;

    private final Map<StoredFile, Store.Source> open = new ConcurrentHashMap<>();

    RecordAccess(FixedLengthRecordsOp op, List<StoredFile> files, long[] ends) {
      this.op = op;
      this.files = files;
      this.ends = ends;
    }

    @Override
    public long size() {
      return ends.length == 0 ? 0 : ends[ends.length - 1];
    }

    @Override
    public Object at(long index) throws IOException {
      Objects.checkIndex(index, size());
      int found = Arrays.binarySearch(ends, index + 1);
      int file = found < 0 ? -found - 1 : firstWithEnd(found);
      long inFile = index - (file == 0 ? 0 : ends[file - 1]);
      long offset = op.headerBytes + inFile * op.recordBytes;
      return read(files.get(file), offset);
    }

    private byte[] read(StoredFile file, long offset) throws IOException {
      boolean wasInterrupted = false;
      try {
        for (; ; ) {
          Store.Source kept = kept(file);
          try {
            if (kept != null) {
              return read(kept, file, offset);
            }
            try (Store.Source once = file.open()) {
              return read(once, file, offset);
            }
          } catch (ClosedChannelException e) {
            // Interrupting one reader closes the channel for all of them, and costs no record.
            boolean isInterrupted = Thread.interrupted();
            wasInterrupted |= isInterrupted;
            if (kept != null) {
              open.remove(file, kept);
            } else if (!isInterrupted) {
              throw e;
            }
          }
        }
      } finally {
        if (wasInterrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    /** The file as it is kept open, or null where too many are open. */
    private Store.@Nullable Source kept(StoredFile file) throws IOException {
      Store.Source known = open.get(file);
      if (known != null || open.size() >= MOST_OPEN) {
        return known;
      }
      Store.Source opened = file.open();
      Store.Source other = open.putIfAbsent(file, opened);
      if (other == null) {
        return opened;
      }
      opened.close();
      return other;
    }

    /** Files without records have the same end as the one before. */
    private int firstWithEnd(int found) {
      int file = found;
      while (file > 0 && ends[file - 1] == ends[found]) {
        file--;
      }
      return file;
    }

    private byte[] read(Store.Source source, StoredFile file, long offset) throws IOException {
      ByteBuffer record = ByteBuffer.allocate(op.recordBytes);
      while (record.hasRemaining()) {
        if (source.read(offset + record.position(), record) < 0) {
          throw new EOFException(
              "%s: expected a record of %d %s at %d, but the file has become shorter"
                  .formatted(file, op.recordBytes, Plural.word(op.recordBytes, "byte"), offset));
        }
      }
      return record.array();
    }

    @Override
    public void close() {
      open.values()
          .forEach(
              source -> {
                try {
                  source.close();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      open.clear();
    }
  }

  private static final class RecordsCursor extends FileBytesCursor {
    private final FixedLengthRecordsOp op;

    /** Where the footer begins, if the size of the file is known. */
    private long bodyEnd;

    RecordsCursor(Context context, FixedLengthRecordsOp op, FileListing listing) {
      super(context, op.files, listing);
      this.op = op;
    }

    @Override
    void opened(FileBytes in, long resumeAt) throws IOException {
      if (!op.isPacked()) {
        long count = op.records(in.file(), in.packedSize());
        bodyEnd = op.headerBytes + count * op.recordBytes;
      }
      in.seek(Math.max(resumeAt, op.headerBytes));
    }

    @Override
    @Nullable Object next(FileBytes in) throws IOException {
      if (!hasRecord(in)) {
        return null;
      }
      byte[] record = Arrays.copyOfRange(in.buffer, in.start, in.start + op.recordBytes);
      in.start += op.recordBytes;
      return record;
    }

    private boolean hasRecord(FileBytes in) throws IOException {
      if (!op.isPacked()) {
        if (in.offset() >= bodyEnd) {
          return false;
        }
        if (!in.has(op.recordBytes)) {
          throw new EOFException("the file has become shorter");
        }
        return true;
      }
      if (in.has((long) op.recordBytes + op.footerBytes)) {
        return true;
      }
      op.records(in.file(), in.offset() + in.available()); // throws if a part of one is left
      return false;
    }

    @Override
    long jump(FileBytes in, long most) throws IOException {
      if (op.isPacked()) {
        return 0;
      }
      long count = Math.min(most, (bodyEnd - in.offset()) / op.recordBytes);
      if (count > 0) {
        in.seek(in.offset() + count * op.recordBytes);
      }
      return Math.max(count, 0);
    }
  }
}
