package dev.headrace.data;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * How this JVM lays out objects: the width of a reference, the length of headers, and what large
 * arrays take. It is asked once; one that cannot tell is taken to have 4-byte references and
 * 12-byte headers, as HotSpot has below 32 GB.
 *
 * <p>Under G1 an object of more than half a region takes whole regions, of which there are about
 * 2,048: a {@code byte[]} of 1 MB takes two regions of 1 MB. Weights do not tell that; {@link
 * #largestTake} does, and what all pipelines may take together is lowered by it.
 */
public final class HeapLayout {
  /** Bytes of a reference. */
  public static final int REFERENCE;

  /** Bytes before the first field of an object. */
  public static final int HEADER;

  /** Bytes before the first entry of an array. */
  public static final int ARRAY_HEADER;

  /** Objects of more bytes take whole regions of the heap. */
  private static final long LARGE;

  /** The bytes of a region; 1 where there are none. */
  private static final long REGION;

  private static volatile double largestTake = 1;
  private static volatile Runnable largeSeen = () -> {};

  static {
    REFERENCE = "false".equals(vmOption("UseCompressedOops")) ? 8 : 4;
    HEADER = "true".equals(vmOption("UseCompactObjectHeaders")) ? 8 : 12;
    ARRAY_HEADER = HEADER + 4;
    String region = "true".equals(vmOption("UseG1GC")) ? vmOption("G1HeapRegionSize") : null;
    REGION = region == null ? 1 : Long.parseLong(region);
    LARGE = REGION == 1 ? Long.MAX_VALUE : REGION / 2;
  }

  private HeapLayout() {}

  private static @Nullable String vmOption(String name) {
    try {
      HotSpotDiagnosticMXBean vm =
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
      return vm == null ? null : vm.getVMOption(name).getValue();
    } catch (LinkageError | RuntimeException e) {
      return null; // another JVM, or a runtime image without management
    }
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
    long bytes = aligned(ARRAY_HEADER + length * entryBytes);
    if (bytes > LARGE) {
      noteLarge(bytes);
    }
    return bytes;
  }

  private static void noteLarge(long bytes) {
    double takes = (double) ((bytes + REGION - 1) / REGION * REGION) / bytes;
    if (takes > largestTake + 0.01) {
      largestTake = takes;
      largeSeen.run();
    }
  }

  /**
   * How many times its size the most wasteful large array that was seen takes of the heap; 1 where
   * there was none.
   */
  public static double largestTake() {
    return largestTake;
  }

  /** Has {@code told} called whenever {@link #largestTake} grows, by the thread that met it. */
  public static void whenLargeSeen(Runnable told) {
    largeSeen = told;
  }

  /** The bytes of the table of a hash map that has grown to so many entries. */
  public static long hashTable(int entries) {
    if (entries == 0) {
      return 0;
    }
    long leastLength = (4L * entries + 2) / 3; // three quarters are filled at most
    return references(Math.max(16, 2 * Long.highestOneBit(leastLength - 1)));
  }

  /** The bytes of an array of so many references. */
  public static long references(long length) {
    return array(length, REFERENCE);
  }
}
