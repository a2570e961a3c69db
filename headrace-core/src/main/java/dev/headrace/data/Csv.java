package dev.headrace.data;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * How rows are read from files of separated values, quoted as RFC 4180 says.
 *
 * <pre>{@code
 * Csv.columns(Csv.float32("width"), Csv.float32("height").or(1.0), Csv.string("species"))
 *     .delimiter(';').missing("NA")
 * }</pre>
 *
 * <p>Files have a header unless {@link #withoutHeader} is said. With one, columns are found by
 * their names, in any order; columns that are not declared are left out.
 *
 * @param columns the columns to read; none to infer all of them
 * @param inferFrom how many rows are looked at to infer columns
 * @param header whether the first row of each file names the columns
 * @param delimiter what separates fields
 * @param quotes whether fields may be quoted
 * @param missing what a field without value may look like, besides being empty
 */
public record Csv(
    List<Column> columns,
    int inferFrom,
    boolean header,
    char delimiter,
    boolean quotes,
    List<String> missing) {
  private static final int ROWS_TO_INFER_FROM = 100;

  public Csv {
    columns = List.copyOf(columns);
    missing = List.copyOf(missing);
    Set<String> names = new HashSet<>();
    for (Column column : columns) {
      if (!names.add(column.name)) {
        throw new IllegalArgumentException(
            "csv: expected each column once, but got '" + column.name + "' twice");
      }
      if (header && column.index >= 0) {
        throw new IllegalArgumentException(
            "csv: expected column '%s' to be found by its name, but it is declared at(%d); say withoutHeader() for files without names"
                .formatted(column.name, column.index));
      }
    }
    if (inferFrom < 1) {
      throw new IllegalArgumentException(
          "csv: expected at least 1 row to infer columns from, but got " + inferFrom);
    }
    if (delimiter > 127 || delimiter == '"' || delimiter == '\n' || delimiter == '\r') {
      throw new IllegalArgumentException(
          "csv: expected an ASCII delimiter other than a quote or a line end, but got '%s'"
              .formatted(delimiter));
    }
  }

  /** A file with a header, separated by commas, with these columns. */
  public static Csv columns(Column first, Column... more) {
    List<Column> columns = new ArrayList<>();
    columns.add(first);
    columns.addAll(List.of(more));
    return inferred().with(columns);
  }

  /**
   * A file with a header, separated by commas. All columns are read; their types are found by
   * looking at the first 100 rows: int64, double, or string where neither fits.
   */
  public static Csv inferred() {
    return new Csv(List.of(), ROWS_TO_INFER_FROM, true, ',', true, List.of());
  }

  /** Looks at more or fewer rows to infer columns. */
  public Csv inferFrom(int rows) {
    return new Csv(columns, rows, header, delimiter, quotes, missing);
  }

  /** The same with other columns; none to infer them. */
  public Csv with(List<Column> newColumns) {
    return new Csv(newColumns, inferFrom, header, delimiter, quotes, missing);
  }

  /** Files begin with data: columns are in the order declared, or {@link Column#at} a place. */
  public Csv withoutHeader() {
    return new Csv(columns, inferFrom, false, delimiter, quotes, missing);
  }

  /** What separates fields, if it is not a comma. */
  public Csv delimiter(char newDelimiter) {
    return new Csv(columns, inferFrom, header, newDelimiter, quotes, missing);
  }

  /** Quotes have no meaning and are part of the fields. */
  public Csv withoutQuotes() {
    return new Csv(columns, inferFrom, header, delimiter, false, missing);
  }

  /** What fields without value look like, besides empty ones: {@code "NA"}, {@code "?"}. */
  public Csv missing(String... texts) {
    return new Csv(columns, inferFrom, header, delimiter, quotes, List.of(texts));
  }

  /** A required column of booleans: true or false, 1 or 0. */
  public static Column bool(String name) {
    return new Column(name, DType.BOOL, null, -1);
  }

  /** A required column of int32. */
  public static Column int32(String name) {
    return new Column(name, DType.INT32, null, -1);
  }

  /** A required column of int64. */
  public static Column int64(String name) {
    return new Column(name, DType.INT64, null, -1);
  }

  /** A required column of float32. */
  public static Column float32(String name) {
    return new Column(name, DType.FLOAT32, null, -1);
  }

  /** A required column of float64. */
  public static Column float64(String name) {
    return new Column(name, DType.FLOAT64, null, -1);
  }

  /** A required column of text. */
  public static Column string(String name) {
    return new Column(name, DType.STRING, null, -1);
  }

  /** What shapes the rows, as {@code a:int32, b:float=1.5}. */
  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ", "[", "]");
    columns.forEach(column -> text.add(column.toString()));
    if (columns.isEmpty()) {
      text.add("inferred from " + inferFrom + " rows");
    }
    if (!header) {
      text.add("no header");
    }
    if (delimiter != ',') {
      text.add("delimiter " + (delimiter == '\t' ? "tab" : delimiter));
    }
    if (!quotes) {
      text.add("no quotes");
    }
    if (!missing.isEmpty()) {
      text.add("missing " + missing);
    }
    return text.toString();
  }

  /**
   * One column.
   *
   * @param fallback the value where a field is empty or missing, as Boolean, Integer, Long, Float,
   *     Double or String; null if there must be one
   * @param index which field it is, or −1 to find it by its name or order
   */
  public record Column(String name, DType dtype, @Nullable Object fallback, int index) {
    public Column {
      Objects.requireNonNull(name, "csv: expected the name of a column, but got null");
      switch (dtype) {
        case BOOL, INT32, INT64, FLOAT32, FLOAT64, STRING -> {}
        default ->
            throw new IllegalArgumentException(
                "csv: expected column '%s' to be bool, int32, int64, float, double or string, but got %s; convert() it afterwards"
                    .formatted(name, dtype.tfName()));
      }
      fallback = fallback == null ? null : fitting(name, dtype, fallback);
    }

    private static Object fitting(String name, DType dtype, Object value) {
      Object fitting =
          switch (dtype) {
            case BOOL -> value instanceof Boolean ? value : null;
            case INT32 ->
                isWhole(value) && isInt((Number) value) ? ((Number) value).intValue() : null;
            case INT64 -> isWhole(value) ? ((Number) value).longValue() : null;
            case FLOAT32 -> value instanceof Number number ? number.floatValue() : null;
            case FLOAT64 -> value instanceof Number number ? number.doubleValue() : null;
            default -> value instanceof String ? value : null;
          };
      if (fitting == null) {
        throw new IllegalArgumentException(
            "csv: expected a default of type %s for column '%s', but got %s"
                .formatted(dtype.tfName(), name, value));
      }
      return fitting;
    }

    private static boolean isWhole(Object value) {
      return value instanceof Integer || value instanceof Long;
    }

    private static boolean isInt(Number value) {
      return value.longValue() == value.intValue();
    }

    /** The same column with a value for fields that have none. */
    public Column or(Object value) {
      return new Column(name, dtype, Objects.requireNonNull(value), index);
    }

    /** The same column as field number {@code place}, from 0, of files without header. */
    public Column at(int place) {
      if (place < 0) {
        throw new IllegalArgumentException(
            "csv: expected column '%s' at 0 or later, but got %d".formatted(name, place));
      }
      return new Column(name, dtype, fallback, place);
    }

    @Override
    public String toString() {
      return name
          + ":"
          + dtype.tfName()
          + (fallback == null ? "" : "=" + fallback)
          + (index < 0 ? "" : "@" + index);
    }
  }
}
