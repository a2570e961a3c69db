package dev.headrace.image;

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
import java.lang.invoke.MethodHandles;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * libturbojpeg by its {@code tj} functions, which versions 2.1 and 3 both have: the only class that
 * calls it.
 *
 * <p><b>Threading:</b> any number of threads. <b>Ownership:</b> each thread has a decompressor of
 * its own, freed some time after the thread has ended.
 */
final class TurboJpeg {
  static final int RGB = 0;
  static final int GREY = 6;
  static final int CMYK = 11;

  static final int FAST_UPSAMPLE = 256;
  static final int FAST_DCT = 2048;
  static final int ACCURATE_DCT = 4096;
  static final int LIMIT_SCANS = 32768;

  private static final Cleaner CLEANER = Cleaner.create();
  private static final long MAX_MESSAGE_BYTES = 200;

  private final String where;
  private final MethodHandle init;
  private final MethodHandle destroy;
  private final MethodHandle decompress;
  private final MethodHandle errorCode;
  private final MethodHandle errorText;
  private final ThreadLocal<Decompressor> decompressors =
      ThreadLocal.withInitial(this::newDecompressor);

  private TurboJpeg(SymbolLookup library, String where) {
    this.where = where;
    Linker linker = Linker.nativeLinker();
    // C's long, for the length of the data: 4 bytes on Windows, 8 elsewhere.
    MemoryLayout cLong = Objects.requireNonNull(linker.canonicalLayouts().get("long"));
    this.init = handle(linker, library, "tjInitDecompress", FunctionDescriptor.of(ADDRESS));
    this.destroy = handle(linker, library, "tjDestroy", FunctionDescriptor.of(JAVA_INT, ADDRESS));
    MethodHandle raw =
        handle(
            linker,
            library,
            "tjDecompress2",
            FunctionDescriptor.of(
                JAVA_INT, ADDRESS, ADDRESS, cLong, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT,
                JAVA_INT));
    this.decompress =
        cLong.byteSize() == JAVA_LONG.byteSize()
            ? raw
            : MethodHandles.explicitCastArguments(
                raw, raw.type().changeParameterType(2, long.class));
    this.errorCode =
        handle(linker, library, "tjGetErrorCode", FunctionDescriptor.of(JAVA_INT, ADDRESS));
    this.errorText =
        handle(linker, library, "tjGetErrorStr2", FunctionDescriptor.of(ADDRESS, ADDRESS));
  }

  /**
   * The library in this file.
   *
   * @throws IllegalArgumentException if it cannot be loaded, or is older than 2.1
   */
  static TurboJpeg at(Path file) {
    return load(SymbolLookup.libraryLookup(file, Arena.global()), file.toString());
  }

  /**
   * The library that the system's loader finds by this name.
   *
   * @throws IllegalArgumentException if there is none, or it is older than 2.1
   */
  static TurboJpeg named(String name) {
    return load(SymbolLookup.libraryLookup(name, Arena.global()), name);
  }

  private static TurboJpeg load(SymbolLookup library, String where) {
    return new TurboJpeg(library, where);
  }

  private static MethodHandle handle(
      Linker linker, SymbolLookup library, String name, FunctionDescriptor descriptor) {
    MemorySegment symbol =
        library
            .find(name)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "libturbojpeg: expected version 2.1 or later, but there is no " + name));
    return linker.downcallHandle(symbol, descriptor);
  }

  String where() {
    return where;
  }

  /**
   * Decodes into {@code destination}, rows without gaps.
   *
   * @param jpeg native memory
   * @param destination native memory of exactly these bytes
   * @return the first warning, or null if there was none
   * @throws InvalidImageException if the library gives up
   */
  @Nullable String decompress(
      MemorySegment jpeg,
      MemorySegment destination,
      int width,
      int height,
      int pixelFormat,
      int flags) {
    JpegDecoder.checkDestination(destination, width, height, pixelBytes(pixelFormat));
    Decompressor decompressor = decompressors.get();
    try {
      int result =
          (int)
              decompress.invokeExact(
                  decompressor.handle,
                  jpeg,
                  jpeg.byteSize(),
                  destination,
                  width,
                  0,
                  height,
                  pixelFormat,
                  flags);
      if (result == 0) {
        return null;
      }
      MemorySegment text = (MemorySegment) errorText.invokeExact(decompressor.handle);
      String message = text.reinterpret(MAX_MESSAGE_BYTES).getString(0, StandardCharsets.UTF_8);
      boolean isWarning = (int) errorCode.invokeExact(decompressor.handle) == 0;
      if (isWarning && isOfDamage(message)) {
        return message;
      }
      throw new InvalidImageException(
          "decodeJpeg: expected a valid file, but got one that libturbojpeg refuses: " + message);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e); // a downcall declares none
    }
  }

  private static int pixelBytes(int pixelFormat) {
    return switch (pixelFormat) {
      case GREY -> 1;
      case RGB -> 3;
      case CMYK -> 4;
      default -> throw new AssertionError(pixelFormat);
    };
  }

  /**
   * Whether a message is one of libjpeg's warnings. An error behind a warning is reported as a
   * warning too, with the error's text, and then there are no pixels.
   */
  private static boolean isOfDamage(String message) {
    return message.contains("Corrupt JPEG data")
        || message.contains("Premature end of JPEG file")
        || message.contains("Inconsistent progression sequence")
        || message.contains("Invalid SOS parameters");
  }

  private Decompressor newDecompressor() {
    try {
      MemorySegment handle = (MemorySegment) init.invokeExact();
      if (handle.address() == 0) {
        throw new OutOfMemoryError("libturbojpeg: no memory for a decompressor");
      }
      Decompressor decompressor = new Decompressor(handle);
      MethodHandle free = destroy;
      CLEANER.register(decompressor, () -> free(free, handle));
      return decompressor;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private static void free(MethodHandle destroy, MemorySegment handle) {
    try {
      int ignored = (int) destroy.invokeExact(handle);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** A thread's decompressor; a class of its own so that the cleaner can watch it. */
  private static final class Decompressor {
    private final MemorySegment handle;

    Decompressor(MemorySegment handle) {
      this.handle = handle;
    }
  }
}
