package dev.headrace.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.headrace.device.DeviceException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/**
 * NVIDIA's driver, {@code libcuda.so.1}: the only class that calls it.
 *
 * <p>Each method is one function of the driver and returns its result code, which {@link
 * CudaContext} checks; addresses and handles are plain numbers. Loading this class calls nothing:
 * where there is no driver, {@link #require} says so.
 *
 * <p><b>Threading:</b> any number of threads. What a function gives back besides its code lies in
 * memory of the thread, until the thread's next call.
 */
final class CudaDriver {
  static final String LIBRARY = "libcuda.so.1";

  static final int SUCCESS = 0;
  static final int OUT_OF_MEMORY = 2;
  static final int STUB_LIBRARY = 34;
  static final int NO_DEVICE = 100;
  static final int NOT_READY = 600;
  static final int SYSTEM_DRIVER_MISMATCH = 803;

  static final int ATTRIBUTE_MULTIPROCESSORS = 16;
  static final int ATTRIBUTE_CAPABILITY_MAJOR = 75;
  static final int ATTRIBUTE_CAPABILITY_MINOR = 76;

  private static final int STREAM_NON_BLOCKING = 1;
  private static final int HOST_ALLOC_PORTABLE = 1;
  private static final int JIT_ERROR_LOG_BUFFER = 5;
  private static final int JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;
  private static final int FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8;

  private static final int MOST_NAME_BYTES = 256;
  private static final Path CONTROL_FILE = Path.of("/dev/nvidiactl");

  /** Where functions of the driver put what they give back. */
  private static final ThreadLocal<MemorySegment> RESULT =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(MOST_NAME_BYTES, Long.BYTES));

  private CudaDriver() {}

  // ---- whether it is there ----------------------------------------------------------------------

  /** Loads the driver's library, or remembers why it cannot be. */
  private static final class Library {
    static final @Nullable SymbolLookup SYMBOLS;
    static final String PROBLEM;
    static final @Nullable Throwable CAUSE;

    static {
      SymbolLookup symbols = null;
      String why = "";
      Throwable thrown = null;
      try {
        symbols = SymbolLookup.libraryLookup(LIBRARY, Arena.global());
      } catch (IllegalCallerException e) {
        why = nativeAccessDenied(CudaDriver.class.getModule());
        thrown = e;
      } catch (IllegalArgumentException e) {
        why = notFound(System.getProperty("os.name", ""));
        thrown = e;
      }
      SYMBOLS = symbols;
      PROBLEM = why;
      CAUSE = thrown;
    }
  }

  static String nativeAccessDenied(Module module) {
    return "expected permission to call native code, but Java was told to deny it; start it with"
        + " --enable-native-access="
        + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
  }

  static String notFound(String system) {
    return "expected NVIDIA's driver ("
        + LIBRARY
        + "), but the system's loader does not find it; "
        + (system.equals("Linux")
            ? "install the driver, or let the container see it (nvidia-smi must work)"
            : "GPUs are supported on Linux, and this is " + system);
  }

  /**
   * Makes sure that the driver is there and works.
   *
   * @throws DeviceException if not, saying in one sentence what is missing
   */
  static void require(String device) {
    if (Library.SYMBOLS == null) {
      throw new DeviceException(device, Library.PROBLEM, Library.CAUSE);
    }
    int result;
    try {
      result = call(Functions.INIT, 0);
    } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
      throw new DeviceException(
          device, "expected a driver of CUDA 11.2 or later, but an older one is installed", e);
    }
    if (result != SUCCESS) {
      boolean isForbidden =
          Files.exists(CONTROL_FILE)
              && !(Files.isReadable(CONTROL_FILE) && Files.isWritable(CONTROL_FILE));
      throw new DeviceException(device, startProblem(result, describe(result), isForbidden), null);
    }
  }

  static String startProblem(int result, String error, boolean isForbidden) {
    if (isForbidden) {
      return "expected permission to use %s, but it is denied; add the user to the group of that file (%s)"
          .formatted(CONTROL_FILE, error);
    }
    return switch (result) {
      case NO_DEVICE ->
          "expected an NVIDIA GPU, but the driver finds none; look at nvidia-smi and"
              + " CUDA_VISIBLE_DEVICES ("
              + error
              + ")";
      case STUB_LIBRARY ->
          "expected NVIDIA's driver, but "
              + LIBRARY
              + " is the toolkit's stub; take it off LD_LIBRARY_PATH ("
              + error
              + ")";
      case SYSTEM_DRIVER_MISMATCH ->
          "expected a driver that fits its kernel module, but their versions differ; restart the"
              + " machine ("
              + error
              + ")";
      default -> "expected the driver to start, but it does not: " + error;
    };
  }

  /** A result code by its name and text, as in {@code CUDA_ERROR_OUT_OF_MEMORY (out of memory)}. */
  static String describe(int result) {
    String name = text(Functions.ERROR_NAME, result);
    return name.isEmpty()
        ? "CUDA error " + result
        : "%s (%s)".formatted(name, text(Functions.ERROR_TEXT, result));
  }

  private static String text(MethodHandle function, int result) {
    MemorySegment out = RESULT.get();
    return call(function, result, out.address()) == SUCCESS ? string(out.get(JAVA_LONG, 0)) : "";
  }

  @SuppressWarnings("restricted") // a constant text of the driver
  private static String string(long address) {
    return address == 0 ? "" : MemorySegment.ofAddress(address).reinterpret(1024).getString(0);
  }

  // ---- what the last call of this thread gave back ----------------------------------------------

  /** A handle, an address or a size. */
  static long result() {
    return RESULT.get().get(JAVA_LONG, 0);
  }

  static int intResult() {
    return RESULT.get().get(JAVA_INT, 0);
  }

  static long secondResult() {
    return RESULT.get().get(JAVA_LONG, Long.BYTES);
  }

  static float floatResult() {
    return RESULT.get().get(JAVA_FLOAT, 0);
  }

  static String stringResult() {
    return RESULT.get().getString(0);
  }

  private static long out() {
    return RESULT.get().address();
  }

  // ---- devices and contexts ---------------------------------------------------------------------

  /** Gives the newest version of CUDA that the driver knows: 1000 × major + 10 × minor. */
  static int driverVersion() {
    return call(Functions.DRIVER_VERSION, out());
  }

  static int deviceCount() {
    return call(Functions.DEVICE_COUNT, out());
  }

  static int device(int ordinal) {
    return call(Functions.DEVICE_GET, out(), ordinal);
  }

  static int deviceName(int device) {
    return call(Functions.DEVICE_NAME, out(), MOST_NAME_BYTES, device);
  }

  static int deviceAttribute(int attribute, int device) {
    return call(Functions.DEVICE_ATTRIBUTE, out(), attribute, device);
  }

  static int deviceMemory(int device) {
    return call(Functions.DEVICE_MEMORY, out(), device);
  }

  static int retainPrimaryContext(int device) {
    return call(Functions.PRIMARY_CONTEXT_RETAIN, out(), device);
  }

  static int releasePrimaryContext(int device) {
    return call(Functions.PRIMARY_CONTEXT_RELEASE, device);
  }

  static int currentContext() {
    return call(Functions.CONTEXT_CURRENT, out());
  }

  static int pushContext(long context) {
    return call(Functions.CONTEXT_PUSH, context);
  }

  static int popContext() {
    return call(Functions.CONTEXT_POP, out());
  }

  static int synchronizeContext() {
    return call(Functions.CONTEXT_SYNCHRONIZE);
  }

  // ---- memory -----------------------------------------------------------------------------------

  /** Gives the free bytes, then all bytes. */
  static int memoryInfo() {
    long out = out();
    return call(Functions.MEMORY_INFO, out, out + Long.BYTES);
  }

  static int allocate(long bytes) {
    return call(Functions.ALLOCATE, out(), bytes);
  }

  static int free(long address) {
    return call(Functions.FREE, address);
  }

  /** Gives pinned memory of the host that every context sees as such. */
  static int allocateHost(long bytes) {
    return call(Functions.ALLOCATE_HOST, out(), bytes, HOST_ALLOC_PORTABLE);
  }

  static int freeHost(long address) {
    return call(Functions.FREE_HOST, address);
  }

  static int copyToDevice(long to, long fromHost, long bytes, long stream) {
    return call(Functions.COPY_TO_DEVICE, to, fromHost, bytes, stream);
  }

  static int copyToHost(long toHost, long from, long bytes, long stream) {
    return call(Functions.COPY_TO_HOST, toHost, from, bytes, stream);
  }

  static int copyOnDevice(long to, long from, long bytes, long stream) {
    return call(Functions.COPY_ON_DEVICE, to, from, bytes, stream);
  }

  static int fill(long to, byte value, long bytes, long stream) {
    return call(Functions.FILL, to, value, bytes, stream);
  }

  // ---- streams and events -----------------------------------------------------------------------

  /** Gives the lowest priority, then the highest, as 4 bytes each. */
  static int streamPriorities() {
    long out = out();
    return call(Functions.STREAM_PRIORITIES, out, out + Integer.BYTES);
  }

  /** Gives a stream that does not wait for the legacy default stream. */
  static int createStream(int priority) {
    return call(Functions.STREAM_CREATE, out(), STREAM_NON_BLOCKING, priority);
  }

  static int destroyStream(long stream) {
    return call(Functions.STREAM_DESTROY, stream);
  }

  static int streamWaits(long stream, long event) {
    return call(Functions.STREAM_WAIT_EVENT, stream, event, 0);
  }

  static int synchronizeStream(long stream) {
    return call(Functions.STREAM_SYNCHRONIZE, stream);
  }

  static int createEvent() {
    return call(Functions.EVENT_CREATE, out(), 0);
  }

  static int destroyEvent(long event) {
    return call(Functions.EVENT_DESTROY, event);
  }

  static int recordEvent(long event, long stream) {
    return call(Functions.EVENT_RECORD, event, stream);
  }

  static int queryEvent(long event) {
    return call(Functions.EVENT_QUERY, event);
  }

  /** Gives milliseconds as a float. */
  static int elapsed(long startEvent, long endEvent) {
    return call(Functions.EVENT_ELAPSED, out(), startEvent, endEvent);
  }

  // ---- kernels ----------------------------------------------------------------------------------

  /**
   * Compiles PTX and gives the module.
   *
   * @param log memory for the compiler's messages, zeroed
   */
  static int loadModule(String ptx, MemorySegment log) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment options =
          arena.allocateFrom(JAVA_INT, JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
      MemorySegment values = arena.allocateFrom(JAVA_LONG, log.address(), log.byteSize());
      return call(
          Functions.MODULE_LOAD,
          out(),
          arena.allocateFrom(ptx).address(),
          2,
          options.address(),
          values.address());
    }
  }

  static int unloadModule(long module) {
    return call(Functions.MODULE_UNLOAD, module);
  }

  static int function(long module, String name) {
    try (Arena arena = Arena.ofConfined()) {
      return call(Functions.MODULE_FUNCTION, out(), module, arena.allocateFrom(name).address());
    }
  }

  /** Lets a kernel have that much shared memory; without it, 48 KB are the most. */
  static int allowSharedBytes(long function, int bytes) {
    return call(
        Functions.FUNCTION_SET_ATTRIBUTE, function, FUNCTION_MAX_DYNAMIC_SHARED_BYTES, bytes);
  }

  /**
   * Launches a kernel.
   *
   * @param arguments an array of addresses, one of each argument's value; copied before the call
   *     returns
   */
  static int launch(
      long function,
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int sharedBytes,
      long stream,
      long arguments) {
    try {
      return (int)
          Functions.LAUNCH.invokeExact(
              function, gridX, gridY, gridZ, blockX, blockY, 1, sharedBytes, stream, arguments, 0L);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  // ---- calling ----------------------------------------------------------------------------------

  /** Resolved once. All take and give plain numbers. */
  private static final class Functions {
    static final MethodHandle INIT = of("cuInit", JAVA_INT);
    static final MethodHandle ERROR_NAME = of("cuGetErrorName", JAVA_INT, JAVA_LONG);
    static final MethodHandle ERROR_TEXT = of("cuGetErrorString", JAVA_INT, JAVA_LONG);
    static final MethodHandle DRIVER_VERSION = of("cuDriverGetVersion", JAVA_LONG);
    static final MethodHandle DEVICE_COUNT = of("cuDeviceGetCount", JAVA_LONG);
    static final MethodHandle DEVICE_GET = of("cuDeviceGet", JAVA_LONG, JAVA_INT);
    static final MethodHandle DEVICE_NAME = of("cuDeviceGetName", JAVA_LONG, JAVA_INT, JAVA_INT);
    static final MethodHandle DEVICE_ATTRIBUTE =
        of("cuDeviceGetAttribute", JAVA_LONG, JAVA_INT, JAVA_INT);
    static final MethodHandle DEVICE_MEMORY = of("cuDeviceTotalMem_v2", JAVA_LONG, JAVA_INT);
    static final MethodHandle PRIMARY_CONTEXT_RETAIN =
        of("cuDevicePrimaryCtxRetain", JAVA_LONG, JAVA_INT);
    static final MethodHandle PRIMARY_CONTEXT_RELEASE =
        of("cuDevicePrimaryCtxRelease_v2", JAVA_INT);
    static final MethodHandle CONTEXT_CURRENT = of("cuCtxGetCurrent", JAVA_LONG);
    static final MethodHandle CONTEXT_PUSH = of("cuCtxPushCurrent_v2", JAVA_LONG);
    static final MethodHandle CONTEXT_POP = of("cuCtxPopCurrent_v2", JAVA_LONG);
    static final MethodHandle CONTEXT_SYNCHRONIZE = of("cuCtxSynchronize");
    static final MethodHandle MEMORY_INFO = of("cuMemGetInfo_v2", JAVA_LONG, JAVA_LONG);
    static final MethodHandle ALLOCATE = of("cuMemAlloc_v2", JAVA_LONG, JAVA_LONG);
    static final MethodHandle FREE = of("cuMemFree_v2", JAVA_LONG);
    static final MethodHandle ALLOCATE_HOST = of("cuMemHostAlloc", JAVA_LONG, JAVA_LONG, JAVA_INT);
    static final MethodHandle FREE_HOST = of("cuMemFreeHost", JAVA_LONG);
    static final MethodHandle COPY_TO_DEVICE =
        of("cuMemcpyHtoDAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    static final MethodHandle COPY_TO_HOST =
        of("cuMemcpyDtoHAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    static final MethodHandle COPY_ON_DEVICE =
        of("cuMemcpyDtoDAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    static final MethodHandle FILL =
        of("cuMemsetD8Async", JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);
    static final MethodHandle STREAM_PRIORITIES =
        of("cuCtxGetStreamPriorityRange", JAVA_LONG, JAVA_LONG);
    static final MethodHandle STREAM_CREATE =
        of("cuStreamCreateWithPriority", JAVA_LONG, JAVA_INT, JAVA_INT);
    static final MethodHandle STREAM_DESTROY = of("cuStreamDestroy_v2", JAVA_LONG);
    static final MethodHandle STREAM_WAIT_EVENT =
        of("cuStreamWaitEvent", JAVA_LONG, JAVA_LONG, JAVA_INT);
    static final MethodHandle STREAM_SYNCHRONIZE = of("cuStreamSynchronize", JAVA_LONG);
    static final MethodHandle EVENT_CREATE = of("cuEventCreate", JAVA_LONG, JAVA_INT);
    static final MethodHandle EVENT_DESTROY = of("cuEventDestroy_v2", JAVA_LONG);
    static final MethodHandle EVENT_RECORD = of("cuEventRecord", JAVA_LONG, JAVA_LONG);
    static final MethodHandle EVENT_QUERY = of("cuEventQuery", JAVA_LONG);
    static final MethodHandle EVENT_ELAPSED =
        of(
            has("cuEventElapsedTime_v2") ? "cuEventElapsedTime_v2" : "cuEventElapsedTime",
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG);
    static final MethodHandle MODULE_LOAD =
        of("cuModuleLoadDataEx", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    static final MethodHandle MODULE_UNLOAD = of("cuModuleUnload", JAVA_LONG);
    static final MethodHandle MODULE_FUNCTION =
        of("cuModuleGetFunction", JAVA_LONG, JAVA_LONG, JAVA_LONG);
    static final MethodHandle FUNCTION_SET_ATTRIBUTE =
        of("cuFuncSetAttribute", JAVA_LONG, JAVA_INT, JAVA_INT);
    static final MethodHandle LAUNCH =
        raw(
            "cuLaunchKernel",
            FunctionDescriptor.of(
                JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT,
                JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private static boolean has(String name) {
      return Library.SYMBOLS != null && Library.SYMBOLS.find(name).isPresent();
    }

    /** A function that is called with longs, whatever it takes, so that few shapes call all. */
    private static MethodHandle of(String name, MemoryLayout... parameters) {
      MethodType longs =
          MethodType.methodType(
              int.class, Collections.nCopies(parameters.length, (Class<?>) long.class));
      return MethodHandles.explicitCastArguments(
          raw(name, FunctionDescriptor.of(JAVA_INT, parameters)), longs);
    }

    @SuppressWarnings("restricted") // the signatures are those of cuda.h
    private static MethodHandle raw(String name, FunctionDescriptor descriptor) {
      SymbolLookup symbols = Library.SYMBOLS;
      if (symbols == null) {
        throw new IllegalStateException(Library.PROBLEM);
      }
      return Linker.nativeLinker().downcallHandle(symbols.findOrThrow(name), descriptor);
    }
  }

  private static int call(MethodHandle function) {
    try {
      return (int) function.invokeExact();
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static int call(MethodHandle function, long a) {
    try {
      return (int) function.invokeExact(a);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static int call(MethodHandle function, long a, long b) {
    try {
      return (int) function.invokeExact(a, b);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static int call(MethodHandle function, long a, long b, long c) {
    try {
      return (int) function.invokeExact(a, b, c);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static int call(MethodHandle function, long a, long b, long c, long d) {
    try {
      return (int) function.invokeExact(a, b, c, d);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static int call(MethodHandle function, long a, long b, long c, long d, long e) {
    try {
      return (int) function.invokeExact(a, b, c, d, e);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** A downcall declares no exception; what comes nevertheless is the virtual machine's. */
  static RuntimeException unexpected(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    if (e instanceof RuntimeException exception) {
      return exception;
    }
    throw new AssertionError(e);
  }
}
