package dev.headrace.spi;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the component values of any record, or none where its module keeps it closed. */
public final class RecordValues {
  private static final ClassValue<List<Method>> ACCESSORS =
      new ClassValue<>() {
        @Override
        protected List<Method> computeValue(Class<?> type) {
          List<Method> accessors = new ArrayList<>();
          for (RecordComponent component : type.getRecordComponents()) {
            if (component.getAccessor().trySetAccessible()) {
              accessors.add(component.getAccessor());
            }
          }
          return List.copyOf(accessors);
        }
      };

  private RecordValues() {}

  /** The values in order; throws what an accessor throws. */
  public static List<@Nullable Object> of(Record record) {
    List<@Nullable Object> values = new ArrayList<>();
    for (Method accessor : ACCESSORS.get(record.getClass())) {
      try {
        values.add(accessor.invoke(record));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(
            "%s: cannot read %s".formatted(record.getClass().getName(), accessor.getName()),
            e instanceof InvocationTargetException thrown ? thrown.getCause() : e);
      }
    }
    return values;
  }
}
