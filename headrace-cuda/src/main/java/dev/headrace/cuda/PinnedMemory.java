package dev.headrace.cuda;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Which memory of the host is pinned, for all GPUs of the process.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 */
final class PinnedMemory {
  /** Where each range ends, by where it begins. */
  private static final ConcurrentSkipListMap<Long, Long> RANGES = new ConcurrentSkipListMap<>();

  private PinnedMemory() {}

  static void add(long address, long bytes) {
    RANGES.put(address, address + bytes);
  }

  static void remove(long address) {
    RANGES.remove(address);
  }

  /** How much there is. */
  static long bytes() {
    long bytes = 0;
    for (Map.Entry<Long, Long> range : RANGES.entrySet()) {
      bytes += range.getValue() - range.getKey();
    }
    return bytes;
  }

  /** Whether all of it lies in one pinned range. */
  static boolean contains(MemorySegment memory) {
    if (!memory.isNative()) {
      return false;
    }
    Map.Entry<Long, Long> range = RANGES.floorEntry(memory.address());
    return range != null && memory.address() + memory.byteSize() <= range.getValue();
  }
}
