package dev.headrace.data;

import java.lang.management.ManagementFactory;

/**
 * How this JVM lays out objects: the width of a reference and the length of headers. They are
 * measured once, by what two small objects take; a JVM that cannot tell is taken to have 4-byte
 * references and 12-byte headers, as HotSpot has below 32 GB.
 */
public final class HeapLayout {
  private static final int PROBES = 1024;

  /** Bytes of a reference. */
  public static final int REFERENCE;

  /** Bytes before the first field of an object. */
  public static final int HEADER;

  /** Bytes before the first entry of an array. */
  public static final int ARRAY_HEADER;

  static {
    long[] measured = measured();
    REFERENCE = measured[0] >= 8 * PROBES ? 8 : 4;
    HEADER = measured[1] > 0 && measured[1] < 24 ? 8 : 12;
    ARRAY_HEADER = HEADER + 4;
  }

  private HeapLayout() {}

  /** What an array of references and a boxed long were measured to take; 0 where unknown. */
  private static long[] measured() {
    try {
      if (ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
          && threads.isThreadAllocatedMemorySupported()
          && threads.isThreadAllocatedMemoryEnabled()) {
        Object[] kept = new Object[4];
        long[] at = new long[4];
        for (int round = 0; round < 2; round++) { // the first one loads classes
          at[0] = threads.getCurrentThreadAllocatedBytes();
          at[1] = threads.getCurrentThreadAllocatedBytes();
          kept[0] = new Object[PROBES];
          at[2] = threads.getCurrentThreadAllocatedBytes();
          kept[1] = Long.valueOf(1L << 40);
          at[3] = threads.getCurrentThreadAllocatedBytes();
        }
        long asking = at[1] - at[0];
        return new long[] {at[2] - at[1] - asking, at[3] - at[2] - asking};
      }
    } catch (LinkageError | UnsupportedOperationException e) {
      return new long[2]; // a runtime image without management
    }
    return new long[2];
  }

  /** The bytes that an object takes whose header and fields are so long. */
  public static long aligned(long bytes) {
    return (bytes + 7) & ~7L;
  }

  /** The bytes of an object whose fields take so many. */
  public static long object(long fieldBytes) {
    return aligned(HEADER + fieldBytes);
  }

  /** The bytes of an array of so many entries of this width. */
  public static long array(long length, int entryBytes) {
    return aligned(ARRAY_HEADER + length * entryBytes);
  }

  /** The bytes of the table of a hash map that has grown to so many entries. */
  public static long hashTable(int entries) {
    long length = 16;
    while (length * 3 / 4 < entries) {
      length *= 2;
    }
    return entries == 0 ? 0 : references(length);
  }

  /** The bytes of an array of so many references. */
  public static long references(long length) {
    return array(length, REFERENCE);
  }
}
