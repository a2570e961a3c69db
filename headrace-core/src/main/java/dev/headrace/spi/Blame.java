package dev.headrace.spi;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Makes the failure of an element for which a function failed, with the path of that function. */
public interface Blame {
  Failure failure(@Nullable Id id, Throwable cause);

  /**
   * Whether a function failed only because of an interrupt that was not meant for it, and must be
   * called again at once. Asked before {@link #failure}; where the pipeline can stop instead, that
   * throws {@link Cancelled}.
   *
   * @param times how often it was called again for this element before
   */
  default boolean mustCallAgain(Throwable cause, int times) {
    return false;
  }

  /**
   * Calls a function of the user, and calls it again where an interrupt hit it that was not meant
   * for it. Where a call must cost nothing, loops ask {@link #mustCallAgain} themselves.
   */
  default <T> T call(Callable<? extends T> function) throws Exception {
    for (int times = 0; ; times++) {
      try {
        return function.call();
      } catch (Throwable e) {
        if (!mustCallAgain(e, times)) {
          throw e;
        }
      }
    }
  }

  /**
   * Takes note that a function has returned and left its thread interrupted, which must not harm
   * the next call. Loops ask after each call where chunks are short, and so calls take long;
   * elsewhere asking would cost as much as a call.
   */
  default void leftInterrupted() {}
}
