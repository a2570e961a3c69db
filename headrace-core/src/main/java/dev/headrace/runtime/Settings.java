package dev.headrace.runtime;

import dev.headrace.data.SpillSpace;
import dev.headrace.spi.NanoClock;
import java.time.Duration;

/**
 * What the engine needs to know to run a plan.
 *
 * @param deterministic whether parallel operators keep order unless told otherwise
 * @param debug whether everything runs on the caller's thread
 * @param ownedBatches whether batches are the garbage collector's instead of reused
 * @param strictBatches whether every batch that may be reused is, however small, so that one that
 *     is held too long is found out
 * @param cpuBudget how many cores computing functions may use
 * @param threadLimit how many platform threads one operator may have
 * @param virtualLimit how many virtual threads one operator may have
 * @param heapBudget bytes of elements on the heap
 * @param nativeBudget bytes of batch memory off the heap
 * @param memoryBudget bytes of both together
 * @param process what all pipelines of this process may take
 * @param stallAfter how long the consumer may wait without progress before it is reported
 * @param closeGrace how long closing waits for functions of the user that ignore interruption
 * @param clock by which waits and stalls are measured
 * @param tunes whether threads and buffers without a number from the user are changed while running
 * @param spill where to write what does not fit into memory
 */
public record Settings(
    boolean deterministic,
    boolean debug,
    boolean ownedBatches,
    boolean strictBatches,
    int cpuBudget,
    int threadLimit,
    int virtualLimit,
    long heapBudget,
    long nativeBudget,
    long memoryBudget,
    Budgets process,
    Duration stallAfter,
    Duration closeGrace,
    NanoClock clock,
    boolean tunes,
    SpillSpace spill) {

  /** Bytes on the heap, off it, and of both together. */
  public record Budgets(long heap, long offHeap, long together) {}
}
