package dev.headrace.cuda.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Memory that stands for a device's: native memory of which only pieces that were allocated may be
 * touched, at places that their size divides.
 */
final class DeviceMemory {
  private final Arena arena = Arena.ofAuto();
  private final NavigableMap<Long, MemorySegment> pieces = new TreeMap<>();
  private MemorySegment last = MemorySegment.NULL;

  /** A piece of memory, full of bytes that nobody expects. */
  MemorySegment allocate(long bytes) {
    MemorySegment piece = arena.allocate(Math.max(1, bytes), 256).asSlice(0, bytes);
    piece.fill((byte) 0xCD);
    add(piece);
    return piece;
  }

  /** Lets memory be touched that was made elsewhere. */
  void add(MemorySegment piece) {
    pieces.put(piece.address(), piece);
  }

  /** The piece that has {@code bytes} bytes at {@code address}. */
  private MemorySegment piece(long address, int bytes) {
    MemorySegment piece = last;
    if (!holds(piece, address, bytes)) {
      Map.Entry<Long, MemorySegment> entry = pieces.floorEntry(address);
      if (entry == null || !holds(entry.getValue(), address, bytes)) {
        throw new IndexOutOfBoundsException("%d bytes at %x".formatted(bytes, address));
      }
      piece = entry.getValue();
      last = piece;
    }
    if (address % bytes != 0) {
      throw new IllegalStateException("%d bytes at %x are not aligned".formatted(bytes, address));
    }
    return piece;
  }

  private static boolean holds(MemorySegment piece, long address, int bytes) {
    return address >= piece.address() && address + bytes <= piece.address() + piece.byteSize();
  }

  /** The bits of {@code bytes} bytes, not extended. */
  long load(long address, int bytes) {
    MemorySegment piece = piece(address, bytes);
    return PtxInterpreter.load(piece, address - piece.address(), bytes);
  }

  void store(long address, int bytes, long bits) {
    MemorySegment piece = piece(address, bytes);
    PtxInterpreter.store(piece, address - piece.address(), bytes, bits);
  }
}
