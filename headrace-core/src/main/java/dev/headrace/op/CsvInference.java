package dev.headrace.op;

import dev.headrace.data.Csv;
import dev.headrace.spi.Context;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.StoredFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the columns of a file and their types by looking at its first rows.
 *
 * <p>Whole numbers are int64, other numbers double, everything else is a string: the types that
 * lose nothing. A number column where a value is missing among the rows looked at is double, with
 * NaN for it; text has the empty string. A later row that does not fit is a failure.
 */
final class CsvInference {
  private boolean whole = true;
  private boolean number = true;
  private boolean hasValue;
  private boolean hasMissing;

  private CsvInference() {}

  static List<Csv.Column> columns(
      InputFiles inputs, FileListing listing, Csv format, Context context) throws IOException {
    List<String> names = null;
    List<CsvInference> found = new ArrayList<>();
    int left = format.inferFrom();
    for (StoredFile file : listing.files()) {
      try (FileBytes in = new FileBytes(file, inputs.compression(), context)) {
        CsvScanner row = new CsvScanner(format);
        List<String> header;
        try {
          header = begin(in, row, format.header());
        } catch (FileBytes.TooLarge e) {
          throw e;
        } catch (IOException e) {
          throw new IOException("csv: %s: %s".formatted(file, e.getMessage()), e);
        }
        names = names == null ? header : names;
        while (left > 0 && row.next(in)) {
          if (row.problem() == null && (names == null || row.fields() == names.size())) {
            look(row, format, found);
            left--;
          }
        }
      }
      if (left == 0) {
        break;
      }
    }
    List<Csv.Column> columns = new ArrayList<>();
    int count = names == null ? found.size() : names.size();
    for (int i = 0; i < count; i++) {
      String name = names == null ? Integer.toString(i) : names.get(i);
      columns.add(i < found.size() ? found.get(i).column(name) : Csv.string(name).or(""));
    }
    if (columns.isEmpty()) {
      throw new IOException(
          "csv: expected rows to infer columns from, but %s has none; declare them by Csv.columns(…)"
              .formatted(inputs));
    }
    return columns;
  }

  /**
   * Goes to the first row of data.
   *
   * @return the names in the header, or null if there is none
   */
  static @Nullable List<String> begin(FileBytes in, CsvScanner row, boolean header)
      throws IOException {
    row.begin(1);
    in.refuseArchive();
    if (in.has(3)
        && in.buffer[0] == (byte) 0xEF
        && in.buffer[1] == (byte) 0xBB
        && in.buffer[2] == (byte) 0xBF) {
      in.start = 3; // a byte order mark, which spreadsheets write
    }
    if (!header || !row.next(in)) {
      return null;
    }
    if (row.problem() != null) {
      throw new IOException("line " + row.line() + ": " + row.problem());
    }
    List<String> names = new ArrayList<>();
    for (int i = 0; i < row.fields(); i++) {
      String problem = row.encodingProblem(i);
      if (problem != null) {
        throw new IOException("line " + row.line() + ": " + problem);
      }
      names.add(row.text(i).strip());
    }
    return names;
  }

  private static void look(CsvScanner row, Csv format, List<CsvInference> found) {
    for (int i = 0; i < row.fields(); i++) {
      if (i == found.size()) {
        found.add(new CsvInference());
      }
      found.get(i).look(row.text(i).strip(), format);
    }
  }

  private void look(String text, Csv format) {
    if (text.isEmpty() || format.missing().contains(text)) {
      hasMissing = true;
      return;
    }
    hasValue = true;
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (whole) {
      try {
        long _ = CsvNumbers.parseLong(bytes, 0, bytes.length);
        return;
      } catch (CsvNumbers.NotANumber e) {
        whole = false;
      }
    }
    if (number) {
      try {
        double _ = CsvNumbers.parseDouble(bytes, 0, bytes.length);
      } catch (CsvNumbers.NotANumber e) {
        number = false;
      }
    }
  }

  private Csv.Column column(String name) {
    if (!hasValue || !number) {
      return Csv.string(name).or("");
    }
    return whole && !hasMissing ? Csv.int64(name) : Csv.float64(name).or(Double.NaN);
  }
}
