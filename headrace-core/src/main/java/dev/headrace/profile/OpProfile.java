package dev.headrace.profile;

import org.jspecify.annotations.Nullable;

/**
 * What one operator did in the time that was looked at.
 *
 * <p>Times are those of the operator alone, without what it pulled from, for one of its own
 * elements. They are divided by where they went: computing, waiting for something (a disk, a lock,
 * a sleep), and ready to compute but without a core.
 *
 * @param key its place in the plan: "0" for the last operator, "0.0" for its first input
 * @param pulledBy the index of the operator that pulls it, −1 for the last one
 * @param runBy the index of the operator whose threads run it, −1 for the consumer's own thread
 * @param word the operator, as users call it
 * @param path with name and line, where known
 * @param description with its arguments, as {@code explain()} shows it
 * @param isSource whether it pulls from no other
 * @param elements handed on, failures included
 * @param perDelivered how many of its elements go into one that the consumer gets
 * @param ns of one element, wall time
 * @param cpuNs of it computing
 * @param waitNs of it waiting for something other than a core
 * @param bytes of one element, on average, 0 where not known; and {@code bytesP99} of a large one
 * @param later set where its function leaves tensors to be computed later: what that took, which is
 *     also part of the times above
 * @param crew set where it has threads of its own
 * @param transfer set where it copies to a device
 */
public record OpProfile(
    String key,
    int pulledBy,
    int runBy,
    String word,
    String path,
    String description,
    boolean isSource,
    long elements,
    long failures,
    double perDelivered,
    double ns,
    double cpuNs,
    double waitNs,
    double bytes,
    double bytesP99,
    @Nullable Later later,
    @Nullable Crew crew,
    @Nullable Transfer transfer) {

  /**
   * Tensors computed after the function returned, for one element that the consumer gets.
   *
   * @param at the operator that computes them, on its workers where it has some
   */
  public record Later(double ns, double cpuNs, double waitNs, int at) {}

  /**
   * The threads of an operator and the buffer behind them.
   *
   * @param workers how many there were on average, and {@code isTuned} whether the engine chooses
   * @param busy the share of time a worker was inside the function (or reading, for prefetch)
   * @param capacity how many elements the buffer holds, and {@code isBufferTuned} whether the
   *     engine chooses; {@code fill} how many it held on average
   * @param empty the share of pulls that found it empty and had to wait
   * @param pullNs the part that one worker at a time does, pulling the input, for one element that
   *     the consumer gets; {@code pullCpuNs} of it computing
   * @param workNs the part that all do at once, for one element that the consumer gets; {@code
   *     workCpuNs} of it computing and {@code workWaitNs} waiting
   * @param variation of the time that one element takes: standard deviation over mean
   * @param skew how much slower the slowest of several datasets that are read at once is than the
   *     mean of them; 1 where there is one
   * @param latest the latest times of work on one element, in ns
   * @param lockedNs of {@code workWaitNs}, waiting for locks that other workers hold
   * @param latestPulls the latest times of pulling one element, in ns, waiting for other threads
   *     apart
   */
  public record Crew(
      double workers,
      boolean isTuned,
      double busy,
      int capacity,
      boolean isBufferTuned,
      double fill,
      double empty,
      double pullNs,
      double pullCpuNs,
      double workNs,
      double workCpuNs,
      double workWaitNs,
      double variation,
      double skew,
      double[] latest,
      double lockedNs,
      double[] latestPulls) {

    /** Workers that wait for no lock, and of whose pulling no single times are known. */
    public Crew(
        double workers,
        boolean isTuned,
        double busy,
        int capacity,
        boolean isBufferTuned,
        double fill,
        double empty,
        double pullNs,
        double pullCpuNs,
        double workNs,
        double workCpuNs,
        double workWaitNs,
        double variation,
        double skew,
        double[] latest) {
      this(
          workers,
          isTuned,
          busy,
          capacity,
          isBufferTuned,
          fill,
          empty,
          pullNs,
          pullCpuNs,
          workNs,
          workCpuNs,
          workWaitNs,
          variation,
          skew,
          latest,
          0,
          new double[0]);
    }
  }

  /**
   * What was copied to a device.
   *
   * @param busNs of one element on the bus, {@code computeNs} in functions on the device, and
   *     {@code stagedNs} on the thread that asked for it
   * @param waitNs how long the consumer, or its stream, waited for it
   * @param stepNs how long the consumer's stream worked on it; 0 where the host does
   * @param bytes of one element
   * @param isShortOfRoom whether the device had no room for as many elements as it should hold
   */
  public record Transfer(
      String device,
      boolean isPinned,
      double busNs,
      double computeNs,
      double stagedNs,
      double waitNs,
      double stepNs,
      double bytes,
      long deviceBytes,
      long deviceLimit,
      boolean isShortOfRoom) {

    /** To a device that had room. */
    public Transfer(
        String device,
        boolean isPinned,
        double busNs,
        double computeNs,
        double stagedNs,
        double waitNs,
        double stepNs,
        double bytes,
        long deviceBytes,
        long deviceLimit) {
      this(
          device,
          isPinned,
          busNs,
          computeNs,
          stagedNs,
          waitNs,
          stepNs,
          bytes,
          deviceBytes,
          deviceLimit,
          false);
    }

    /** How much of copying and computing went on beside the consumer's work. */
    public double hiddenNs() {
      return Math.max(0, busNs + computeNs - waitNs);
    }

    /** The share of it: 0 to 1. */
    public double overlap() {
      return busNs + computeNs == 0 ? 0 : hiddenNs() / (busNs + computeNs);
    }
  }

  /** Wall time for one element that the consumer gets, over all workers. */
  public double nsPerDelivered() {
    return ns * perDelivered;
  }

  /** Computing for one element that the consumer gets. */
  public double cpuNsPerDelivered() {
    return cpuNs * perDelivered;
  }

  /** Waiting for one element that the consumer gets. */
  public double waitNsPerDelivered() {
    return waitNs * perDelivered;
  }
}
