package dev.headrace.cuda;

import dev.headrace.device.DeviceException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The kernels of a device, compiled when they are first launched and kept by their text.
 *
 * <p><b>Threading:</b> safe for any number of threads; while one compiles, others wait.
 *
 * <p><b>Ownership:</b> of the device.
 */
final class Modules implements AutoCloseable {
  private static final int MOST_KEPT = 256;
  private static final long LOG_BYTES = 16 << 10;
  private static final int SHARED_BYTES_UNASKED = 48 << 10;

  private final CudaContext context;

  /** Least recently launched first; guarded by itself. */
  private final LinkedHashMap<String, Module> modules = new LinkedHashMap<>(16, 0.75f, true);

  private final int most;

  Modules(CudaContext context) {
    this(context, MOST_KEPT);
  }

  Modules(CudaContext context, int most) {
    this.context = context;
    this.most = most;
  }

  private record Module(long handle, Map<String, Long> functions) {}

  /**
   * The kernel of that name in a module.
   *
   * @param sharedBytes how much shared memory it will be launched with
   * @throws DeviceException if the text cannot be compiled, with the compiler's messages
   */
  long function(String ptx, String entry, int sharedBytes) {
    synchronized (modules) {
      Module module = modules.get(ptx);
      if (module == null) {
        makeRoom();
        module = new Module(load(ptx, entry), new HashMap<>());
        modules.put(ptx, module);
      }
      Long known = module.functions.get(entry);
      long function = known != null ? known : find(module.handle, entry);
      module.functions.put(entry, function);
      if (sharedBytes > SHARED_BYTES_UNASKED) {
        context.call(
            "cuFuncSetAttribute", () -> CudaDriver.allowSharedBytes(function, sharedBytes));
      }
      return function;
    }
  }

  private long load(String ptx, String entry) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment log = arena.allocate(LOG_BYTES);
      long[] module = new long[1];
      int result =
          context.callQuietly(
              () -> {
                int code = CudaDriver.loadModule(ptx, log);
                module[0] = CudaDriver.result();
                return code;
              });
      if (result == CudaDriver.UNSUPPORTED_PTX_VERSION) {
        throw new DeviceException(
            context.name(),
            "kernel %s cannot be compiled: expected PTX of a version that the driver knows, but it is newer; update the driver, or use an older compiler (%s)"
                .formatted(entry, CudaDriver.describe(result)),
            null);
      }
      String messages = log.getString(0).strip();
      if (result != CudaDriver.SUCCESS && !messages.isEmpty() && !CudaContext.endsAll(result)) {
        throw new DeviceException(
            context.name(),
            "kernel %s cannot be compiled: %s: %s"
                .formatted(entry, CudaDriver.describe(result), messages),
            null);
      }
      context.check("cuModuleLoadDataEx of kernel " + entry, result);
      return module[0];
    }
  }

  private long find(long module, String entry) {
    return context.call(
        "cuModuleGetFunction of kernel " + entry,
        () -> CudaDriver.function(module, entry),
        CudaDriver::result);
  }

  private void makeRoom() {
    if (modules.size() < most) {
      return;
    }
    // Half at once: a kernel may be running, and waiting for all of them is expensive.
    int _ = context.callQuietly(CudaDriver::synchronizeContext);
    List<String> oldest = new ArrayList<>(modules.keySet()).subList(0, Math.max(1, most / 2));
    for (String text : oldest) {
      Module module = modules.remove(text);
      if (module != null) {
        unload(module);
      }
    }
  }

  private void unload(Module module) {
    int _ = context.callQuietly(() -> CudaDriver.unloadModule(module.handle));
  }

  /** Forgets all; no kernel runs any more. */
  @Override
  public void close() {
    synchronized (modules) {
      modules.values().forEach(this::unload);
      modules.clear();
    }
  }
}
