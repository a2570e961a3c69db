package dev.headrace.data;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The references that objects of a class hold, all read by one call, and what an object takes
 * without them.
 *
 * <p>They are read from the fields. Where a module keeps those closed, a record is read by its
 * accessors, if they are public in an exported package or a lookup was {@linkplain
 * Structure#register registered}; nothing is read of other classes there.
 *
 * <p><b>Threading:</b> safe for any number of threads; one instance per class.
 */
public final class References {
  private static final ClassValue<References> ALL =
      new ClassValue<>() {
        @Override
        protected References computeValue(Class<?> type) {
          return new References(type);
        }
      };

  private final long objectBytes;
  private final List<Class<?>> types = new ArrayList<>();

  /** {@code (Object) Object[]}; null where the module keeps the class closed. */
  private final @Nullable MethodHandle reader;

  private References(Class<?> type) {
    long fieldBytes = 0;
    List<Field> fields = new ArrayList<>();
    for (Class<?> at = type; at != null; at = at.getSuperclass()) {
      for (Field field : at.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          fieldBytes += widthOf(field.getType());
          if (!field.getType().isPrimitive()) {
            fields.add(field);
            types.add(field.getType());
          }
        }
      }
    }
    this.objectBytes = HeapLayout.object(fieldBytes);
    MethodHandle found = ofFields(fields);
    this.reader = found == null && type.isRecord() ? ofRecord(type) : found;
  }

  /** The references of a class. */
  public static References of(Class<?> type) {
    return ALL.get(type);
  }

  /** Forgets that a class could not be read: a lookup was registered. */
  static void reconsider(Class<?> type) {
    ALL.remove(type);
  }

  /** What an object takes on the heap without what it refers to. */
  public long objectBytes() {
    return objectBytes;
  }

  /** The declared types of the references. */
  public List<Class<?>> types() {
    return types;
  }

  /** Whether the references can be read. */
  public boolean areReadable() {
    return reader != null;
  }

  /** The references that an object holds. */
  public @Nullable Object[] of(Object object) {
    MethodHandle handle = reader;
    if (handle == null) {
      throw new IllegalStateException("references: expected a class that can be read");
    }
    try {
      return (Object[]) handle.invokeExact(object);
    } catch (Throwable e) { // an accessor that the user wrote
      if (e instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException("references: an accessor threw " + e, e);
    }
  }

  private static @Nullable MethodHandle ofRecord(Class<?> type) {
    MethodHandles.Lookup lookup = RecordClass.of(type).lookup();
    if (lookup == null) {
      return null;
    }
    List<MethodHandle> getters = new ArrayList<>();
    try {
      for (RecordComponent component : type.getRecordComponents()) {
        if (!component.getType().isPrimitive()) {
          getters.add(
              lookup.findVirtual(
                  type, component.getName(), MethodType.methodType(component.getType())));
        }
      }
    } catch (ReflectiveOperationException e) {
      return null;
    }
    return RecordClass.reader(getters.toArray(MethodHandle[]::new), Object[].class);
  }

  private static @Nullable MethodHandle ofFields(List<Field> fields) {
    MethodHandle[] getters = new MethodHandle[fields.size()];
    try {
      for (int i = 0; i < getters.length; i++) {
        if (!fields.get(i).trySetAccessible()) {
          return null;
        }
        getters[i] = MethodHandles.lookup().unreflectGetter(fields.get(i));
      }
      return RecordClass.reader(getters, Object[].class);
    } catch (IllegalAccessException | RuntimeException e) {
      return null;
    }
  }

  private static int widthOf(Class<?> type) {
    if (!type.isPrimitive()) {
      return HeapLayout.REFERENCE;
    }
    if (type == long.class || type == double.class) {
      return 8;
    }
    if (type == int.class || type == float.class) {
      return 4;
    }
    return type == boolean.class || type == byte.class ? 1 : 2;
  }
}
