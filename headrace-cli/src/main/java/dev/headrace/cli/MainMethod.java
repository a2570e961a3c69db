package dev.headrace.cli;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a program begins, by the rules of Java 25: {@code main(String[])} before {@code main()},
 * static or of an object, of the class or inherited; only not private.
 */
final class MainMethod {
  private final Class<?> type;
  private final Method method;

  private MainMethod(Class<?> type, Method method) {
    this.type = type;
    this.method = method;
  }

  /** The main method of a class, if it has one. */
  static @Nullable MainMethod of(Class<?> type) {
    Method method = find(type, String[].class);
    if (method == null) {
      method = find(type);
    }
    return method == null ? null : new MainMethod(type, method);
  }

  private static @Nullable Method find(Class<?> type, Class<?>... parameters) {
    for (Class<?> at = type; at != null; at = at.getSuperclass()) {
      try {
        Method method = at.getDeclaredMethod("main", parameters);
        if (!Modifier.isPrivate(method.getModifiers()) && method.getReturnType() == void.class) {
          return method;
        }
      } catch (NoSuchMethodException e) {
        // perhaps it is inherited
      }
    }
    return null;
  }

  /** Runs the program, on the caller's thread; throws what it throws. */
  void run(List<String> arguments) throws Throwable {
    Object receiver = Modifier.isStatic(method.getModifiers()) ? null : newInstance(type, "main");
    method.setAccessible(true);
    try {
      if (method.getParameterCount() == 0) {
        method.invoke(receiver);
      } else {
        method.invoke(receiver, (Object) arguments.toArray(String[]::new));
      }
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  /** An object of a user's class, for a method that is not static. */
  static Object newInstance(Class<?> type, String method) {
    try {
      Constructor<?> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor.newInstance();
    } catch (NoSuchMethodException e) {
      throw new IllegalArgumentException(
          "%s: expected a constructor without parameters, because %s is not static, but there is none; make %s static"
              .formatted(type.getName(), method, method),
          e);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(
          "%s: the constructor failed: %s".formatted(type.getName(), e.getCause()), e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          "%s: expected a class that objects can be made of, but %s; make %s static"
              .formatted(type.getName(), e, method),
          e);
    }
  }
}
