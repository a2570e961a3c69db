package dev.headrace.cuda;

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
import org.jspecify.annotations.Nullable;

/**
 * NVIDIA's JPEG library, where there is one: the only class that calls it.
 *
 * <p>It is looked for in the file that the property {@code headrace.nvjpeg} names, else by the
 * system's loader. Each method is one function of the library, called in the context that is the
 * thread's current one; handles are plain numbers.
 *
 * <p><b>Threading:</b> safe for any number of threads; a state is used by one at a time.
 */
final class NvJpeg {
  static final String PROPERTY = "headrace.nvjpeg";
  private static final List<String> NAMES =
      List.of("libnvjpeg.so.13", "libnvjpeg.so.12", "libnvjpeg.so");

  static final int SUCCESS = 0;

  /** One value of luminance per pixel. */
  static final int OUTPUT_Y = 2;

  /** Red, green, blue, pixel by pixel. */
  static final int OUTPUT_RGBI = 5;

  /** Bytes of an {@code nvjpegImage_t}: four addresses, then four distances between rows. */
  static final int IMAGE_BYTES = 64;

  static final int IMAGE_PITCH_AT = 32;

  private static final int SUBSAMPLING_444 = 0;
  private static final int FLAG_INTERPOLATED_CHROMA = 1 << 5;

  /** Who decodes, best first. */
  enum Backend {
    /** Engines of the chip that do nothing else. */
    HARDWARE(3, "the chip's JPEG engines"),
    /** Kernels; the host reads the Huffman codes where batches are small. */
    GPU_HYBRID(2, "kernels on the GPU"),
    DEFAULT(0, "host and GPU together");

    private final int number;
    private final String text;

    Backend(int number, String text) {
      this.number = number;
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private final String where;
  private final MethodHandle create;
  private final MethodHandle destroy;
  private final MethodHandle createState;
  private final MethodHandle destroyState;
  private final MethodHandle initialize;
  private final MethodHandle decode;
  private final @Nullable MethodHandle preallocate;
  private final MethodHandle createStream;
  private final MethodHandle destroyStream;
  private final MethodHandle parse;
  private final MethodHandle supported;

  private NvJpeg(SymbolLookup library, String where) {
    this.where = where;
    this.create =
        of(library, "nvjpegCreateEx", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
    this.destroy = of(library, "nvjpegDestroy", JAVA_LONG);
    this.createState = of(library, "nvjpegJpegStateCreate", JAVA_LONG, JAVA_LONG);
    this.destroyState = of(library, "nvjpegJpegStateDestroy", JAVA_LONG);
    this.initialize =
        of(
            library,
            "nvjpegDecodeBatchedInitialize",
            JAVA_LONG,
            JAVA_LONG,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT);
    this.decode =
        of(
            library,
            "nvjpegDecodeBatched",
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG);
    this.preallocate =
        library.find("nvjpegDecodeBatchedPreAllocate").isEmpty()
            ? null
            : of(
                library,
                "nvjpegDecodeBatchedPreAllocate",
                JAVA_LONG,
                JAVA_LONG,
                JAVA_INT,
                JAVA_INT,
                JAVA_INT,
                JAVA_INT,
                JAVA_INT);
    this.createStream = of(library, "nvjpegJpegStreamCreate", JAVA_LONG, JAVA_LONG);
    this.destroyStream = of(library, "nvjpegJpegStreamDestroy", JAVA_LONG);
    this.parse =
        of(library, "nvjpegJpegStreamParseHeader", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    this.supported = of(library, "nvjpegDecodeBatchedSupported", JAVA_LONG, JAVA_LONG, JAVA_LONG);
  }

  // ---- whether it is there ----------------------------------------------------------------------

  /** The library, or in one sentence what is missing. */
  record Search(@Nullable NvJpeg library, String problem) {}

  /** Looks for the library once, with the property as it was then. */
  static Search find() {
    return Found.SEARCH;
  }

  private static final class Found {
    static final Search SEARCH = search(System.getProperty(PROPERTY));
  }

  @SuppressWarnings("restricted") // the signatures are those of nvjpeg.h
  static Search search(@Nullable String file) {
    try {
      if (file != null) {
        return at(Path.of(file));
      }
      for (String name : NAMES) {
        Search found = named(name);
        if (found.library != null) {
          return found;
        }
      }
      return new Search(
          null,
          "expected nvJPEG (%s), but the system's loader does not find it; install it, or set %s to its file"
              .formatted(String.join(", ", NAMES), PROPERTY));
    } catch (IllegalCallerException e) {
      return new Search(null, CudaDriver.nativeAccessDenied(NvJpeg.class.getModule()));
    }
  }

  @SuppressWarnings("restricted")
  private static Search at(Path file) {
    try {
      SymbolLookup symbols = SymbolLookup.libraryLookup(file, Arena.global());
      return new Search(new NvJpeg(symbols, file.toString()), "");
    } catch (IllegalArgumentException | java.util.NoSuchElementException e) {
      return new Search(
          null,
          "expected nvJPEG in the file that %s names, but got %s, which cannot be loaded as such"
              .formatted(PROPERTY, file));
    }
  }

  @SuppressWarnings("restricted")
  private static Search named(String name) {
    try {
      return new Search(new NvJpeg(SymbolLookup.libraryLookup(name, Arena.global()), name), "");
    } catch (IllegalArgumentException | java.util.NoSuchElementException e) {
      return new Search(null, name);
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle of(SymbolLookup library, String name, MemoryLayout... parameters) {
    return Linker.nativeLinker()
        .downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, parameters));
  }

  /** Which library this is. */
  String where() {
    return where;
  }

  // ---- its functions ----------------------------------------------------------------------------

  /** A handle for decoding; 0 if the chip, or the library, has no such backend. */
  long create(Backend backend) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      // As the host does it. Libraries before 12.2 do not know the flag.
      int result =
          (int) create.invokeExact(backend.number, 0L, 0L, FLAG_INTERPOLATED_CHROMA, out.address());
      if (result != SUCCESS) {
        result = (int) create.invokeExact(backend.number, 0L, 0L, 0, out.address());
      }
      return result == SUCCESS ? out.get(JAVA_LONG, 0) : 0;
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  void destroy(long handle) {
    try {
      int _ = (int) destroy.invokeExact(handle);
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  /** A state in which one batch after the other can be decoded; 0 if there is no memory for it. */
  long createState(long handle) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      int result = (int) createState.invokeExact(handle, out.address());
      if (result != SUCCESS) {
        return 0;
      }
      long state = out.get(JAVA_LONG, 0);
      if (preallocate != null) {
        // However little is asked for: from then on the state keeps its memory from batch to batch.
        int _ = (int) preallocate.invokeExact(handle, state, 1, 1, 1, SUBSAMPLING_444, OUTPUT_RGBI);
      }
      return state;
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  void destroyState(long state) {
    try {
      int _ = (int) destroyState.invokeExact(state);
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  int initialize(long handle, long state, int images, int hostThreads, int format) {
    try {
      return (int) initialize.invokeExact(handle, state, images, hostThreads, format);
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  /**
   * Queues the decoding of a batch.
   *
   * @param files addresses of the files, in the host's memory
   * @param lengths their bytes
   * @param images an {@code nvjpegImage_t} for each
   */
  int decode(long handle, long state, long files, long lengths, long images, long stream) {
    try {
      return (int) decode.invokeExact(handle, state, files, lengths, images, stream);
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  /** Something into which headers are read; 0 if there is no memory for it. */
  long createParser(long handle) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      int result = (int) createStream.invokeExact(handle, out.address());
      return result == SUCCESS ? out.get(JAVA_LONG, 0) : 0;
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  void destroyParser(long parser) {
    try {
      int _ = (int) destroyStream.invokeExact(parser);
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  /** Whether a batch may hold this file, which lies in native memory. */
  boolean takes(long handle, long parser, MemorySegment file) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment isNot = arena.allocate(JAVA_INT);
      int parsed = (int) parse.invokeExact(handle, file.address(), file.byteSize(), parser);
      if (parsed != SUCCESS) {
        return false;
      }
      int asked = (int) supported.invokeExact(handle, parser, isNot.address());
      return asked == SUCCESS && isNot.get(JAVA_INT, 0) == 0;
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  /** A status by its name. */
  static String describe(int status) {
    return switch (status) {
      case 0 -> "NVJPEG_STATUS_SUCCESS";
      case 1 -> "NVJPEG_STATUS_NOT_INITIALIZED";
      case 2 -> "NVJPEG_STATUS_INVALID_PARAMETER";
      case 3 -> "NVJPEG_STATUS_BAD_JPEG";
      case 4 -> "NVJPEG_STATUS_JPEG_NOT_SUPPORTED";
      case 5 -> "NVJPEG_STATUS_ALLOCATOR_FAILURE";
      case 6 -> "NVJPEG_STATUS_EXECUTION_FAILED";
      case 7 -> "NVJPEG_STATUS_ARCH_MISMATCH";
      case 8 -> "NVJPEG_STATUS_INTERNAL_ERROR";
      case 9 -> "NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED";
      case 10 -> "NVJPEG_STATUS_INCOMPLETE_BITSTREAM";
      default -> "nvJPEG status " + status;
    };
  }
}
