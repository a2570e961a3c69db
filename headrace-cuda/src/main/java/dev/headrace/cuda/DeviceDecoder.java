package dev.headrace.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.headrace.cuda.kernel.Program;
import dev.headrace.device.DeviceException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Decodes JPEG files on the device, where nvJPEG is there and knows how.
 *
 * <p>What it gives differs from what the host decodes in the last bits.
 *
 * <p><b>Threading:</b> safe for any number of threads; a lane is used by one at a time.
 *
 * <p><b>Ownership:</b> of the device, which closes it after its lanes.
 */
final class DeviceDecoder implements AutoCloseable {
  private final CudaContext context;
  private final @Nullable NvJpeg library;
  private final NvJpeg.Backend backend;
  private final long handle;
  private final String problem;
  private final CallingThread engines;
  private final LongAdder byDevice = new LongAdder();
  private final LongAdder byHost = new LongAdder();

  private DeviceDecoder(
      CudaContext context,
      @Nullable NvJpeg library,
      NvJpeg.Backend backend,
      long handle,
      String problem) {
    this.context = context;
    this.library = library;
    this.backend = backend;
    this.handle = handle;
    this.problem = problem;
    this.engines = new CallingThread("cuda JPEG engines of " + context.name());
  }

  /** The best decoder there is, or one that takes no file and says why. */
  static DeviceDecoder open(CudaContext context, NvJpeg.Search search) {
    NvJpeg library = search.library();
    if (library == null) {
      return new DeviceDecoder(context, null, NvJpeg.Backend.DEFAULT, 0, search.problem());
    }
    for (NvJpeg.Backend backend : NvJpeg.Backend.values()) {
      long handle = created(context, library, backend);
      if (handle != 0) {
        return new DeviceDecoder(context, library, backend, handle, "");
      }
    }
    return new DeviceDecoder(
        context,
        null,
        NvJpeg.Backend.DEFAULT,
        0,
        "expected nvJPEG to work, but none of its decoders can be made on this device");
  }

  private static long created(CudaContext context, NvJpeg library, NvJpeg.Backend backend) {
    long[] handle = new long[1];
    context.call(
        "nvjpegCreateEx",
        () -> {
          handle[0] = library.create(backend);
          return CudaDriver.SUCCESS;
        });
    return handle[0];
  }

  /** Who decodes, in words. */
  String describe() {
    return library == null ? "the host (" + problem + ")" : backend + " (" + library.where() + ")";
  }

  /** How many images the device has decoded. */
  long byDevice() {
    return byDevice.sum();
  }

  /** How many images the host has decoded in its place. */
  long byHost() {
    return byHost.sum();
  }

  void countByHost(int images) {
    byHost.add(images);
  }

  /** Whether the device should be given this file. */
  boolean takes(Program.Decode decode, MemorySegment file) {
    if (library == null || !decode.image().isPlain()) {
      return false;
    }
    JpegFrame frame = JpegFrame.read(file);
    return frame != null
        && frame.isBaseline()
        && frame.isWhole()
        && frame.isYcc()
        && frame.height() == decode.height()
        && frame.width() == decode.width()
        && (frame.components() == 3 || decode.channels() == 1);
  }

  /**
   * Whether nvJPEG itself would take this file of native memory: asked where it refused a batch.
   */
  boolean isKnown(MemorySegment file) {
    NvJpeg jpeg = library;
    if (jpeg == null) {
      return false;
    }
    boolean[] known = new boolean[1];
    context.call(
        "nvjpegDecodeBatchedSupported",
        () -> {
          long parser = jpeg.createParser(handle);
          if (parser != 0) {
            known[0] = jpeg.takes(handle, parser, file);
            jpeg.destroyParser(parser);
          }
          return CudaDriver.SUCCESS;
        });
    return known[0];
  }

  /** A lane, in which one batch after the other is decoded. */
  Lane openLane() {
    NvJpeg jpeg = library;
    if (jpeg == null) {
      throw new DeviceException(context.name(), problem, null);
    }
    return new Lane(jpeg);
  }

  /** Frees what the library holds; there is no lane any more. */
  @Override
  public void close() {
    engines.close();
    NvJpeg jpeg = library;
    if (jpeg != null) {
      int _ =
          context.callQuietly(
              () -> {
                jpeg.destroy(handle);
                return CudaDriver.SUCCESS;
              });
    }
  }

  /** Images of one kind that lie ready: addresses of what nvJPEG reads. */
  record Batch(int images, int format, long files, long lengths, long targets) {
    /** What the three arrays take in all. */
    static long bytes(int images) {
      return images * (2L * Long.BYTES + NvJpeg.IMAGE_BYTES);
    }

    /**
     * Writes the arrays into {@code memory}, native and of {@link #bytes}.
     *
     * @param files where they lie, in the host's memory
     * @param targets where the pixels go, in the device's
     */
    static Batch write(
        MemorySegment memory, int channels, MemorySegment[] files, long[] targets, int[] widths) {
      int images = files.length;
      long lengthsAt = (long) images * Long.BYTES;
      long targetsAt = 2 * lengthsAt;
      memory.fill((byte) 0);
      for (int i = 0; i < images; i++) {
        memory.setAtIndex(JAVA_LONG, i, files[i].address());
        memory.setAtIndex(JAVA_LONG, images + i, files[i].byteSize());
        long target = targetsAt + (long) i * NvJpeg.IMAGE_BYTES;
        memory.set(JAVA_LONG, target, targets[i]);
        memory.set(JAVA_LONG, target + NvJpeg.IMAGE_PITCH_AT, (long) widths[i] * channels);
      }
      return new Batch(
          images,
          channels == 1 ? NvJpeg.OUTPUT_Y : NvJpeg.OUTPUT_RGBI,
          memory.address(),
          memory.address() + lengthsAt,
          memory.address() + targetsAt);
    }
  }

  /**
   * A stream of its own with what nvJPEG needs to decode in it.
   *
   * <p><b>Threading:</b> one thread at a time, and a batch only after the one before is done.
   */
  final class Lane implements AutoCloseable {
    private final NvJpeg jpeg;
    private final long stream;

    // One state for each kind of image, since a state is busy until its batch is done.
    private final long[] states = new long[2];
    private final int[] initializedFor = new int[2];

    private Lane(NvJpeg jpeg) {
      this.jpeg = jpeg;
      this.stream = context.call("cuStreamCreate", CudaDriver::createStream, CudaDriver::result);
    }

    /** The stream in which it decodes. */
    long stream() {
      return stream;
    }

    /**
     * Queues the decoding of a batch.
     *
     * @return nvJPEG's status; if it is not 0 nothing of the batch is sure to be there
     */
    int decode(Batch batch, int hostThreads) {
      int kind = batch.format == NvJpeg.OUTPUT_Y ? 1 : 0;
      int status =
          backend == NvJpeg.Backend.HARDWARE
              ? engines.call(() -> called(batch, kind, hostThreads), batch.images)
              : called(batch, kind, hostThreads);
      if (status == NvJpeg.SUCCESS) {
        byDevice.add(batch.images);
      } else {
        initializedFor[kind] = 0;
      }
      return status;
    }

    private int called(Batch batch, int kind, int hostThreads) {
      int[] status = new int[1];
      context.call(
          "nvjpegDecodeBatched",
          () -> {
            status[0] = decode(batch, kind, hostThreads);
            return CudaDriver.SUCCESS;
          });
      return status[0];
    }

    private int decode(Batch batch, int kind, int hostThreads) {
      if (states[kind] == 0) {
        states[kind] = jpeg.createState(handle);
        if (states[kind] == 0) {
          throw new DeviceException(
              context.name(), "expected memory for decoding JPEG files, but there is none", null);
        }
      }
      if (initializedFor[kind] != batch.images) {
        // The engines read the codes themselves.
        int threads = backend == NvJpeg.Backend.HARDWARE ? 1 : hostThreads;
        int status = jpeg.initialize(handle, states[kind], batch.images, threads, batch.format);
        if (status != NvJpeg.SUCCESS) {
          return status;
        }
        initializedFor[kind] = batch.images;
      }
      return jpeg.decode(handle, states[kind], batch.files, batch.lengths, batch.targets, stream);
    }

    /** Frees all of it, when what was queued is done. */
    @Override
    public void close() {
      int _ =
          context.callQuietly(
              () -> {
                int _ = CudaDriver.synchronizeStream(stream);
                for (long state : states) {
                  if (state != 0) {
                    jpeg.destroyState(state);
                  }
                }
                return CudaDriver.destroyStream(stream);
              });
    }
  }
}
