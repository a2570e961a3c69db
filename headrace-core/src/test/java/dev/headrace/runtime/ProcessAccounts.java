package dev.headrace.runtime;

/** What tests may see of the accounts that all pipelines share. */
public final class ProcessAccounts {
  private ProcessAccounts() {}

  /** The most bytes of elements that all pipelines ever held at once, as far as they know. */
  public static long heapPeakBytes() {
    return ProcessMemory.HEAP.peakBytes();
  }

  public static long heapBytes() {
    return ProcessMemory.HEAP.usedBytes();
  }

  public static long heapLimitBytes() {
    return ProcessMemory.HEAP.limitBytes();
  }
}
