package dev.headrace.data;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The loggers of the engine. Messages hold names of files and texts of others, and may end on a
 * terminal: they are logged as {@link VisibleText}. A warning is logged once in a process, however
 * many pipelines, passes and files it is true of; one with an exception is logged each time.
 *
 * <p>A log handler is foreign code. One that throws costs its line, and it never runs on a thread
 * that {@link #handOver hands its lines over}.
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

  /** Who logs what the calling thread has to say; null where it does so itself. */
  private static final ThreadLocal<@Nullable Consumer<Runnable>> SPEAKER = new ThreadLocal<>();

  private static final AtomicBoolean HANDLER_FAILED = new AtomicBoolean();

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
      say(message, () -> logger.log(level, bundle, visible(message), thrown));
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
      say(format, () -> logger.log(level, bundle, visible(format), texts));
    }
  }

  /**
   * Has all that the calling thread logs from now on logged by another thread.
   *
   * @param speaker is given each line and runs it later, on a thread that no other waits for
   */
  public static void handOver(Consumer<Runnable> speaker) {
    SPEAKER.set(speaker);
  }

  private static void say(@Nullable String text, Runnable line) {
    Consumer<Runnable> speaker = SPEAKER.get();
    if (speaker == null) {
      sayNow(text, line);
    } else {
      speaker.accept(() -> sayNow(text, line));
    }
  }

  private static void sayNow(@Nullable String text, Runnable line) {
    try {
      line.run();
    } catch (Throwable e) {
      // A line that cannot be logged costs that line, not the training.
      if (!HANDLER_FAILED.getAndSet(true)) {
        System.err.println(
            "headrace: a log handler failed with " + e.getClass().getName() + "; it lost: " + text);
      }
    }
  }

  /** Whether it is no warning, or one that was not logged before. */
  private boolean isNew(Level level, String text) {
    return level != Level.WARNING || isNew(logger.getName() + ": " + text);
  }

  /**
   * Whether this is the first call with this text: for warnings that are to be made once. Texts
   * that differ only in numbers should be asked about {@link #withoutNumbers}.
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
