package dev.headrace.profile;

import java.util.List;

/**
 * What was measured of a pipeline between two moments, start-up apart.
 *
 * @param seconds how long was looked at, and {@code delivered} how many elements the consumer got
 * @param startSeconds from beginning the first epoch to the first element
 * @param totalSeconds since the first element was there
 * @param epochs passes over the data that were begun so far
 * @param operators from the last to the sources, each before what it pulls from
 * @param timeline the whole run, coarse
 */
public record Profile(
    double seconds,
    long delivered,
    double startSeconds,
    double totalSeconds,
    long epochs,
    Consumer consumer,
    Machine machine,
    Memory memory,
    List<OpProfile> operators,
    List<Moment> timeline) {

  public Profile {
    operators = List.copyOf(operators);
    timeline = List.copyOf(timeline);
  }

  /**
   * The thread that asks for elements. Times are for one element.
   *
   * @param stepNs between getting an element and asking for the next: the training step
   * @param stepCpuNs of it computing on that thread
   * @param insideNs inside the pipeline, asking for an element
   * @param insideCpuNs of it computing on that thread
   * @param blockedNs of it waiting for threads of the pipeline
   * @param steps the latest steps, in ns, one after another
   * @param waits what was waited before each of them, in ns
   */
  public record Consumer(
      double stepNs,
      double stepCpuNs,
      double insideNs,
      double insideCpuNs,
      double blockedNs,
      double[] steps,
      double[] waits) {

    /** The share of its time that the consumer spent inside the pipeline. */
    public double waitShare() {
      return stepNs + insideNs == 0 ? 0 : insideNs / (stepNs + insideNs);
    }
  }

  /**
   * The computer, as far as this pipeline could use it.
   *
   * @param cores that it may use
   * @param otherCores of them that others used meanwhile, on average
   * @param processCores that this process used, its collector and compiler included
   * @param gcShare of the time that everything stood still for the garbage collector
   * @param collections how many
   * @param heapBytes how large the heap may become, and {@code liveBytes} how much of it was in use
   *     after the last collection
   * @param programs others that used cores meanwhile, the busiest first, where they are known
   */
  public record Machine(
      double cores,
      double otherCores,
      double processCores,
      double gcShare,
      long collections,
      long heapBytes,
      long liveBytes,
      List<Program> programs) {

    public Machine {
      programs = List.copyOf(programs);
    }

    /** A computer of whose other programs nothing is known. */
    public Machine(
        double cores,
        double otherCores,
        double processCores,
        double gcShare,
        long collections,
        long heapBytes,
        long liveBytes) {
      this(cores, otherCores, processCores, gcShare, collections, heapBytes, liveBytes, List.of());
    }
  }

  /**
   * Another program on the same computer.
   *
   * @param name as the system calls it, without its arguments
   * @param cores how many it used on average
   */
  public record Program(String name, double cores) {}

  /**
   * The memory that the pipeline accounts for, against its budgets.
   *
   * @param togetherBudget what both may take together; {@link Long#MAX_VALUE} where each has its
   *     own
   */
  public record Memory(
      long heapBytes,
      long heapPeak,
      long heapBudget,
      long nativeBytes,
      long nativePeak,
      long nativeBudget,
      long togetherBudget) {

    /** What else may be kept on the heap, where batches take as much off it as they ever did. */
    public long roomOnHeap() {
      return Math.min(heapBudget, togetherBudget - nativePeak) - heapBytes;
    }
  }

  /**
   * A piece of the run.
   *
   * @param at seconds since the first element was asked for, at its end; {@code seconds} its length
   * @param waitShare of its time the consumer spent inside the pipeline
   * @param busy for each operator, how many threads were inside it on average
   * @param fill for each operator with a buffer, how many elements it held at the end; else 0
   */
  public record Moment(
      double at,
      double seconds,
      long epoch,
      long delivered,
      double waitShare,
      double[] busy,
      int[] fill,
      long heapBytes,
      long nativeBytes,
      double gcShare) {}

  /** Elements a second, as the consumer got them. */
  public double rate() {
    return seconds == 0 ? 0 : delivered / seconds;
  }
}
