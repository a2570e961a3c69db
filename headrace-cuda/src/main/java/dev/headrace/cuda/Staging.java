package dev.headrace.cuda;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Copies between the device and host memory that is not pinned, through two pieces that are: one is
 * copied by the device while the calling thread copies the other.
 *
 * <p><b>Threading:</b> safe for any number of threads, one at a time.
 *
 * <p><b>Ownership:</b> holds pinned memory from its first use until it is closed.
 */
final class Staging implements AutoCloseable {
  private static final long PIECE_BYTES = 4 << 20;
  private static final int PIECES = 2;

  private final CudaContext context;
  private final long stream;
  private final BooleanSupplier isOver;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private MemorySegment memory = MemorySegment.NULL;
  private final @Nullable CudaEvent[] copied = new @Nullable CudaEvent[PIECES];

  /**
   * For copies of one stream.
   *
   * @param isOver whether no thread should wait any more, since the stream is being closed
   */
  Staging(CudaContext context, long stream, BooleanSupplier isOver) {
    this.context = context;
    this.stream = stream;
    this.isOver = isOver;
  }

  /**
   * Copies {@code host} to an address of the device, and waits until it is there.
   *
   * @return false if the stream was closed meanwhile
   */
  boolean toDevice(MemorySegment host, long device) {
    lock.lock();
    try {
      int turn = 0;
      for (long at = 0; at < host.byteSize(); at += PIECE_BYTES, turn = 1 - turn) {
        if (!await(turn)) {
          return false;
        }
        MemorySegment piece = piece(turn, Math.min(PIECE_BYTES, host.byteSize() - at));
        MemorySegment.copy(host, at, piece, 0, piece.byteSize());
        long to = device + at;
        context.call(
            "cuMemcpyHtoDAsync",
            () -> CudaDriver.copyToDevice(to, piece.address(), piece.byteSize(), stream));
        copied[turn] = CudaEvent.record(context, stream);
      }
      return await(turn) && await(1 - turn);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Copies from an address of the device to {@code host}, and waits until it is there.
   *
   * @return false if the stream was closed meanwhile
   */
  boolean toHost(long device, MemorySegment host) {
    lock.lock();
    try {
      fetch(device, host.byteSize(), 0, 0);
      int turn = 0;
      for (long at = 0; at < host.byteSize(); at += PIECE_BYTES, turn = 1 - turn) {
        fetch(device, host.byteSize(), at + PIECE_BYTES, 1 - turn);
        if (!await(turn)) {
          return false;
        }
        MemorySegment piece = piece(turn, Math.min(PIECE_BYTES, host.byteSize() - at));
        MemorySegment.copy(piece, 0, host, at, piece.byteSize());
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Begins to copy the piece at {@code at}, if there is one. */
  private void fetch(long device, long bytes, long at, int turn) {
    if (at >= bytes) {
      return;
    }
    MemorySegment piece = piece(turn, Math.min(PIECE_BYTES, bytes - at));
    context.call(
        "cuMemcpyDtoHAsync",
        () -> CudaDriver.copyToHost(piece.address(), device + at, piece.byteSize(), stream));
    copied[turn] = CudaEvent.record(context, stream);
  }

  @SuppressWarnings("restricted") // memory that was allocated with this size
  private MemorySegment piece(int turn, long bytes) {
    if (memory.byteSize() == 0) {
      long all = PIECES * PIECE_BYTES;
      memory = MemorySegment.ofAddress(context.allocatePinned(all)).reinterpret(all);
    }
    return memory.asSlice(turn * PIECE_BYTES, bytes);
  }

  /** Waits until a piece is copied; false if the stream was closed first. */
  private boolean await(int turn) {
    CudaEvent event = copied[turn];
    if (event == null) {
      return true;
    }
    try {
      if (!event.awaitUnless(isOver)) {
        return false;
      }
    } finally {
      if (event.isDone()) {
        copied[turn] = null;
        event.close();
      }
    }
    return true;
  }

  /** Frees the memory; the stream does nothing any more. */
  @Override
  public void close() {
    lock.lock();
    try {
      for (int turn = 0; turn < PIECES; turn++) {
        CudaEvent event = copied[turn];
        if (event != null) {
          copied[turn] = null;
          event.close();
        }
      }
      if (memory.byteSize() > 0) {
        context.freePinned(memory.address());
        memory = MemorySegment.NULL;
      }
    } finally {
      lock.unlock();
    }
  }
}
