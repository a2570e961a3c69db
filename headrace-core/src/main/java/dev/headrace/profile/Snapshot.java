package dev.headrace.profile;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a running pipeline at one moment; what lies between two of them makes a {@link
 * Profile}.
 *
 * @param atNs by the pipeline's clock
 * @param delivered elements given to the consumer
 * @param stepNs the consumer spent outside the pipeline, and {@code insideNs} in it
 */
public record Snapshot(
    long atNs,
    long epoch,
    long delivered,
    long stepNs,
    Sampled stepCpu,
    long insideNs,
    Sampled insideCpu,
    long consumerQueuedNs,
    long heapBytes,
    long nativeBytes,
    Machine machine,
    List<Op> operators) {

  /** Of so much wall time that was looked at, so much was computing. */
  public record Sampled(long wallNs, long cpuNs) {
    /** Nothing looked at. */
    public static final Sampled NONE = new Sampled(0, 0);

    Sampled minus(Sampled earlier) {
      return new Sampled(wallNs - earlier.wallNs, cpuNs - earlier.cpuNs);
    }

    /** The share that was computing; {@code otherwise} where too little was looked at. */
    double share(double otherwise) {
      return wallNs <= 0 ? otherwise : Math.clamp((double) cpuNs / wallNs, 0, 1);
    }
  }

  /**
   * The computer.
   *
   * @param busyNs of all cores, by anybody; negative where that is not told
   * @param processNs of computing by this process
   */
  public record Machine(long busyNs, long processNs, long gcNs, long collections, long liveBytes) {}

  /**
   * One operator.
   *
   * @param timedNs of calls that gave {@code timedElements}, with what they pulled themselves, and
   *     {@code timedWaitNs} of it waiting for other threads of the pipeline
   * @param laterNs of it computing what functions before it left deferred
   */
  public record Op(
      String key,
      long elements,
      long failures,
      long timedElements,
      long timedNs,
      long timedWaitNs,
      Sampled cpu,
      long laterNs,
      Sampled laterCpu,
      long sizedElements,
      long sizedBytes,
      long bytesP99,
      @Nullable Crew crew,
      @Nullable Transfer transfer) {}

  /**
   * Threads of an operator; see {@link OpProfile.Crew}.
   *
   * @param onlyPulls whether they only pull its input, whose operators count what they do
   *     themselves
   * @param pullsInput whether they pull its input, and not whoever pulls the operator
   * @param cpuShare how much of the work is computing, where nobody could look
   * @param looks how often a worker was looked at that was inside its function, and {@code locked}
   *     how often it waited for a lock
   */
  public record Crew(
      int workers,
      boolean isTuned,
      boolean onlyPulls,
      boolean pullsInput,
      double cpuShare,
      int buffered,
      int capacity,
      boolean isBufferTuned,
      double workerNs,
      long workElements,
      long workNs,
      long sampledNs,
      long sampledCpuNs,
      long queuedNs,
      long chunks,
      double eachSum,
      double eachSquares,
      long pulls,
      double fillSum,
      long waits,
      long waitNs,
      double skew,
      long looks,
      long locked,
      double[] latest,
      double[] latestPulls) {}

  /** Copies to a device. */
  public record Transfer(
      String device,
      int devices,
      boolean isPinned,
      long copies,
      long bytes,
      long busNs,
      long computeNs,
      long stagedNs,
      long waitNs,
      long stepNs,
      long steps,
      long roomWaitNs,
      long deviceBytes,
      long deviceLimit,
      boolean isShortOfRoom) {}
}
