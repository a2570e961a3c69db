package dev.headrace.data;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The loggers of the engine. Messages hold names of files and texts of others, and may end on a
 * terminal: they are logged as {@link VisibleText}. A warning is logged once in a process, however
 * many pipelines, passes and files it is true of; one with an exception is logged each time.
 *
 * <p><b>Threading:</b> safe.
 */
public final class Log implements System.Logger {
  /** Warnings beyond so many are forgotten, the oldest first, and may come again. */
  private static final int MOST_REMEMBERED = 1_000;

  private static final Pattern NUMBER = Pattern.compile("(?<![\\w./:-])[0-9][0-9.,]*(?![\\w/-])");

  private static final Set<String> WARNED =
      Collections.newSetFromMap(
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
              return size() > MOST_REMEMBERED;
            }
          });

  private final System.Logger logger;

  private Log(System.Logger logger) {
    this.logger = logger;
  }

  /** The logger of this name, which begins with {@code headrace}. */
  public static System.Logger named(String name) {
    return new Log(System.getLogger(name));
  }

  @Override
  public String getName() {
    return logger.getName();
  }

  @Override
  public boolean isLoggable(Level level) {
    return logger.isLoggable(level);
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String message,
      @Nullable Throwable thrown) {
    if (isLoggable(level) && (thrown != null || isNew(level, String.valueOf(message)))) {
      logger.log(level, bundle, visible(message), thrown);
    }
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String format,
      @Nullable Object @Nullable ... values) {
    if (isLoggable(level) && isNew(level, format + Arrays.toString(values))) {
      @Nullable Object[] texts = values == null ? new Object[0] : values.clone();
      for (int i = 0; i < texts.length; i++) {
        texts[i] = texts[i] instanceof Number ? texts[i] : visible(String.valueOf(texts[i]));
      }
      logger.log(level, bundle, visible(format), texts);
    }
  }

  /** Whether it is no warning, or one that was not logged before. */
  private boolean isNew(Level level, String text) {
    return level != Level.WARNING || isNew(logger.getName() + ": " + text);
  }

  /**
   * Whether nobody asked this before with the same text: for warnings that are to be made once.
   * Texts that differ only in numbers should be asked about {@link #withoutNumbers}.
   */
  public static boolean isNew(String text) {
    synchronized (WARNED) {
      return WARNED.add(text);
    }
  }

  /** The text with # for each number; those in names, paths and lines of programs stay. */
  public static String withoutNumbers(String text) {
    return NUMBER.matcher(text).replaceAll("#");
  }

  /** Lets every warning be logged again: for tests that wait for one. */
  public static void forgetWarnings() {
    synchronized (WARNED) {
      WARNED.clear();
    }
  }

  private static @Nullable String visible(@Nullable String text) {
    return text == null ? null : VisibleText.of(text);
  }
}
