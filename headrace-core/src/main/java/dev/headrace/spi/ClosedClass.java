package dev.headrace.spi;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What objects of a class weigh that a module keeps closed, as far as it can be known.
 *
 * <p>A serializable class tells what its objects refer to when it is written ({@link SerialForm}),
 * so they are weighed in full. Of others it is known what was allocated while a function made one,
 * and what the function was given: together no less than the object weighs, unless it refers to
 * something older. Before the first one was seen, each reference is taken to keep {@link
 * Weigher#UNREADABLE_BYTES} alive.
 *
 * <p><b>Threading:</b> safe for any number of threads; one instance per class.
 */
final class ClosedClass {
  private static final @Nullable ThreadMXBean THREADS = find();

  /** An object makes what is known of heavier ones fade by one part of so many. */
  private static final int FADES = 64;

  private final boolean isWritable;
  private final long guessedBytes;

  /** About the most that a recent one took; 0 before the first. */
  private volatile long seenBytes;

  ClosedClass(Class<?> type, long guessedBytes) {
    this.isWritable = SerialForm.tellsAllFields(type);
    this.guessedBytes = guessedBytes;
  }

  private static @Nullable ThreadMXBean find() {
    try {
      return ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads
              && threads.isThreadAllocatedMemorySupported()
              && threads.isThreadAllocatedMemoryEnabled()
          ? threads
          : null;
    } catch (LinkageError | UnsupportedOperationException e) {
      return null; // another JVM, or a runtime image without management
    }
  }

  /** What the calling thread has allocated so far; −1 where that is not known. */
  static long allocatedBytes() {
    return THREADS == null || Thread.currentThread().isVirtual()
        ? -1
        : THREADS.getCurrentThreadAllocatedBytes();
  }

  /** Whether objects tell what they refer to. */
  boolean isWritable() {
    return isWritable;
  }

  /** What an object refers to; null if it does not tell. */
  @Nullable List<Object> partsOf(Object object) {
    SerialForm form = isWritable ? SerialForm.of(object) : null;
    return form == null ? null : form.parts();
  }

  /** One more object was made that takes at most so much. */
  void saw(long mostBytes) {
    long before = seenBytes;
    seenBytes = Math.max(mostBytes, before - before / FADES);
  }

  /** What an object that does not tell is taken to weigh. */
  long estimate() {
    long seen = seenBytes;
    return seen == 0 ? guessedBytes : seen;
  }
}
