package dev.headrace.spi;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Copies of a small loop class, one for each class of function it calls.
 *
 * <p>A loop that calls many different lambdas is slow: its call site has seen too many classes to
 * be inlined. A copy of the class for each lambda's class keeps every call site at one target,
 * however many pipelines the process has run.
 */
public final class Kernels {
  private static final ClassValue<Map<Class<?>, Object>> COPIES =
      new ClassValue<>() {
        @Override
        protected Map<Class<?>, Object> computeValue(Class<?> functionType) {
          return new ConcurrentHashMap<>();
        }
      };

  private Kernels() {}

  /**
   * The copy of {@code loop} for functions of {@code function}'s class.
   *
   * @param lookup of the package that holds the loop class
   * @param loop a package-private class without private ties, with a constructor without arguments
   */
  public static <K> K specialised(
      MethodHandles.Lookup lookup, Class<? extends K> loop, Object function) {
    Object copy =
        COPIES.get(function.getClass()).computeIfAbsent(loop, type -> copyOf(lookup, type));
    @SuppressWarnings("unchecked") // a copy of the loop class, which is a K
    K kernel = (K) copy;
    return kernel;
  }

  private static Object copyOf(MethodHandles.Lookup lookup, Class<?> loop) {
    try {
      String resource = loop.getName().substring(loop.getPackageName().length() + 1) + ".class";
      byte[] bytes;
      try (InputStream in = loop.getResourceAsStream(resource)) {
        if (in == null) {
          return newInstance(loop); // no class file to copy: slower, not wrong
        }
        bytes = in.readAllBytes();
      }
      return newInstance(lookup.defineHiddenClass(bytes, true).lookupClass());
    } catch (IOException | ReflectiveOperationException e) {
      throw new IllegalStateException(loop.getName() + ": cannot be copied", e);
    }
  }

  private static Object newInstance(Class<?> type) throws ReflectiveOperationException {
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    return constructor.newInstance();
  }
}
