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
 * @param transfer set where the operator copies to a device
 * @param spill set where something did not fit into memory and went to disk
 */
public record OpStats(
    String word,
    String path,
    int depth,
    long elements,
    long failures,
    long totalNs,
    @Nullable StageStats stage,
    @Nullable TransferStats transfer,
    @Nullable SpillStats spill) {

  /** One that holds nothing on disk. */
  public OpStats(
      String word,
      String path,
      int depth,
      long elements,
      long failures,
      long totalNs,
      @Nullable StageStats stage,
      @Nullable TransferStats transfer) {
    this(word, path, depth, elements, failures, totalNs, stage, transfer, null);
  }

  /**
   * What an operator has on disk because it does not fit the heap budget.
   *
   * @param folder where, within one that others use too
   * @param bytes that are there now, and {@code peakBytes} the most at once
   * @param writtenBytes all that was ever written, and {@code readBytes} read back
   */
  public record SpillStats(
      String folder, long bytes, long peakBytes, long writtenBytes, long readBytes) {

    /** "3.2 GB of what it holds are on disk, …". */
    public String sentence(long heapBudget) {
      return "%s of what it holds %s on disk, in %s, because it does not fit the heap budget of %s"
          .formatted(
              DiagnosisText.bytes(bytes == 0 ? peakBytes : bytes),
              bytes == 0 ? "were" : "are",
              folder,
              DiagnosisText.bytes(heapBudget));
    }
  }

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

  /**
   * What an operator that copies to a device has done so far, or to several: times and sizes are
   * sums over them. Bytes, copies and {@code copyNs} are those of copies that have arrived.
   *
   * @param pinned whether all host memory so far was pinned, so that copies were asynchronous
   * @param copyNs how long the stream took for the copies, staging included, and {@code computeNs}
   *     for what functions compute on the device
   * @param stagedNs how long threads were held up by memory that is not pinned
   * @param waitNs how long the consumer, or its stream on the device, waited for batches that were
   *     under way
   * @param stepNs how long the consumer's stream worked on the batches that were measured; 0 where
   *     the host consumes them
   * @param roomWaitNs how long the thread that copies waited for a device batch to come back; it is
   *     part of the stage's {@code workNs}
   * @param deviceBytes of the device's memory in use, by whomever, when last looked at
   * @param deviceLimitBytes how much there is
   */
  public record TransferStats(
      String device,
      boolean pinned,
      long bytes,
      long copies,
      long copyNs,
      long computeNs,
      long stagedNs,
      long waitNs,
      long stepNs,
      long roomWaitNs,
      long deviceBytes,
      long deviceLimitBytes) {

    /** The share of copying and computing that went on beside the consumer's work: 0 to 1. */
    public double overlap() {
      long under = copyNs + computeNs;
      return under == 0 ? 0 : Math.clamp(1 - (double) waitNs / under, 0, 1);
    }

    /** What the copies carried, while they ran. */
    public double bytesPerSecond() {
      return copyNs == 0 ? 0 : bytes * 1e9 / copyNs;
    }
  }
}
