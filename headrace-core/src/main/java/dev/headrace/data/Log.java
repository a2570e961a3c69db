package dev.headrace.data;

import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * The loggers of the engine. Messages hold names of files and texts of others, and may end on a
 * terminal: they are logged as {@link VisibleText}.
 *
 * <p><b>Threading:</b> safe.
 */
public final class Log implements System.Logger {
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
    if (isLoggable(level)) {
      logger.log(level, bundle, visible(message), thrown);
    }
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String format,
      @Nullable Object @Nullable ... values) {
    if (isLoggable(level)) {
      @Nullable Object[] texts = values == null ? new Object[0] : values.clone();
      for (int i = 0; i < texts.length; i++) {
        texts[i] = texts[i] instanceof Number ? texts[i] : visible(String.valueOf(texts[i]));
      }
      logger.log(level, bundle, visible(format), texts);
    }
  }

  private static @Nullable String visible(@Nullable String text) {
    return text == null ? null : VisibleText.of(text);
  }
}
