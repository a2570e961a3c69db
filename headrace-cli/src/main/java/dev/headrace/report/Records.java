package dev.headrace.report;

import dev.headrace.profile.Flat;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Records taken apart and put together, whatever components they have. */
final class Records {
  private Records() {}

  private static @Nullable Object valueOf(RecordComponent component, Record record) {
    try {
      return component.getAccessor().invoke(record);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(component + ": cannot be read", e);
    }
  }

  /** The names and values of its components, those of grouping parts among them. */
  static Map<String, @Nullable Object> members(Record record) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      Object value = valueOf(component, record);
      if (component.isAnnotationPresent(Flat.class) && value instanceof Record part) {
        members.putAll(members(part));
      } else {
        members.put(component.getName(), value);
      }
    }
    return members;
  }

  /**
   * Makes a record of the values of its components.
   *
   * @throws IllegalArgumentException where the record does not take them
   */
  static <R extends Record> R of(Class<R> type, @Nullable Object[] values) {
    try {
      Class<?>[] types =
          Arrays.stream(type.getRecordComponents())
              .map(RecordComponent::getType)
              .toArray(Class<?>[]::new);
      return type.getDeclaredConstructor(types).newInstance(values);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(type.getSimpleName() + ": " + e.getCause(), e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type + ": cannot be made", e);
    }
  }

  /** A copy in which every text was changed, those of records and lists inside it too. */
  static <R extends Record> R withTexts(R record, UnaryOperator<String> change) {
    @SuppressWarnings("unchecked") // the class of an R
    Class<R> type = (Class<R>) record.getClass();
    @Nullable Object[] values =
        Arrays.stream(type.getRecordComponents())
            .map(component -> changed(valueOf(component, record), change))
            .toArray();
    return of(type, values);
  }

  private static @Nullable Object changed(@Nullable Object value, UnaryOperator<String> change) {
    return switch (value) {
      case String text -> change.apply(text);
      case Record inner -> withTexts(inner, change);
      case List<?> list -> list.stream().map(each -> changed(each, change)).toList();
      case null, default -> value;
    };
  }
}
