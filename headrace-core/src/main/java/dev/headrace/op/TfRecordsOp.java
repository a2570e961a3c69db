package dev.headrace.op;

import dev.headrace.data.Compression;
import dev.headrace.data.TfRecords;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.Traits;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
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
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public Traits traits() {
    return isPacked() ? Traits.PLAIN.with(Checkpointing.REPLAY) : Traits.PLAIN;
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

    RecordsCursor(Context context, TfRecordsOp op, Shared shared) {
      super(context, shared.listing);
      this.op = op;
      this.mapped = shared.mapped;
    }

    @Override
    RecordFile open(Path path) throws IOException {
      MemorySegment memory = op.isPacked() ? null : mapped.map(path);
      boolean quietEnd = op.settings.quietEnd();
      return memory != null
          ? new MappedRecordFile(memory, quietEnd)
          : new StreamedRecordFile(
              new FileBytes(path, op.files.compression(), context),
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
      return in.next();
    }

    @Override
    boolean pass(RecordFile in) throws IOException {
      return in.pass();
    }

    @Override
    long line() {
      return opened == null ? number : opened.number();
    }

    @Override
    void atLine(long line) {
      number = line;
    }
  }
}
