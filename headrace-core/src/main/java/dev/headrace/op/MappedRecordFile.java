package dev.headrace.op;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordFormat;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A TFRecord file, or a part of one, that lies in memory, mapped or read; its records are pieces of
 * that memory, not copies.
 *
 * <p><b>Ownership:</b> the memory is the garbage collector's, who keeps it as long as records do.
 */
final class MappedRecordFile extends RecordFile {
  /*
   * A file that is cut while it is mapped makes the processor fault where its pages were. The JVM
   * turns that into an InternalError in code that it compiled and when memory is copied, but dies
   * of it inside its checksum routine. So checksums are computed on a copy of each piece; it stays
   * in the cache, and what is read from memory is read once. The error may come a little after the
   * access, which then has given anything, so that a checksum does not fit: it is fetched there.
   */
  private static final int PIECE_BYTES = 64 * 1024;
  private static final ValueLayout.OfLong LENGTH =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt CRC =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment memory;

  /** Where in the file the memory begins. */
  private final long base;

  private final long size;
  private final CRC32C crc = new CRC32C();
  private byte[] piece = {};
  private long offset;

  MappedRecordFile(MemorySegment memory, long base, boolean quietEnd) {
    super(quietEnd);
    this.memory = memory;
    this.base = base;
    this.size = memory.byteSize();
  }

  @Override
  public long offset() {
    return base + offset;
  }

  @Override
  @Nullable Tensor read() throws IOException {
    long at = offset;
    if (!check()) {
      return null;
    }
    long length = offset - at - TfRecordFormat.FRAME_BYTES;
    return Tensor.wrapString(memory.asSlice(at + TfRecordFormat.HEADER_BYTES, length));
  }

  @Override
  boolean check() throws IOException {
    try {
      return checked();
    } catch (IOException e) {
      throw settled(e);
    } catch (InternalError fault) {
      throw gone(fault);
    }
  }

  /** What is wrong, or the error that is on its way, which is why. */
  private IOException settled(IOException seen) {
    try {
      Thread.yield(); // where such an error arrives
    } catch (InternalError fault) {
      return gone(fault);
    }
    return seen;
  }

  private boolean checked() throws IOException {
    long length = header();
    if (length < 0) {
      return false;
    }
    long data = offset + TfRecordFormat.HEADER_BYTES;
    boolean fits = masked(data, length) == memory.get(CRC, data + length);
    if (!fits) {
      throw damagedData(length);
    }
    offset = data + length + TfRecordFormat.FOOTER_BYTES;
    return true;
  }

  @Override
  long length() throws IOException {
    try {
      return header();
    } catch (IOException e) {
      throw settled(e);
    } catch (InternalError fault) {
      throw gone(fault);
    }
  }

  private long header() throws IOException {
    long left = size - offset;
    if (left < TfRecordFormat.HEADER_BYTES) {
      endInHeader(left);
      return -1;
    }
    long length = memory.get(LENGTH, offset);
    checkLength(length, memory.get(CRC, offset + Long.BYTES), left);
    return length;
  }

  private int masked(long from, long length) {
    if (piece.length < Math.min(length, PIECE_BYTES)) {
      piece = new byte[length <= PIECE_BYTES / 8 ? PIECE_BYTES / 8 : PIECE_BYTES];
    }
    crc.reset();
    for (long done = 0; done < length; ) {
      int count = (int) Math.min(length - done, piece.length);
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, from + done, piece, 0, count);
      crc.update(piece, 0, count);
      done += count;
    }
    return TfRecordFormat.masked((int) crc.getValue());
  }

  private IOException gone(InternalError fault) {
    return new IOException(here() + "the file has become shorter since it was opened", fault);
  }

  @Override
  void seek(long place) {
    offset = Math.clamp(place - base, 0, size);
  }

  @Override
  public void close() {}
}
