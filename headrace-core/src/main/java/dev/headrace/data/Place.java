package dev.headrace.data;

import java.lang.foreign.MemorySegment;

/**
 * Memory that the host cannot read by itself: a device's. Tensors there can be copied back, and
 * given to code that computes there; reading their elements throws.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 */
public interface Place {
  /** Its name, as it appears in messages. */
  String name();

  /** Which device of its kind it is, counted from 0 as their driver does. */
  int number();

  /**
   * Copies all of {@code from}, memory of this place, to host memory of the same size. Returns when
   * the content is there, with the effect of all work on it that was queued before.
   */
  void copyToHost(MemorySegment from, MemorySegment to);
}
