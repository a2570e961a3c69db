package dev.headrace.data;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Objects;

/**
 * Builds records of a class from the values of their components.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param <R> the record class
 */
public final class RecordBuilder<R extends Record> {
  private final Class<R> type;
  private final RecordClass handles;
  private final List<RecordComponent> components;

  private RecordBuilder(Class<R> type) {
    this.type = type;
    this.handles = RecordClass.of(type);
    this.components = List.of(type.getRecordComponents());
  }

  /** Fails, with the line to add to a module declaration, if the record is out of reach. */
  public static <R extends Record> RecordBuilder<R> of(Class<R> type) {
    RecordBuilder<R> builder = new RecordBuilder<>(Objects.requireNonNull(type));
    builder.handles.checkReadable();
    return builder;
  }

  /** The record class. */
  public Class<R> type() {
    return type;
  }

  /** How many components a record has. */
  public int size() {
    return components.size();
  }

  /** The name of a component. */
  public String name(int component) {
    return components.get(component).getName();
  }

  /** The declared type of a component. */
  public Class<?> type(int component) {
    return components.get(component).getType();
  }

  /** The record of these values; what its constructor throws is thrown. */
  public R build(Object[] values) {
    return type.cast(handles.build(values));
  }
}
