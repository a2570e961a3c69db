package dev.headrace.spi;

import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What Java's serialization tells of an object: the numbers in it, and the objects it refers to.
 *
 * <p>Serialization reads fields that a closed package hides from reflection, and asks a lambda what
 * it is. It is only written, and nothing of it is kept; it is never read.
 *
 * @param bytes the object as written, with a number in place of each object that it refers to
 * @param parts those objects, by their numbers
 */
record SerialForm(byte[] bytes, List<Object> parts) {

  /** What a lambda or method reference is and has captured; null if it is none that says so. */
  static @Nullable SerializedLambda lambda(Object function) {
    if (!function.getClass().isHidden() || !(function instanceof Serializable)) {
      return null;
    }
    try (Writing writing = new Writing(new ByteArrayOutputStream(), function)) {
      writing.writeObject(function);
      return writing.instead instanceof SerializedLambda lambda ? lambda : null;
    } catch (IOException | RuntimeException e) {
      return null; // a class of another kind
    }
  }

  /** The form of an object; null if it does not tell all of its fields by itself. */
  static @Nullable SerialForm of(Object object) {
    if (!tellsAllFields(object.getClass())) {
      return null;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Writing writing = new Writing(bytes, object)) {
      writing.writeObject(object);
      writing.flush();
      return writing.instead == null ? new SerialForm(bytes.toByteArray(), writing.parts) : null;
    } catch (IOException | RuntimeException e) {
      return null;
    }
  }

  /**
   * The collection or map that one of {@link Collections} shows, or what is written for that; null
   * if it does not say.
   */
  static @Nullable Object shownBy(Object view) {
    try (Writing writing = new Writing(new ByteArrayOutputStream(), view)) {
      writing.writeObject(view);
      return writing.parts.isEmpty() ? null : writing.parts.getFirst();
    } catch (IOException | RuntimeException e) {
      return null;
    }
  }

  /** What is written for an object; itself, if nothing is written in its place. */
  static Object writtenFor(Object object) {
    try (Writing writing = new Writing(new ByteArrayOutputStream(), object)) {
      writing.writeObject(object);
      return writing.instead == null ? object : writing.instead;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether nothing is left out or written in another way. */
  static boolean tellsAllFields(Class<?> type) {
    for (Class<?> c = type; c != null && !ClassContent.isOfPlatform(c); c = c.getSuperclass()) {
      boolean isSerializable = Serializable.class.isAssignableFrom(c);
      if (Externalizable.class.isAssignableFrom(c)
          || declares(c, "writeReplace")
          || declares(c, "writeObject", ObjectOutputStream.class)) {
        return false;
      }
      for (Field field : c.getDeclaredFields()) {
        boolean isStatic = Modifier.isStatic(field.getModifiers());
        if (isStatic
            ? field.getName().equals("serialPersistentFields")
            : !isSerializable || Modifier.isTransient(field.getModifiers())) {
          return false;
        }
      }
    }
    return Serializable.class.isAssignableFrom(type);
  }

  private static boolean declares(Class<?> type, String method, Class<?>... parameters) {
    try {
      return type.getDeclaredMethod(method, parameters) != null;
    } catch (NoSuchMethodException e) {
      return false;
    }
  }

  /** Writes one object, and keeps what it refers to from being written. */
  private static final class Writing extends ObjectOutputStream {
    private final Object root;
    private final List<Object> parts = new ArrayList<>();
    private boolean begun;

    /** What the object gave in place of itself. */
    private @Nullable Object instead;

    Writing(ByteArrayOutputStream out, Object root) throws IOException {
      super(out);
      this.root = root;
      enableReplaceObject(true);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the same object, whatever equals says
    protected Object replaceObject(Object object) {
      if (begun) {
        parts.add(object);
        return "#" + parts.size();
      }
      begun = true;
      if (object != root) {
        instead = object;
        return "";
      }
      return object;
    }
  }
}
