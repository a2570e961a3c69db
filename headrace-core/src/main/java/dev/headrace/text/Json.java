package dev.headrace.text;

import dev.headrace.data.Csv;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Condition;
import dev.headrace.spi.FileLine;
import dev.headrace.spi.Fn;
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.spi.PureFn;
import dev.headrace.spi.PureFunction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Parses JSON objects that come as texts, such as the lines of a JSON Lines file.
 *
 * <p>Whole numbers are exact or an error: one beyond 64 bits is not rounded. Those of a floating
 * type are rounded to the nearest that the type has, and are an error where it has none so large.
 * An error names the column, or the member that does not fit.
 */
public final class Json {
  private Json() {}

  /**
   * A function that makes a record of an object, whose members are found by the names of its
   * components; {@code petal_length} stands for {@code petalLength}. Components are numbers,
   * booleans, Strings, records, arrays of these, or Tensors, for which see {@link #parser()}. A
   * member that is missing or null leaves an object null, and is an error for a primitive type or a
   * Tensor. Other members are left out.
   */
  public static <R extends Record> Fn<String, R> parser(Class<R> type) {
    JsonValues.check(type, 0);
    return new OfRecord<>(type);
  }

  /**
   * A function that makes tensors of all members of an object: of numbers int64 if all are whole,
   * otherwise double; of texts and booleans; and of arrays of these, nested ones rectangular. Where
   * the numbers of a member are whole in some objects and not in others, declare it instead: see
   * {@link #parser(Csv.Column, Csv.Column...)}.
   */
  public static Fn<String, Map<String, Tensor>> parser() {
    return new OfTensors(List.of());
  }

  /**
   * A function that makes tensors of the declared members of an object: {@code
   * Json.parser(Csv.int64("label"), Csv.float32("score").or(0))}.
   */
  public static Fn<String, Map<String, Tensor>> parser(Csv.Column first, Csv.Column... more) {
    List<Csv.Column> columns = new ArrayList<>(List.of(more));
    columns.addFirst(first);
    return new OfTensors(columns);
  }

  /** A condition that holds for lines with something on them. */
  public static Condition<String> notBlank() {
    return new NotBlank();
  }

  /** As {@link #notBlank}, for lines that know their place. */
  public static Condition<FileLine> notBlankLines() {
    return new NotBlankLine();
  }

  /** The parser for lines that know their place, which its errors name. */
  public static <R> Fn<FileLine, R> ofLines(Fn<String, R> parser) {
    return new OfLine<>(parser);
  }

  private record NotBlankLine()
      implements Condition<FileLine>, PureFunction, FunctionIdentity.Named {
    @Override
    public String functionName() {
      return "notBlank";
    }

    @Override
    public boolean test(FileLine line) {
      return !line.text().isBlank();
    }
  }

  private record OfLine<R>(Fn<String, R> parser)
      implements PureFn<FileLine, R>, FunctionIdentity.Named {
    @Override
    public String functionName() {
      return FunctionIdentity.labelOf(parser);
    }

    @Override
    public Object identity() {
      return parser;
    }

    @Override
    public R apply(FileLine line) throws Exception {
      try {
        return parser.apply(line.text());
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(line + ": " + e.getMessage(), e);
      }
    }
  }

  private record NotBlank() implements Condition<String>, PureFunction, FunctionIdentity.Named {
    @Override
    public String functionName() {
      return "notBlank";
    }

    @Override
    public boolean test(String line) {
      return !line.isBlank();
    }
  }

  private record OfRecord<R extends Record>(Class<R> type)
      implements PureFn<String, R>, FunctionIdentity.Named {
    @Override
    public String functionName() {
      return "json(" + type.getName() + Arrays.toString(type.getRecordComponents()) + ")";
    }

    @Override
    public Object identity() {
      return type;
    }

    @Override
    public R apply(String text) {
      return JsonValues.record(type, JsonReader.readObject(text), "");
    }
  }

  private static final class OfTensors
      implements PureFn<String, Map<String, Tensor>>, FunctionIdentity.Named {
    private static final long serialVersionUID = 1;

    private final transient List<Csv.Column> columns;

    OfTensors(List<Csv.Column> columns) {
      this.columns = List.copyOf(columns);
    }

    @Override
    public String functionName() {
      return "json" + columns;
    }

    @Override
    public Object identity() {
      return columns;
    }

    @Override
    public Map<String, Tensor> apply(String text) {
      Map<String, Object> object = JsonReader.readObject(text);
      Map<String, Tensor> tensors = new LinkedHashMap<>();
      if (columns.isEmpty()) {
        object.forEach((name, value) -> tensors.put(name, JsonValues.tensor(null, value, name)));
      }
      for (Csv.Column column : columns) {
        Object value = object.getOrDefault(column.name(), JsonReader.NULL);
        tensors.put(
            column.name(),
            value != JsonReader.NULL
                ? JsonValues.tensor(column.dtype(), value, column.name())
                : fallback(column));
      }
      return Collections.unmodifiableMap(tensors);
    }

    private static Tensor fallback(Csv.Column column) {
      return switch (column.fallback()) {
        case null ->
            throw new IllegalArgumentException(
                "json: expected a value of '%s', but there is none; give it a default by or(…)"
                    .formatted(column.name()));
        case Boolean flag -> Tensor.scalar(flag.booleanValue());
        case Integer number -> Tensor.scalar(number.intValue());
        case Long number -> Tensor.scalar(number.longValue());
        case Float number -> Tensor.scalar(number.floatValue());
        case Double number -> Tensor.scalar(number.doubleValue());
        case Object other -> Tensor.scalar(Objects.toString(other));
      };
    }
  }
}
