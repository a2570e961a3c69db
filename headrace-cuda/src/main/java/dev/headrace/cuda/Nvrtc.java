package dev.headrace.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * NVIDIA's run-time compiler, where there is one: the only class that calls it. It needs no GPU.
 *
 * <p>It is looked for in the file that the property {@code headrace.nvrtc} names, else by the
 * system's loader.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 */
final class Nvrtc {
  static final String PROPERTY = "headrace.nvrtc";
  private static final List<String> NAMES =
      List.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so");
  private static final int SUCCESS = 0;

  private final MethodHandle create;
  private final MethodHandle compile;
  private final MethodHandle destroy;
  private final MethodHandle logSize;
  private final MethodHandle log;
  private final MethodHandle ptxSize;
  private final MethodHandle ptx;
  private final MethodHandle errorText;

  private Nvrtc(SymbolLookup library) {
    this.create =
        of(library, "nvrtcCreateProgram", ADDRESS, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS);
    this.compile = of(library, "nvrtcCompileProgram", JAVA_LONG, JAVA_INT, ADDRESS);
    this.destroy = of(library, "nvrtcDestroyProgram", ADDRESS);
    this.logSize = of(library, "nvrtcGetProgramLogSize", JAVA_LONG, ADDRESS);
    this.log = of(library, "nvrtcGetProgramLog", JAVA_LONG, ADDRESS);
    this.ptxSize = of(library, "nvrtcGetPTXSize", JAVA_LONG, ADDRESS);
    this.ptx = of(library, "nvrtcGetPTX", JAVA_LONG, ADDRESS);
    this.errorText = errorText(library);
  }

  /**
   * Compiles CUDA C++ to PTX.
   *
   * @throws UnsupportedOperationException if the compiler is missing
   * @throws IllegalArgumentException if the source does not compile
   */
  static String compile(String source, String name, List<String> options) {
    Nvrtc library = Found.LIBRARY;
    if (library == null) {
      throw new UnsupportedOperationException("kernel " + name + ": " + Found.PROBLEM);
    }
    return library.compiled(source, name, options);
  }

  private static final class Found {
    static final @Nullable Nvrtc LIBRARY;
    static final String PROBLEM;

    static {
      Nvrtc library = null;
      String problem = "";
      String file = System.getProperty(PROPERTY);
      try {
        library = find(file);
        if (library == null) {
          problem = missing(file);
        }
      } catch (IllegalCallerException e) {
        problem = CudaDriver.nativeAccessDenied(Nvrtc.class.getModule());
      }
      LIBRARY = library;
      PROBLEM = problem;
    }
  }

  static String missing(@Nullable String file) {
    return file != null
        ? "expected NVRTC in the file that %s names, but got %s, which cannot be loaded as such"
            .formatted(PROPERTY, file)
        : "expected NVRTC (%s), but the system's loader does not find it; install it, set %s to its file, or compile with nvcc -ptx and use ofPtx"
            .formatted(String.join(", ", NAMES), PROPERTY);
  }

  @SuppressWarnings("restricted") // the signatures are those of nvrtc.h
  private static @Nullable Nvrtc find(@Nullable String file) {
    for (String name : file != null ? List.of(file) : NAMES) {
      try {
        return new Nvrtc(
            file != null
                ? SymbolLookup.libraryLookup(Path.of(name), Arena.global())
                : SymbolLookup.libraryLookup(name, Arena.global()));
      } catch (IllegalArgumentException | NoSuchElementException e) {
        continue; // the next one, or none
      }
    }
    return null;
  }

  @SuppressWarnings("restricted")
  private static MethodHandle of(SymbolLookup library, String name, MemoryLayout... parameters) {
    return Linker.nativeLinker()
        .downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, parameters));
  }

  @SuppressWarnings("restricted")
  private static MethodHandle errorText(SymbolLookup library) {
    return Linker.nativeLinker()
        .downcallHandle(
            library.findOrThrow("nvrtcGetErrorString"), FunctionDescriptor.of(ADDRESS, JAVA_INT));
  }

  private String compiled(String source, String name, List<String> options) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment handle = arena.allocate(JAVA_LONG);
      int result =
          (int)
              create.invokeExact(
                  handle,
                  arena.allocateFrom(source),
                  arena.allocateFrom(name + ".cu"),
                  0,
                  MemorySegment.NULL,
                  MemorySegment.NULL);
      check(name, "nvrtcCreateProgram", result);
      try {
        long program = handle.get(JAVA_LONG, 0);
        MemorySegment texts = arena.allocate(ADDRESS, Math.max(1, options.size()));
        for (int i = 0; i < options.size(); i++) {
          texts.setAtIndex(ADDRESS, i, arena.allocateFrom(options.get(i)));
        }
        result = (int) compile.invokeExact(program, options.size(), texts);
        if (result != SUCCESS) {
          throw new IllegalArgumentException(
              "kernel %s: expected CUDA C++ that compiles, but got %s: %s"
                  .formatted(name, describe(result), text(arena, program, logSize, log).strip()));
        }
        return text(arena, program, ptxSize, ptx);
      } finally {
        int _ = (int) destroy.invokeExact(handle);
      }
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  private String text(Arena arena, long program, MethodHandle size, MethodHandle content)
      throws Throwable {
    MemorySegment bytes = arena.allocate(JAVA_LONG);
    int result = (int) size.invokeExact(program, bytes);
    MemorySegment text = arena.allocate(Math.max(1, bytes.get(JAVA_LONG, 0)) + 1);
    if (result == SUCCESS) {
      result = (int) content.invokeExact(program, text);
    }
    return result == SUCCESS ? text.getString(0) : "";
  }

  private void check(String name, String function, int result) throws Throwable {
    if (result != SUCCESS) {
      throw new IllegalStateException(
          "kernel %s: %s failed: %s".formatted(name, function, describe(result)));
    }
  }

  @SuppressWarnings("restricted") // a constant text of the library
  private String describe(int result) throws Throwable {
    MemorySegment text = (MemorySegment) errorText.invokeExact(result);
    return text.reinterpret(256).getString(0);
  }
}
