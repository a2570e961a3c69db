package dev.headrace.spi;

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
   * Takes note that a function has returned and left its thread interrupted, which must not harm
   * the next call. Loops ask after each call where chunks are short, and so calls take long;
   * elsewhere asking would cost as much as a call.
   */
  default void leftInterrupted() {}
}
