package dev.headrace.op;

import dev.headrace.data.Csv;
import dev.headrace.data.DType;
import dev.headrace.data.Plural;
import dev.headrace.data.RecordBuilder;
import dev.headrace.data.Shape;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes elements of the fields of rows: maps of tensors, or records of the user.
 *
 * <p><b>Threading:</b> its cursor's; {@link #bind} is called for each file.
 */
final class CsvRows {
  /** Says what is wrong with a row; without the cost of a stack trace. */
  static final class BadRow extends Exception {
    private static final long serialVersionUID = 1;

    BadRow(String message) {
      super(message, null, false, false);
    }
  }

  /**
   * One value of an element.
   *
   * @param fallback the value of a field without one, as it is in the element
   * @param nullable whether a field without value and fallback is null
   * @param asTensor whether the value is a scalar tensor
   */
  private record Cell(
      Csv.Column column, @Nullable Object fallback, boolean nullable, boolean asTensor) {
    static Cell ofTensor(Csv.Column column) {
      Object value = column.fallback();
      return new Cell(column, value == null ? null : tensor(value), false, true);
    }
  }

  private static final char[] OTHER_DELIMITERS = {';', '\t', '|', ','};

  private final Csv format;
  private final List<Cell> cells;
  private final byte[][] missing;
  private final @Nullable RecordBuilder<?> records;
  private final @Nullable Structure<Map<String, Tensor>> maps;

  /** By cell, the field it is in. */
  private final int[] fields;

  /** How many fields a row has; where the last is open, at least. */
  private int width;

  private boolean mayHaveMore;
  private List<String> names = List.of();

  private CsvRows(
      Csv format,
      List<Cell> cells,
      @Nullable RecordBuilder<?> records,
      @Nullable Structure<Map<String, Tensor>> maps) {
    this.format = format;
    this.cells = cells;
    this.records = records;
    this.maps = maps;
    this.fields = new int[cells.size()];
    this.missing =
        format.missing().stream()
            .map(text -> text.getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new);
  }

  /** Rows as maps of tensors by the columns' names. */
  static CsvRows ofMaps(Csv format, List<Csv.Column> columns) {
    Map<String, Tensor> sample = LinkedHashMap.newLinkedHashMap(columns.size());
    columns.forEach(
        column -> sample.put(column.name(), Tensor.zeros(column.dtype(), Shape.scalar())));
    return new CsvRows(
        format, columns.stream().map(Cell::ofTensor).toList(), null, Structure.of(sample));
  }

  /**
   * Rows as records, whose components are found among the columns by their names.
   *
   * @param columns the declared ones, and those inferred for tensors
   */
  static CsvRows ofRecords(Csv format, RecordBuilder<?> records, List<Csv.Column> columns) {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < records.size(); i++) {
      Class<?> type = records.type(i);
      DType dtype = Objects.requireNonNullElse(dtype(type), DType.STRING);
      Csv.Column column =
          declared(type == Tensor.class ? columns : format.columns(), records.name(i))
              .orElse(new Csv.Column(records.name(i), dtype, null, -1));
      cells.add(
          type == Tensor.class
              ? Cell.ofTensor(column)
              : new Cell(
                  column,
                  column.fallback() == null && type == String.class ? "" : column.fallback(),
                  !type.isPrimitive(),
                  false));
    }
    return new CsvRows(format, cells, records, null);
  }

  /** Refuses a record that cannot be made of these columns, while the plan is built. */
  static void check(RecordBuilder<?> records, List<Csv.Column> columns) {
    for (int i = 0; i < records.size(); i++) {
      Class<?> type = records.type(i);
      String name = records.name(i);
      if (type != Tensor.class) {
        DType dtype = dtype(type);
        Optional<Csv.Column> column = declared(columns, name);
        if (dtype == null || column.isPresent() && column.get().dtype() != dtype) {
          throw new IllegalArgumentException(
              "csv: expected component %s of %s to be %s, but it is %s"
                  .formatted(
                      name,
                      records.type().getSimpleName(),
                      column.isPresent()
                          ? "a " + column.get().dtype().tfName() + ", as its column is declared"
                          : "a number, boolean, String or Tensor",
                      type.getSimpleName()));
        }
      }
    }
  }

  /** Whether a component is a tensor whose type is not declared, and so must be inferred. */
  static boolean needsInference(RecordBuilder<?> records, List<Csv.Column> columns) {
    for (int i = 0; i < records.size(); i++) {
      if (records.type(i) == Tensor.class && declared(columns, records.name(i)).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  private static Optional<Csv.Column> declared(List<Csv.Column> columns, String name) {
    return columns.stream().filter(column -> isSame(column.name(), name)).findFirst();
  }

  private static @Nullable DType dtype(Class<?> type) {
    return type == int.class || type == Integer.class
        ? DType.INT32
        : type == long.class || type == Long.class
            ? DType.INT64
            : type == float.class || type == Float.class
                ? DType.FLOAT32
                : type == double.class || type == Double.class
                    ? DType.FLOAT64
                    : type == boolean.class || type == Boolean.class
                        ? DType.BOOL
                        : type == String.class ? DType.STRING : null;
  }

  /** Whether a name in a header stands for a component: {@code petal_length} for petalLength. */
  private static boolean isSame(String header, String component) {
    return header.equals(component) || plain(header).equals(plain(component));
  }

  private static String plain(String name) {
    StringBuilder plain = new StringBuilder();
    name.toLowerCase(Locale.ROOT)
        .chars()
        .filter(Character::isLetterOrDigit)
        .forEach(plain::appendCodePoint);
    return plain.toString();
  }

  /**
   * Finds the columns in a file.
   *
   * @param header the names in its first row, or null if it has none
   */
  void bind(@Nullable List<String> header) throws IOException {
    int most = -1;
    boolean placed = false;
    for (int i = 0; i < fields.length; i++) {
      Csv.Column column = cells.get(i).column;
      placed |= column.index() >= 0;
      fields[i] = header != null ? find(column.name(), header) : Math.max(column.index(), 0);
      if (header == null && column.index() < 0) {
        fields[i] = i;
      }
      most = Math.max(most, fields[i]);
    }
    width = header != null ? header.size() : most + 1;
    mayHaveMore = header == null && placed;
    names = header == null ? List.of() : header;
  }

  private int find(String column, List<String> header) throws IOException {
    int found = header.indexOf(column);
    for (int i = 0; found < 0 && records != null && i < header.size(); i++) {
      found = isSame(header.get(i), column) ? i : -1;
    }
    if (found < 0) {
      throw new IOException(
          "expected a column '%s', but the header has %s; %s"
              .formatted(
                  column,
                  String.join(", ", header),
                  Objects.requireNonNullElse(
                      otherDelimiter(header), "say withoutHeader() if the first row is data")));
    }
    if (header.lastIndexOf(header.get(found)) != found) {
      throw new IOException(
          "expected one column '%s', but the header has several".formatted(column));
    }
    return found;
  }

  private static String hint(@Nullable String advice) {
    return advice == null ? "" : "; " + advice;
  }

  /** What to do where a row has one field that looks like several with another delimiter. */
  static @Nullable String otherDelimiter(List<String> row) {
    if (row.size() == 1) {
      for (char sign : OTHER_DELIMITERS) {
        if (row.getFirst().indexOf(sign) >= 0) {
          String text = sign == '\t' ? "\\t" : String.valueOf(sign);
          return "if '%s' separates its columns, say Csv.….delimiter('%s')".formatted(text, text);
        }
      }
    }
    return null;
  }

  /** The element of the row that was scanned. */
  Object row(CsvScanner row) throws BadRow {
    if (row.problem() != null) {
      throw new BadRow(place(row, row.problemField()) + ": " + row.problem());
    }
    if (mayHaveMore ? row.fields() < width : row.fields() != width) {
      throw new BadRow(
          "line %d: expected %s%d %s, but got %d%s"
              .formatted(
                  row.line(),
                  mayHaveMore ? "at least " : "",
                  width,
                  Plural.word(width, "field"),
                  row.fields(),
                  row.fields() > 1 ? "" : hint(otherDelimiter(List.of(row.text(0))))));
    }
    if (maps != null) {
      Tensor[] leaves = new Tensor[fields.length];
      for (int i = 0; i < leaves.length; i++) {
        leaves[i] = (Tensor) Objects.requireNonNull(value(i, row));
      }
      return maps.build(leaves);
    }
    @SuppressWarnings("NullAway") // components of a reference type may be null
    Object[] components = new Object[fields.length];
    for (int i = 0; i < components.length; i++) {
      components[i] = value(i, row);
    }
    try {
      return Objects.requireNonNull(records).build(components);
    } catch (RuntimeException e) {
      throw new BadRow("line %d: %s".formatted(row.line(), e.getMessage()));
    }
  }

  private @Nullable Object value(int index, CsvScanner row) throws BadRow {
    Cell cell = cells.get(index);
    int field = fields[index];
    DType dtype = cell.column.dtype();
    byte[] bytes = row.bytes();
    int from = row.start(field);
    int to = row.end(field);
    if (dtype != DType.STRING) {
      while (from < to && bytes[from] == ' ') {
        from++;
      }
      while (from < to && bytes[to - 1] == ' ') {
        to--;
      }
    }
    if (from == to || isMissing(bytes, from, to)) {
      if (cell.fallback == null && !cell.nullable) {
        throw new BadRow(
            "%s: expected a value of type %s, but the field is %s; give the column a default by or(…)"
                .formatted(
                    place(row, field), dtype.tfName(), from == to ? "empty" : row.text(field)));
      }
      return cell.fallback;
    }
    boolean asTensor = cell.asTensor;
    try {
      return switch (dtype) {
        case BOOL -> {
          boolean value = CsvNumbers.parseBoolean(bytes, from, to);
          yield asTensor ? Tensor.scalar(value) : (Object) value;
        }
        case INT32 -> {
          int value = CsvNumbers.parseInt(bytes, from, to);
          yield asTensor ? Tensor.scalar(value) : (Object) value;
        }
        case INT64 -> {
          long value = CsvNumbers.parseLong(bytes, from, to);
          yield asTensor ? Tensor.scalar(value) : (Object) value;
        }
        case FLOAT32 -> {
          float value = CsvNumbers.parseFloat(bytes, from, to);
          yield asTensor ? Tensor.scalar(value) : (Object) value;
        }
        case FLOAT64 -> {
          double value = CsvNumbers.parseDouble(bytes, from, to);
          yield asTensor ? Tensor.scalar(value) : (Object) value;
        }
        default -> {
          String problem = row.encodingProblem(field);
          if (problem != null) {
            throw new BadRow(place(row, field) + ": " + problem);
          }
          yield asTensor ? Tensor.wrapStrings(Shape.scalar(), row.content(field)) : row.text(field);
        }
      };
    } catch (CsvNumbers.NotANumber e) {
      throw new BadRow(
          "%s: expected %s, but got \"%s\""
              .formatted(place(row, field), dtype.tfName(), row.text(field)));
    }
  }

  private boolean isMissing(byte[] bytes, int from, int to) {
    for (byte[] text : missing) {
      if (Arrays.equals(text, 0, text.length, bytes, from, to)) {
        return true;
      }
    }
    return false;
  }

  private String place(CsvScanner row, int field) {
    return "line %d, column %s"
        .formatted(
            row.line(),
            field < names.size() ? "'" + names.get(field) + "'" : nameWithoutHeader(field));
  }

  private String nameWithoutHeader(int field) {
    for (int i = 0; i < fields.length && !format.header(); i++) {
      if (fields[i] == field) {
        return "'" + cells.get(i).column.name() + "'";
      }
    }
    return Integer.toString(field);
  }

  private static Tensor tensor(Object value) {
    return switch (value) {
      case Boolean flag -> Tensor.scalar(flag.booleanValue());
      case Integer number -> Tensor.scalar(number.intValue());
      case Long number -> Tensor.scalar(number.longValue());
      case Float number -> Tensor.scalar(number.floatValue());
      case Double number -> Tensor.scalar(number.doubleValue());
      default -> Tensor.scalar(value.toString());
    };
  }
}
