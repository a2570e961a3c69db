package dev.headrace.profile;

import org.jspecify.annotations.Nullable;

/**
 * What one operator has done so far.
 *
 * @param word the operator, as users call it
 * @param path with name and line, where known
 * @param depth distance from the last operator
 * @param elements handed on, failures included
 * @param totalNs spent by the thread that pulled it, in this operator and what it pulled itself
 * @param stage set where the operator runs on threads of its own
 */
public record OpStats(
    String word,
    String path,
    int depth,
    long elements,
    long failures,
    long totalNs,
    @Nullable StageStats stage) {

  /**
   * What an operator with threads of its own has done so far.
   *
   * @param cpuShare how much of its time its function computes, as far as was looked at
   * @param workNs spent by all workers in the function (or in reading, for prefetch)
   * @param waits how often its consumer had to wait, and {@code waitNs} how long in all
   */
  public record StageStats(
      int workers,
      int targetWorkers,
      double cpuShare,
      long workElements,
      long workNs,
      int buffered,
      int highestBuffered,
      int capacity,
      long waits,
      long waitNs) {}
}
