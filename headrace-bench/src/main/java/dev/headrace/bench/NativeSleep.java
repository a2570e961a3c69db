package dev.headrace.bench;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Waiting inside native code, which no virtual thread can leave: {@code usleep}. */
final class NativeSleep {
  private static final MethodHandle USLEEP = find();

  private NativeSleep() {}

  private static MethodHandle find() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("usleep"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  }

  /** Waits, and returns {@code result}. */
  static long micros(int micros, long result) {
    try {
      int status = (int) USLEEP.invokeExact(micros);
      return status == 0 ? result : -1;
    } catch (Throwable e) {
      throw new IllegalStateException("usleep", e);
    }
  }
}
