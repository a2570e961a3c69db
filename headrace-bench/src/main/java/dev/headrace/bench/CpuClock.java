package dev.headrace.bench;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How long all threads of this process have computed.
 *
 * <p>Reads {@code clock_gettime}, because the JDK's own figure moves in steps of 10 ms on Linux;
 * where that function is not found, the JDK's figure it is.
 */
final class CpuClock {
  private static final int PROCESS_CPU_TIME = isMac() ? 12 : 2;
  private static final @Nullable MethodHandle CLOCK_GETTIME = find();
  private static final MemorySegment TIME = Arena.global().allocate(16, 8);

  private CpuClock() {}

  private static boolean isMac() {
    return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("mac");
  }

  private static @Nullable MethodHandle find() {
    try {
      Linker linker = Linker.nativeLinker();
      AddressLayout pointer = ValueLayout.ADDRESS;
      return linker
          .defaultLookup()
          .find("clock_gettime")
          .map(
              address ->
                  linker.downcallHandle(
                      address,
                      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, pointer)))
          .orElse(null);
    } catch (UnsupportedOperationException | IllegalCallerException e) {
      return null;
    }
  }

  /** Nanoseconds of computing, from an arbitrary start. */
  static synchronized long processNs() {
    MethodHandle clock = CLOCK_GETTIME;
    if (clock != null) {
      try {
        if ((int) clock.invokeExact(PROCESS_CPU_TIME, TIME) == 0) {
          return TIME.get(ValueLayout.JAVA_LONG, 0) * 1_000_000_000L
              + TIME.get(ValueLayout.JAVA_LONG, 8);
        }
      } catch (Throwable e) {
        throw new IllegalStateException("clock_gettime", e);
      }
    }
    if (ManagementFactory.getOperatingSystemMXBean()
        instanceof com.sun.management.OperatingSystemMXBean system) {
      return system.getProcessCpuTime();
    }
    throw new IllegalStateException(
        "cpu time: expected clock_gettime or com.sun.management, but this runtime has neither");
  }
}
