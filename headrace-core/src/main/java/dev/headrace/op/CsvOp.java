package dev.headrace.op;

import dev.headrace.data.Compression;
import dev.headrace.data.Csv;
import dev.headrace.data.RecordBuilder;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.InputSplit;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.Traits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of files of separated values.
 *
 * @param format how rows are read, and which columns are
 * @param rowClass the record class of the rows, or null for maps of tensors
 */
public record CsvOp(
    InputFiles files, Csv format, @Nullable Class<? extends Record> rowClass, Site site)
    implements Op {

  public CsvOp {
    Objects.requireNonNull(files, "csv: expected files, but got null");
    Objects.requireNonNull(format, "csv: expected a format, but got null; try Csv.inferred()");
    if (rowClass != null) {
      CsvRows.check(RecordBuilder.of(rowClass), format.columns());
    }
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public Traits traits() {
    return files.compression() == Compression.NONE
        ? Traits.PLAIN.asKeepingPlace()
        : Traits.PLAIN.asKeepingPlace().with(Checkpointing.REPLAY);
  }

  @Override
  public List<InputSplit> splits(int wanted) throws IOException {
    return FileSplits.whole(FileListing.of(word(), files));
  }

  @Override
  public Op ofSplit(InputSplit split) throws IOException {
    return new CsvOp(FileSplits.of(split, files), format, rowClass, site);
  }

  @Override
  public String dataVersion() {
    return FileListing.of(word(), files).fingerprint();
  }

  @Override
  public Cursor open(Context context) {
    return new CsvCursor(context, this, context.shared(() -> schema(context)));
  }

  /** The files and their columns, as they were when the pipeline first asked. */
  private record Schema(FileListing listing, List<Csv.Column> columns) implements AutoCloseable {
    @Override
    public void close() {
      listing.close();
    }
  }

  private Schema schema(Context context) {
    FileListing listing = FileListing.of(word(), files, context);
    List<Csv.Column> declared = format.columns();
    boolean infers =
        rowClass == null
            ? declared.isEmpty()
            : CsvRows.needsInference(RecordBuilder.of(rowClass), declared);
    if (!infers || listing.problem() != null) {
      return new Schema(listing, declared);
    }
    try {
      List<Csv.Column> columns = new ArrayList<>(declared);
      columns.addAll(named(CsvInference.columns(files, listing, format, context)));
      return new Schema(listing, columns);
    } catch (IOException e) {
      listing.close();
      return new Schema(FileListing.none(e), declared);
    }
  }

  /** Columns of files without header are the components of a record, in order. */
  private List<Csv.Column> named(List<Csv.Column> inferred) {
    if (rowClass == null || format.header()) {
      return inferred;
    }
    RecordBuilder<?> records = RecordBuilder.of(rowClass);
    List<Csv.Column> named = new ArrayList<>();
    for (int i = 0; i < Math.min(inferred.size(), records.size()); i++) {
      Csv.Column column = inferred.get(i);
      named.add(new Csv.Column(records.name(i), column.dtype(), column.fallback(), -1));
    }
    return named;
  }

  private CsvRows rows(List<Csv.Column> columns) {
    return rowClass == null
        ? CsvRows.ofMaps(format, columns)
        : CsvRows.ofRecords(format, RecordBuilder.of(rowClass), columns);
  }

  private static final class CsvCursor extends FileBytesCursor {
    private final Csv format;
    private final CsvScanner scanner;
    private final @Nullable CsvRows rows;
    private String path = "";
    private long resumeLine = 1;

    CsvCursor(Context context, CsvOp op, Schema schema) {
      super(context, op.files, schema.listing);
      this.format = op.format;
      this.scanner = new CsvScanner(format);
      // Without files there may be no columns either.
      this.rows = schema.listing.problem() == null ? op.rows(schema.columns) : null;
    }

    @Override
    void opened(FileBytes in, long resumeAt) throws IOException {
      path = in.file().name();
      try {
        bind(in);
      } catch (FileBytes.TooLarge e) {
        throw e;
      } catch (IOException e) {
        throw new IOException("csv: %s: %s".formatted(path, e.getMessage()), e);
      }
      if (resumeAt > 0) {
        in.seek(resumeAt);
        scanner.begin(resumeLine);
      }
    }

    private void bind(FileBytes in) throws IOException {
      List<String> names = CsvInference.begin(in, scanner, format.header());
      if (names != null && format.columns().isEmpty()) {
        String advice = CsvRows.otherDelimiter(names);
        if (advice != null) {
          context.warn(
              "csv: %s has one column, '%s'; %s".formatted(path, names.getFirst(), advice));
        }
      }
      if (names != null || !format.header()) {
        Objects.requireNonNull(rows).bind(names);
      } // else the file is empty
    }

    @Override
    @Nullable Object next(FileBytes in) throws IOException {
      if (!scanner.next(in)) {
        return null;
      }
      try {
        return Objects.requireNonNull(rows).row(scanner);
      } catch (CsvRows.BadRow e) {
        return failure(new IllegalArgumentException("%s, %s".formatted(path, e.getMessage())));
      }
    }

    @Override
    boolean pass(FileBytes in) throws IOException {
      return scanner.next(in);
    }

    @Override
    long line() {
      return scanner.nextLine();
    }

    @Override
    void atLine(long line) {
      resumeLine = line;
      scanner.begin(line);
    }
  }
}
