package dev.headrace.report;

import dev.headrace.profile.Flat;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records from parsed JSON, component by component. Members that no component has are passed over;
 * {@code null} is NaN for a number with a fraction, and nothing for a record.
 */
final class JsonRecords {
  private JsonRecords() {}

  static <R extends Record> R read(Class<R> type, @Nullable Object json, String place) {
    if (!(json instanceof Map<?, ?> members)) {
      throw expected(place, "an object", json);
    }
    RecordComponent[] components = type.getRecordComponents();
    @Nullable Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      if (components[i].isAnnotationPresent(Flat.class)) {
        values[i] = read(components[i].getType().asSubclass(Record.class), members, place);
        continue;
      }
      String name = components[i].getName();
      String inner = place + "." + name;
      if (!members.containsKey(name)) {
        throw new IllegalArgumentException(inner + ": expected a value, but there is none");
      }
      values[i] = value(components[i].getGenericType(), members.get(name), inner);
    }
    return Records.of(type, values);
  }

  private static @Nullable Object value(Type type, @Nullable Object json, String place) {
    if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
      Type of = list.getActualTypeArguments()[0];
      return elements(json, place).stream().map(each -> value(of, each, place)).toList();
    }
    if (!(type instanceof Class<?> plain)) {
      throw new IllegalStateException(place + ": a component of type " + type);
    }
    if (plain == double.class) {
      return json == null ? Double.NaN : number(json, place).doubleValue();
    }
    if (plain == long.class) {
      return number(json, place).longValue();
    }
    if (plain == int.class) {
      return number(json, place).intValue();
    }
    if (plain == double[].class) {
      return elements(json, place).stream()
          .mapToDouble(each -> each == null ? Double.NaN : number(each, place).doubleValue())
          .toArray();
    }
    if (plain == int[].class) {
      return elements(json, place).stream()
          .mapToInt(each -> number(each, place).intValue())
          .toArray();
    }
    if (plain.isRecord()) {
      return json == null ? null : read(plain.asSubclass(Record.class), json, place);
    }
    if (plain.isEnum()) {
      for (Object constant : plain.getEnumConstants()) {
        if (((Enum<?>) constant).name().equals(json)) {
          return constant;
        }
      }
      throw expected(place, "one of " + Arrays.toString(plain.getEnumConstants()), json);
    }
    boolean fits = plain == boolean.class ? json instanceof Boolean : plain.isInstance(json);
    if (!fits) {
      throw expected(place, plain == boolean.class ? "true or false" : "a text", json);
    }
    return json;
  }

  static List<?> elements(@Nullable Object json, String place) {
    if (json instanceof List<?> list) {
      return list;
    }
    throw expected(place, "an array", json);
  }

  private static Number number(@Nullable Object json, String place) {
    if (json instanceof Number number) {
      return number;
    }
    throw expected(place, "a number", json);
  }

  private static IllegalArgumentException expected(
      String place, String what, @Nullable Object json) {
    return new IllegalArgumentException(
        "%s: expected %s, but got %s"
            .formatted(place, what, Figures.cut(String.valueOf(json), 40)));
  }
}
