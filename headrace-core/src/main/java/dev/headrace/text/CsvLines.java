package dev.headrace.text;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.data.Csv;
import dev.headrace.data.DType;
import dev.headrace.data.Plural;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Fn;
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.spi.PureFn;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Parses lines of separated values that come as elements: TensorFlow's {@code decode_csv}. */
public final class CsvLines {
  private CsvLines() {}

  /**
   * A function that takes lines apart: of a single byte string, or of a tensor of them, whose shape
   * each column then has. {@code format} declares the columns, and must be without header. A field
   * that is empty or one of {@link Csv#missing} takes its column's default; where there is none, or
   * a line has fewer fields than columns, the call fails. Strings are the bytes of their fields.
   */
  public static Fn<Tensor, Map<String, Tensor>> decoder(Csv format) {
    return new Decoder(format);
  }

  /** As {@link #decoder(Csv)}, of lines that are Strings. */
  public static Fn<String, Map<String, Tensor>> textDecoder(Csv format) {
    return new TextDecoder(new Decoder(format));
  }

  private record TextDecoder(Decoder decoder)
      implements PureFn<String, Map<String, Tensor>>, FunctionIdentity.Named {
    @Override
    public String functionName() {
      return decoder.functionName();
    }

    @Override
    public Object identity() {
      return decoder;
    }

    @Override
    public Map<String, Tensor> apply(String line) {
      return decoder.apply(Tensor.scalar(line));
    }
  }

  private static final class Decoder
      implements PureFn<Tensor, Map<String, Tensor>>, FunctionIdentity.Named {
    private static final long serialVersionUID = 1;

    private final transient Csv format;
    private final int fields;
    private final boolean mayHaveMore;

    Decoder(Csv format) {
      this.format = format;
      if (format.header() || format.columns().isEmpty()) {
        throw new IllegalArgumentException(
            "decodeCsv: expected columns without header, but got "
                + format
                + "; say Csv.columns(…).withoutHeader()");
      }
      int most = 0;
      boolean placed = false;
      for (int i = 0; i < format.columns().size(); i++) {
        int index = format.columns().get(i).index();
        placed |= index >= 0;
        most = Math.max(most, index >= 0 ? index : i);
      }
      this.fields = most + 1;
      this.mayHaveMore = placed;
    }

    @Override
    public String functionName() {
      return "decodeCsv" + format;
    }

    @Override
    public Object identity() {
      return format;
    }

    @Override
    public Map<String, Tensor> apply(Tensor lines) {
      if (lines.dtype() != DType.STRING) {
        throw new IllegalArgumentException(
            "decodeCsv: expected byte strings, but got " + lines.describe());
      }
      int rows = Math.toIntExact(lines.elements());
      List<Csv.Column> columns = format.columns();
      List<Cells> cells = new ArrayList<>();
      columns.forEach(column -> cells.add(new Cells(column, rows)));
      for (int row = 0; row < rows; row++) {
        // A character for each byte, so that bytes which are no text are kept.
        byte[] line = lines.segmentAt(row).toArray(ValueLayout.JAVA_BYTE);
        List<String> values = split(new String(line, ISO_8859_1), row);
        if (mayHaveMore ? values.size() < fields : values.size() != fields) {
          throw new IllegalArgumentException(
              "decodeCsv: expected %s%d %s, but got %d in line %d"
                  .formatted(
                      mayHaveMore ? "at least " : "",
                      fields,
                      Plural.word(fields, "field"),
                      values.size(),
                      row));
        }
        for (int i = 0; i < columns.size(); i++) {
          int index = columns.get(i).index();
          cells.get(i).add(values.get(index >= 0 ? index : i), row, format.missing());
        }
      }
      Map<String, Tensor> result = LinkedHashMap.newLinkedHashMap(columns.size());
      for (int i = 0; i < cells.size(); i++) {
        result.put(columns.get(i).name(), cells.get(i).tensor(lines.shape()));
      }
      return Collections.unmodifiableMap(result);
    }

    private List<String> split(String line, int row) {
      List<String> values = new ArrayList<>();
      int at = 0;
      while (true) {
        StringBuilder value = new StringBuilder();
        if (format.quotes() && at < line.length() && line.charAt(at) == '"') {
          at = quoted(line, at + 1, value, row);
        } else {
          for (; at < line.length() && line.charAt(at) != format.delimiter(); at++) {
            char c = line.charAt(at);
            if (format.quotes() && (c == '"' || c == '\n' || c == '\r')) {
              throw bad("fields with quotes or line ends to be quoted", line, at, row);
            }
            value.append(c);
          }
        }
        values.add(value.toString());
        if (at >= line.length()) {
          return line.isEmpty() ? List.of() : values;
        }
        at++; // the delimiter
      }
    }

    private int quoted(String line, int from, StringBuilder value, int row) {
      int at = from;
      while (true) {
        if (at >= line.length()) {
          throw bad("a quote at the end of the field", line, at, row);
        }
        char c = line.charAt(at++);
        if (c != '"') {
          value.append(c);
        } else if (at < line.length() && line.charAt(at) == '"') {
          value.append('"');
          at++;
        } else if (at < line.length() && line.charAt(at) != format.delimiter()) {
          throw bad("a delimiter behind a quoted field", line, at, row);
        } else {
          return at;
        }
      }
    }

    private static IllegalArgumentException bad(String expected, String line, int at, int row) {
      return new IllegalArgumentException(
          "decodeCsv: expected %s, but got %s at byte %d of line %d"
              .formatted(
                  expected, at < line.length() ? "'" + line.charAt(at) + "'" : "the end", at, row));
    }
  }

  /** The values of one column. */
  private static final class Cells {
    private final Csv.Column column;
    private final @Nullable Object[] values;

    Cells(Csv.Column column, int rows) {
      this.column = column;
      this.values = new Object[rows];
    }

    /**
     * @param bytes the field, a character for each of its bytes
     */
    void add(String bytes, int row, List<String> missing) {
      String text = new String(bytes.getBytes(ISO_8859_1), UTF_8);
      if (text.isEmpty() || missing.contains(text)) {
        if (column.fallback() == null) {
          throw new IllegalArgumentException(
              "decodeCsv: expected a value of column '%s', but it is missing in line %d; give the column a default by or(…)"
                  .formatted(column.name(), row));
        }
        values[row] =
            column.fallback() instanceof String given ? given.getBytes(UTF_8) : column.fallback();
        return;
      }
      try {
        values[row] =
            column.dtype() == DType.STRING
                ? bytes.getBytes(ISO_8859_1)
                : Numerals.parse(column.dtype(), text);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "decodeCsv: expected %s in column '%s', but got \"%s\" in line %d"
                .formatted(column.dtype().tfName(), column.name(), text, row));
      }
    }

    Tensor tensor(Shape shape) {
      return switch (column.dtype()) {
        case STRING -> {
          byte[][] strings = new byte[values.length][];
          Arrays.setAll(strings, i -> value(i, byte[].class));
          yield Tensor.wrapStrings(shape, strings);
        }
        case INT32 -> {
          int[] ints = new int[values.length];
          Arrays.setAll(ints, i -> value(i, Integer.class));
          yield Tensor.wrap(shape, ints);
        }
        case INT64 -> {
          long[] longs = new long[values.length];
          Arrays.setAll(longs, i -> value(i, Long.class));
          yield Tensor.wrap(shape, longs);
        }
        case FLOAT32 -> {
          float[] floats = new float[values.length];
          for (int i = 0; i < floats.length; i++) {
            floats[i] = value(i, Float.class);
          }
          yield Tensor.wrap(shape, floats);
        }
        case FLOAT64 -> {
          double[] doubles = new double[values.length];
          Arrays.setAll(doubles, i -> value(i, Double.class));
          yield Tensor.wrap(shape, doubles);
        }
        default -> {
          boolean[] flags = new boolean[values.length];
          for (int i = 0; i < flags.length; i++) {
            flags[i] = value(i, Boolean.class);
          }
          yield Tensor.of(shape, flags);
        }
      };
    }

    private <V> V value(int row, Class<V> type) {
      return type.cast(Objects.requireNonNull(values[row]));
    }
  }
}
