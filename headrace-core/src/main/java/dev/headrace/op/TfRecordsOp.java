package dev.headrace.op;

import dev.headrace.data.Compression;
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
    return new TfRecordsOp(FileSplits.of(split, files), settings, site);
  }

  private RecordIndexes indexes(FileListing listing) throws IOException {
    return new RecordIndexes(
        listing,
        settings,
        message -> System.getLogger("headrace.tfRecords").log(Level.WARNING, message));
  }

  @Override
  public Traits traits() {
    Traits traits = isPacked() ? Traits.PLAIN.with(Checkpointing.REPLAY) : Traits.PLAIN;
    return settings.hasIndex() && !isPacked() ? traits.asKnowingPlaces() : traits;
  }

  private boolean isPacked() {
    return files.compression() != Compression.NONE;
  }

  @Override
  public Cursor open(Context context) {
    return new RecordsCursor(
        context,
        this,
        context.shared(() -> new Shared(FileListing.of(word(), files), new MappedFiles())));
  }

  /** What all passes of a pipeline have in common. */
  private record Shared(FileListing listing, MappedFiles mapped) {}

  private static final class RecordsCursor extends FileCursor<RecordFile> {
    private final TfRecordsOp op;
    private final MappedFiles mapped;

    /** Which record of its file is the next, where no file is open. */
    private long number;

    private @Nullable RecordFile opened;
    private @Nullable TfRecordIndex index;
    private @Nullable StoredFile current;

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
      if (index == null) {
        return 0;
      }
      long from = in.number();
      long to = from + Math.min(most, index.records() - from);
      if (to <= from) {
        return 0;
      }
      TfRecordIndex.Anchor anchor = index.before(to);
      if (anchor.number() > from) {
        in.seek(anchor.offset(), anchor.number());
      }
      in.walk(to - in.number(), anchor.next());
      return to - from;
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
