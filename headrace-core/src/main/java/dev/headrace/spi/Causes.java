package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/** What was thrown by code that the engine does not know, and must not be hurt by. */
public final class Causes {
  private Causes() {}

  /** What a throwable says of itself; or its class, where its own {@code toString} throws. */
  public static String textOf(Throwable cause) {
    try {
      return String.valueOf(cause);
    } catch (Throwable e) {
      return cause.getClass().getName() + " (its toString() threw " + e.getClass().getName() + ")";
    }
  }

  /** What caused a throwable; null where nothing did, or where its own {@code getCause} throws. */
  public static @Nullable Throwable causeOf(Throwable thrown) {
    try {
      return thrown.getCause();
    } catch (Throwable e) {
      return null;
    }
  }

  /**
   * Adds one throwable to another that is about to be thrown. The JVM throws the same
   * OutOfMemoryError more than once, and a throwable cannot be suppressed by itself.
   */
  public static void suppress(Throwable thrown, Throwable other) {
    if (thrown != other) {
      thrown.addSuppressed(other);
    }
  }
}
