package dev.headrace.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.headrace.cuda.kernel.Program;
import dev.headrace.data.Log;
import dev.headrace.data.Scratch;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.Window;
import dev.headrace.device.DeviceException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs programs in one stream.
 *
 * <p>A program has a <em>slot</em> for its time: pinned memory in which the host puts what the
 * device reads, and memory of the device for tables and scratch. The thread that runs programs is
 * ahead of the device by as many as there are slots; then it waits for the oldest. Results that are
 * prepared together have slots of their own, however many they are.
 *
 * <p>JPEG files are decoded in a stream of the slot's own, so that the decoders work on one batch
 * while kernels work on the one before.
 *
 * <p><b>Threading:</b> one thread at a time.
 *
 * <p><b>Ownership:</b> holds the slots' memory until it is closed.
 */
final class ProgramRunner implements AutoCloseable {
  private static final System.Logger LOG = Log.named("headrace.cuda");

  private static final int PLAIN_SLOTS = 8;

  /** Fewer, since decoded images are large; the decoders are busy with two. */
  private static final int DECODING_SLOTS = 3;

  /** What tables and scratch memory are aligned to, as the driver does. */
  private static final long DEVICE_ALIGNMENT = 256;

  private static final long HOST_ALIGNMENT = 64;

  /** Copying files aside is done by few: memory is the limit. */
  private static final int COPYING_THREADS = 4;

  private final CudaContext context;
  private final Modules modules;
  private final DeviceDecoder decoder;
  private final Workers workers;
  private final long stream;
  private final BooleanSupplier isOver;
  private final Slots plain = new Slots(PLAIN_SLOTS);
  private final Slots decoding = new Slots(DECODING_SLOTS);
  private boolean hasWarned;

  /**
   * For programs of one stream.
   *
   * @param isOver whether no thread should wait any more, since the stream is being closed
   */
  ProgramRunner(
      CudaContext context,
      Modules modules,
      DeviceDecoder decoder,
      Workers workers,
      long stream,
      BooleanSupplier isOver) {
    this.context = context;
    this.modules = modules;
    this.decoder = decoder;
    this.workers = workers;
    this.stream = stream;
    this.isOver = isOver;
  }

  /**
   * Puts into pinned memory what a program needs of the host.
   *
   * @param target the address of the result
   * @return null if the stream was closed before that could be done
   */
  @Nullable Prepared prepare(Program program, long target) {
    List<Program.Decode> decodes = program.decodes();
    MemorySegment[] files = new MemorySegment[decodes.size()];
    BitSet byHost = new BitSet(decodes.size());
    for (int i = 0; i < files.length; i++) {
      files[i] = decodes.get(i).image().file();
      byHost.set(i, !decoder.takes(decodes.get(i), files[i]));
    }
    Slot slot = (files.length == 0 ? plain : decoding).next();
    if (!slot.await()) {
      return null;
    }
    Run run = new Run(program, target, files, byHost);
    run.fill(slot);
    return new Prepared(run, slot);
  }

  /** A program whose slot is filled; queued once, in the order of preparing. */
  final class Prepared {
    private final Slot slot;
    private Run run;

    private Prepared(Run run, Slot slot) {
      this.run = run;
      this.slot = slot;
    }

    /** Queues it; false if the stream was closed before. */
    boolean queue() {
      try {
        for (int status = run.decodeOnDevice(slot);
            status != NvJpeg.SUCCESS;
            status = run.decodeOnDevice(slot)) {
          giveToHost(run, slot, status, run.byHost);
          run = new Run(run.program, run.target, run.files, run.byHost);
          run.fill(slot);
        }
        run.queue(slot);
        decoder.countByHost(run.byHost.cardinality());
        return true;
      } finally {
        slot.isPrepared.release();
      }
    }
  }

  /** NvJPEG refuses a batch for one file in it: the host decodes that one, or all if it is none. */
  private void giveToHost(Run run, Slot slot, int status, BitSet byHost) {
    DeviceDecoder.Lane lane = slot.lane;
    if (lane != null) {
      context.call("cuStreamSynchronize", () -> CudaDriver.synchronizeStream(lane.stream()));
    }
    if (!hasWarned) {
      hasWarned = true;
      LOG.log(
          System.Logger.Level.WARNING,
          "device {0}: nvJPEG refused a batch ({1}); the host decodes what it cannot",
          context.name(),
          NvJpeg.describe(status));
    }
    int before = byHost.cardinality();
    run.findUnknown(slot, byHost);
    if (byHost.cardinality() == before) {
      byHost.set(0, run.files.length);
    }
  }

  /** Frees all memory; the stream does nothing any more. */
  @Override
  public void close() {
    plain.close();
    decoding.close();
  }

  private static long aligned(long bytes, long alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
  }

  // ---- one program ------------------------------------------------------------------------------

  /** One program with the places of all that it needs, as offsets in a slot's memory. */
  private final class Run {
    private final Program program;
    private final long target;
    private final MemorySegment[] files;
    private final BitSet byHost;

    // On the device: tables, then scratch. In pinned memory: tables, values, files or rows, arrays.
    private final Map<Program.Table, Long> tablesAt = new IdentityHashMap<>();
    private final long tableBytes;
    private final long[] scratchAt;
    private final long[] valuesAt;
    private final long[] decodesAt;
    private final long arraysAt;
    private final long deviceBytes;
    private final long pinnedBytes;

    Run(Program program, long target, MemorySegment[] files, BitSet byHost) {
      this.program = program;
      this.target = target;
      this.files = files;
      this.byHost = byHost;
      long bytes = 0;
      for (Program.Launch launch : program.launches()) {
        for (Program.Arg arg : launch.args()) {
          if (arg instanceof Program.Table table && !tablesAt.containsKey(table)) {
            tablesAt.put(table, bytes);
            bytes += aligned(table.bytes().length, DEVICE_ALIGNMENT);
          }
        }
      }
      this.tableBytes = bytes;
      this.scratchAt = new long[program.scratch().size()];
      for (int i = 0; i < scratchAt.length; i++) {
        scratchAt[i] = bytes;
        bytes += aligned(program.scratch().get(i).bytes(), DEVICE_ALIGNMENT);
      }
      this.deviceBytes = bytes;
      bytes = tableBytes;
      this.valuesAt = new long[program.hostValues().size()];
      for (int i = 0; i < valuesAt.length; i++) {
        valuesAt[i] = bytes;
        bytes += aligned(program.hostValues().get(i).tensor().byteSize(), HOST_ALIGNMENT);
      }
      this.decodesAt = new long[files.length];
      for (int i = 0; i < files.length; i++) {
        decodesAt[i] = bytes;
        bytes +=
            aligned(
                byHost.get(i) ? rowsBytes(program.decodes().get(i)) : files[i].byteSize(),
                HOST_ALIGNMENT);
      }
      this.arraysAt = bytes;
      this.pinnedBytes = bytes + DeviceDecoder.Batch.bytes(files.length);
    }

    /** The rows that an image's window touches, in full width. */
    private static long rowsBytes(Program.Decode decode) {
      return (long) decode.image().window().height() * decode.width() * decode.channels();
    }

    private long address(Program.Buffer buffer, Slot slot) {
      return switch (buffer) {
        case Program.Target _ -> target;
        case Program.ScratchBuffer scratch -> slot.device + scratchAt[scratch.index()];
        case Program.Source source -> addressOf(source.tensor());
      };
    }

    private long addressOf(Tensor tensor) {
      if (!(tensor.place() instanceof CudaPlace place) || !place.isOn(context)) {
        throw new IllegalArgumentException(
            "device %s: expected a tensor in its memory, but got %s"
                .formatted(context.name(), tensor));
      }
      return tensor.placedMemory().address();
    }

    // -- what the host does

    /** Makes room in a slot, and fills it. */
    void fill(Slot slot) {
      slot.reserve(pinnedBytes, deviceBytes);
      prepare(slot);
    }

    /** Puts into pinned memory all that the device will read. */
    void prepare(Slot slot) {
      tablesAt.forEach((table, at) -> writeTable(table, slot, at));
      workers.forEach(
          valuesAt.length,
          workers.most(),
          i -> {
            Tensor value = program.hostValues().get(i).tensor();
            value.copyInto(slot.pinned.asSlice(valuesAt[i], value.byteSize()), 0);
          });
      boolean anyByHost = !byHost.isEmpty();
      workers.forEach(
          files.length,
          anyByHost ? workers.most() : COPYING_THREADS,
          i -> {
            if (byHost.get(i)) {
              decode(
                  program.decodes().get(i),
                  slot.pinned.asSlice(decodesAt[i], rowsBytes(program.decodes().get(i))));
            } else {
              MemorySegment.copy(files[i], 0, slot.pinned, decodesAt[i], files[i].byteSize());
            }
          });
    }

    private void writeTable(Program.Table table, Slot slot, long at) {
      MemorySegment.copy(table.bytes(), 0, slot.pinned, JAVA_BYTE, at, table.bytes().length);
      for (Program.Address address : table.addresses()) {
        slot.pinned.set(
            JAVA_LONG_UNALIGNED,
            at + address.at(),
            address(address.buffer(), slot) + address.offset());
      }
    }

    /** Decodes an image's window to where it lies in rows of full width. */
    private static void decode(Program.Decode decode, MemorySegment rows) {
      Window window = decode.image().window();
      long rowBytes = (long) decode.width() * decode.channels();
      long partBytes = (long) window.width() * decode.channels();
      if (partBytes == rowBytes) {
        decode.image().evaluateInto(rows);
        return;
      }
      try (Scratch scratch = Scratch.take(partBytes * window.height())) {
        MemorySegment part = scratch.memory().asSlice(0, partBytes * window.height());
        decode.image().evaluateInto(part);
        long left = (long) window.left() * decode.channels();
        for (int row = 0; row < window.height(); row++) {
          MemorySegment.copy(part, row * partBytes, rows, row * rowBytes + left, partBytes);
        }
      }
    }

    // -- what the device does

    /** Queues the decoding in the slot's lane; returns nvJPEG's status. */
    int decodeOnDevice(Slot slot) {
      if (files.length == byHost.cardinality()) {
        return NvJpeg.SUCCESS;
      }
      DeviceDecoder.Lane lane = slot.lane();
      if (program.decodes().stream().anyMatch(decode -> decode.to() instanceof Program.Target)) {
        waitFor(lane.stream(), stream); // the result's memory may still be in use
      }
      long at = arraysAt;
      for (int channels : new int[] {3, 1}) {
        DeviceDecoder.Batch batch = batch(slot, channels, at);
        if (batch != null) {
          int status = lane.decode(batch, workers.most());
          if (status != NvJpeg.SUCCESS) {
            return status;
          }
          at += DeviceDecoder.Batch.bytes(batch.images());
        }
      }
      waitFor(stream, lane.stream());
      return NvJpeg.SUCCESS;
    }

    private void waitFor(long waiting, long awaited) {
      try (CudaEvent event = CudaEvent.record(context, awaited)) {
        event.holdUp(waiting);
      }
    }

    /** The images of one kind; null if there are none. */
    private DeviceDecoder.@Nullable Batch batch(Slot slot, int channels, long at) {
      int[] chosen = new int[files.length];
      int images = 0;
      for (int i = 0; i < files.length; i++) {
        if (!byHost.get(i) && program.decodes().get(i).channels() == channels) {
          chosen[images++] = i;
        }
      }
      if (images == 0) {
        return null;
      }
      MemorySegment[] staged = new MemorySegment[images];
      long[] targets = new long[images];
      int[] widths = new int[images];
      for (int i = 0; i < images; i++) {
        Program.Decode decode = program.decodes().get(chosen[i]);
        staged[i] = staged(slot, chosen[i]);
        targets[i] = address(decode.to(), slot) + decode.offset();
        widths[i] = decode.width();
      }
      return DeviceDecoder.Batch.write(
          slot.pinned.asSlice(at, DeviceDecoder.Batch.bytes(images)),
          channels,
          staged,
          targets,
          widths);
    }

    private MemorySegment staged(Slot slot, int file) {
      return slot.pinned.asSlice(decodesAt[file], files[file].byteSize());
    }

    /** Adds to {@code unknown} the files of the batch that nvJPEG does not know. */
    void findUnknown(Slot slot, BitSet unknown) {
      for (int i = 0; i < files.length; i++) {
        if (!byHost.get(i) && !decoder.isKnown(staged(slot, i))) {
          unknown.set(i);
        }
      }
    }

    /** Queues the copies and the launches. */
    void queue(Slot slot) {
      try {
        copy(slot, 0, tableBytes, slot.device);
        for (int i = 0; i < valuesAt.length; i++) {
          Program.HostValue value = program.hostValues().get(i);
          copy(
              slot,
              valuesAt[i],
              value.tensor().byteSize(),
              address(value.to(), slot) + value.offset());
        }
        for (int i = byHost.nextSetBit(0); i >= 0; i = byHost.nextSetBit(i + 1)) {
          Program.Decode decode = program.decodes().get(i);
          long skipped = (long) decode.image().window().top() * decode.width() * decode.channels();
          copy(
              slot,
              decodesAt[i],
              rowsBytes(decode),
              address(decode.to(), slot) + decode.offset() + skipped);
        }
        for (Program.Launch launch : program.launches()) {
          launch(launch, slot);
        }
      } finally {
        slot.busyUntil(stream);
      }
    }

    private void copy(Slot slot, long pinnedAt, long bytes, long to) {
      if (bytes > 0) {
        long from = slot.pinned.address() + pinnedAt;
        context.call("cuMemcpyHtoDAsync", () -> CudaDriver.copyToDevice(to, from, bytes, stream));
      }
    }

    private void launch(Program.Launch launch, Slot slot) {
      long function = modules.function(launch.ptx(), launch.entry(), launch.sharedBytes());
      try (Arena arena = Arena.ofConfined()) {
        int count = launch.args().size();
        MemorySegment values = arena.allocate(JAVA_LONG, Math.max(1, count));
        MemorySegment addresses = arena.allocate(JAVA_LONG, Math.max(1, count));
        for (int i = 0; i < count; i++) {
          long at = (long) i * Long.BYTES;
          switch (launch.args().get(i)) {
            case Program.Pointer(Program.Buffer buffer, long offset) ->
                values.set(JAVA_LONG, at, address(buffer, slot) + offset);
            case Program.Int(int value) -> values.set(JAVA_INT, at, value);
            case Program.Long(long value) -> values.set(JAVA_LONG, at, value);
            case Program.Float(float value) -> values.set(JAVA_FLOAT, at, value);
            case Program.Double(double value) -> values.set(JAVA_DOUBLE, at, value);
            case Program.Table table -> values.set(JAVA_LONG, at, slot.device + placeOf(table));
          }
          addresses.set(JAVA_LONG, at, values.address() + at);
        }
        context.call(
            "launch of kernel " + launch.entry(),
            () ->
                CudaDriver.launch(
                    function,
                    launch.gridX(),
                    launch.gridY(),
                    launch.gridZ(),
                    launch.blockX(),
                    launch.blockY(),
                    launch.sharedBytes(),
                    stream,
                    addresses.address()));
      }
    }

    private long placeOf(Program.Table table) {
      Long at = tablesAt.get(table);
      if (at == null) {
        throw new AssertionError("a table without a place");
      }
      return at;
    }
  }

  // ---- slots ------------------------------------------------------------------------------------

  /** Slots that take turns. */
  private final class Slots {
    private final int usual;
    private final List<Slot> slots = new ArrayList<>();
    private int turn;

    Slots(int usual) {
      this.usual = usual;
    }

    /**
     * The next one. Where that is prepared and not yet queued there is one more: the thread that
     * prepares many results of a batch may be the one that queues them, and must not wait for
     * itself.
     */
    Slot next() {
      boolean needsMore = slots.size() < usual || slots.get(turn).isUnqueued();
      if (needsMore) {
        slots.add(turn, new Slot());
      }
      Slot slot = slots.get(turn);
      turn = (turn + 1) % Math.max(usual, slots.size());
      return slot;
    }

    void close() {
      slots.forEach(Slot::close);
    }
  }

  /** Memory for the time of a program. */
  private final class Slot {
    private static final long LEAST_BYTES = 64 << 10;

    private MemorySegment pinned = MemorySegment.NULL;
    private long device;
    private long deviceBytes;
    private DeviceDecoder.@Nullable Lane lane;
    private @Nullable CudaEvent done;

    /** Taken from preparing until queueing, which another thread does. */
    private final Semaphore isPrepared = new Semaphore(1);

    boolean isUnqueued() {
      return isPrepared.availablePermits() == 0;
    }

    /** Waits until the device is through with it; false if the stream is being closed. */
    boolean await() {
      while (!isFree()) {
        if (isOver.getAsBoolean()) {
          return false;
        }
      }
      CudaEvent event = done;
      if (event == null) {
        return true;
      }
      if (!event.awaitUnless(isOver)) {
        return false;
      }
      done = null;
      event.close();
      return true;
    }

    private boolean isFree() {
      try {
        return isPrepared.tryAcquire(1, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        return isPrepared.tryAcquire();
      }
    }

    void busyUntil(long streamDone) {
      try {
        done = CudaEvent.record(context, streamDone);
      } catch (DeviceException e) {
        done = CudaEvent.failed(context, e);
      }
    }

    DeviceDecoder.Lane lane() {
      DeviceDecoder.Lane opened = lane;
      if (opened == null) {
        opened = decoder.openLane();
        lane = opened;
      }
      return opened;
    }

    /** Makes sure that there is that much memory; what there was is no longer in use. */
    @SuppressWarnings("restricted") // memory that was allocated with this size
    void reserve(long pinnedWanted, long deviceWanted) {
      if (pinned.byteSize() < pinnedWanted) {
        freePinned();
        long bytes = grown(pinnedWanted);
        pinned = MemorySegment.ofAddress(context.allocatePinned(bytes)).reinterpret(bytes);
      }
      if (deviceBytes < deviceWanted) {
        freeDevice();
        long bytes = grown(deviceWanted);
        device = context.allocate(bytes);
        deviceBytes = bytes;
      }
    }

    /** A quarter more than wanted: the next batch may be larger, and growing is expensive. */
    private static long grown(long bytes) {
      return aligned(Math.max(LEAST_BYTES, bytes + bytes / 4), DEVICE_ALIGNMENT);
    }

    private void freePinned() {
      if (pinned.byteSize() > 0) {
        context.freePinned(pinned.address());
        pinned = MemorySegment.NULL;
      }
    }

    private void freeDevice() {
      if (deviceBytes > 0) {
        context.free(device, deviceBytes);
        deviceBytes = 0;
      }
    }

    void close() {
      CudaEvent event = done;
      if (event != null) {
        event.close();
      }
      DeviceDecoder.Lane opened = lane;
      if (opened != null) {
        opened.close();
      }
      freePinned();
      freeDevice();
    }
  }
}
