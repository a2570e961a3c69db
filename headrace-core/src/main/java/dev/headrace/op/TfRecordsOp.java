package dev.headrace.op;

import dev.headrace.data.Compression;
import dev.headrace.data.Log;
import dev.headrace.data.Plural;
import dev.headrace.data.TfRecordIndex;
import dev.headrace.data.TfRecords;
import dev.headrace.spi.Access;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.InputSplit;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.StoredFile;
import dev.headrace.spi.Traits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The records of TFRecord files, one file after the other, as scalar tensors of bytes.
 *
 * @param settings what is done about damage, and whether files have an index
 */
public record TfRecordsOp(InputFiles files, TfRecords settings, Site site) implements Op {

  public TfRecordsOp {
    Objects.requireNonNull(files, "tfRecords: expected files, but got null");
    Objects.requireNonNull(settings, "tfRecords: expected settings, but got null");
    if (settings.hasIndex() && files.compression() != Compression.NONE) {
      throw new IllegalArgumentException(
          "tfRecords: expected files that are not packed to find records by an index, but got %s; unpack them, or leave indexed() out"
              .formatted(files));
    }
  }

  /** How many records there are now, by the index; unknown without one. */
  @Override
  public long cardinality() {
    try {
      return settings.hasIndex() ? indexes(FileListing.of(word(), files)).size() : UNKNOWN;
    } catch (IOException e) {
      return UNKNOWN; // said when it is read
    }
  }

  @Override
  public Access access() {
    if (!settings.hasIndex()) {
      throw new UnsupportedOperationException(
          "tfRecords (%s): expected an index to give records by their index, but there is none; use TfRecords.defaults().indexed()"
              .formatted(site));
    }
    FileListing listing = FileListing.of(word(), files);
    try {
      return new RecordAccess(listing, indexes(listing), settings.quietEnd());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With an index, at records; without one, whole files. */
  @Override
  public List<InputSplit> splits(int wanted) throws IOException {
    FileListing listing = FileListing.of(word(), files);
    return settings.hasIndex()
        ? indexes(listing).splits(FileSplits.files(listing), wanted)
        : FileSplits.whole(listing);
  }

  @Override
  public Op ofSplit(InputSplit split) throws IOException {
    if (settings.hasIndex() && split.toByte() >= 0 && split.records() >= 0) {
      checkRange(split);
    }
    return new TfRecordsOp(FileSplits.of(split, files), settings, site);
  }

  /**
   * Refuses a split whose bytes are other records than it says: it was made by an index that did
   * not fit, or is found by one, and would lose records or give some twice.
   */
  private void checkRange(InputSplit split) throws IOException {
    FileListing one = FileListing.of(word(), FileSplits.of(split, files));
    TfRecordIndex index = indexes(one).of(0);
    Path path = one.files().getFirst().local("an index");
    long records =
        TfRecordIndex.recordsBetween(path, split.fromByte(), Math.min(split.toByte(), index.end()));
    boolean isLast =
        split.toByte() >= index.end(); // what is damaged behind the last one is a place
    boolean hasAll = isLast ? split.records() - records <= 1 : split.records() == records;
    TfRecordIndex.Anchor first = index.before(split.firstRecord());
    boolean isFound =
        split.firstRecord() >= index.records()
            || (first.number() == split.firstRecord() && first.offset() == split.fromByte());
    if (records < 0 || records > split.records() || !hasAll || !isFound) {
      throw new IOException(
          "split: expected %d %s from byte %d to %d of %s, the first of them record %d, but %s; remove the index of the file and make the splits again"
              .formatted(
                  split.records(),
                  Plural.word(split.records(), "record"),
                  split.fromByte(),
                  split.toByte(),
                  path,
                  split.firstRecord(),
                  records < 0
                      ? "these bytes are no whole records"
                      : !isFound
                          ? "the index has that at another byte"
                          : (records == 1 ? "there is " : "there are ") + records));
    }
  }

  private RecordIndexes indexes(FileListing listing) throws IOException {
    return new RecordIndexes(
        listing, settings, message -> Log.named("headrace.tfRecords").log(Level.WARNING, message));
  }

  @Override
  public Traits traits() {
    Traits traits =
        isPacked()
            ? Traits.PLAIN.asKeepingPlace().with(Checkpointing.REPLAY)
            : Traits.PLAIN.asKeepingPlace();
    return settings.hasIndex() && !isPacked() ? traits.asKnowingPlaces() : traits;
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
        context,
        this,
        context.shared(
            () -> new Shared(FileListing.of(word(), files, context), new MappedFiles())));
  }

  /** What all passes of a pipeline have in common. */
  private record Shared(FileListing listing, MappedFiles mapped) implements AutoCloseable {
    @Override
    public void close() {
      listing.close();
    }
  }

  private static final class RecordsCursor extends FileCursor<RecordFile> {
    private final TfRecordsOp op;
    private final MappedFiles mapped;

    /** Which record of its file is the next, where no file is open. */
    private long number;

    private @Nullable RecordFile opened;
    private @Nullable TfRecordIndex index;
    private @Nullable StoredFile current;

    /** Whether records were found not to be where the index has them, so that it tells nothing. */
    private boolean isIndexWrong;

    RecordsCursor(Context context, TfRecordsOp op, Shared shared) {
      super(context, shared.listing);
      this.op = op;
      this.mapped = shared.mapped;
    }

    @Override
    RecordFile open(StoredFile file) throws IOException {
      MemorySegment memory =
          op.isPacked() || file.local() == null ? null : mapped.map(file.local());
      boolean quietEnd = op.settings.quietEnd();
      current = file;
      isIndexWrong = false;
      index =
          op.settings.hasIndex()
              ? TfRecordIndex.of(file.local("an index"), op.settings.indexFolder(), context::warn)
              : null;
      return memory != null
          ? new MappedRecordFile(memory, 0, quietEnd)
          : new StreamedRecordFile(
              new FileBytes(file, op.files.compression(), context),
              op.files.compression(),
              quietEnd);
    }

    @Override
    void opened(RecordFile in, long resumeAt) throws IOException {
      in.seek(resumeAt, resumeAt == 0 ? 0 : number);
      opened = in;
    }

    @Override
    @Nullable Object next(RecordFile in) throws IOException {
      if (index == null) {
        return in.next();
      }
      try {
        return in.next();
      } catch (RecordFile.DamagedData e) {
        Failure failure = failure(new IOException("%s: %s".formatted(current, e.getMessage()), e));
        in.walk(1);
        return failure;
      }
    }

    /** Without an index what is damaged ends the file, so that it must be looked for. */
    @Override
    boolean pass(RecordFile in) throws IOException {
      if (index == null) {
        return in.pass();
      }
      if (in.length() < 0) {
        return false;
      }
      in.walk(1);
      return true;
    }

    @Override
    long jump(RecordFile in, long most) throws IOException {
      if (index == null || isIndexWrong) {
        return 0;
      }
      long from = in.number();
      long to = from + Math.min(most, index.records() - from);
      if (to <= from) {
        return 0;
      }
      TfRecordIndex.Anchor anchor = index.before(to);
      if (anchor.number() <= from) {
        in.walk(to - from);
        return to - from;
      }
      long start = in.offset();
      try {
        for (int i = RecordFile.firstToCheck(index, to); i <= index.anchorOf(to); i++) {
          in.check(index, i);
        }
        in.seek(anchor.offset(), anchor.number());
        in.walk(to - in.number(), anchor.next());
        return to - from;
      } catch (RecordFile.WrongIndex e) {
        context.warn("%s: its index is not used: %s".formatted(current, e.getMessage()));
        isIndexWrong = true;
        in.seek(start, from);
        return 0; // record by record, then
      }
    }

    @Override
    long line() {
      return opened == null ? number : opened.number();
    }

    @Override
    void atLine(long line) {
      number = line;
      opened = null;
    }
  }
}
