package dev.headrace.profile;

import dev.headrace.spi.OpCounters;
import dev.headrace.spi.OpCounters.Sampled;
import java.util.List;

/**
 * The counters of a running pipeline at one moment; what lies between two of them makes a {@link
 * Profile}.
 *
 * @param atNs by the pipeline's clock
 * @param delivered elements given to the consumer
 * @param operators from the last to the sources
 */
public record Snapshot(
    long atNs,
    long epoch,
    long delivered,
    Consumer consumer,
    Memory memory,
    Machine machine,
    List<OpCounters> operators) {

  /**
   * The thread that asks for elements.
   *
   * @param stepNs spent outside the pipeline, and {@code insideNs} in it
   * @param queuedNs ready without a core
   */
  public record Consumer(
      long stepNs, Sampled stepCpu, long insideNs, Sampled insideCpu, long queuedNs) {

    Consumer minus(Consumer earlier) {
      return new Consumer(
          stepNs - earlier.stepNs,
          stepCpu.minus(earlier.stepCpu),
          insideNs - earlier.insideNs,
          insideCpu.minus(earlier.insideCpu),
          queuedNs - earlier.queuedNs);
    }
  }

  /** What elements take, on the heap and off it. */
  public record Memory(long heapBytes, long nativeBytes) {}

  /**
   * The computer.
   *
   * @param busyNs of all cores, by any program; negative where that is not told
   * @param processNs of computing by this process
   */
  public record Machine(long busyNs, long processNs, long gcNs, long collections, long liveBytes) {}
}
