package dev.headrace.op;

import dev.headrace.data.Compression;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordFormat;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A TFRecord file that is read in blocks, and unpacked if it is packed; records are copies. */
final class StreamedRecordFile extends RecordFile {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  /** The largest record whose copy is an array. */
  private static final long MOST_BYTES = Integer.MAX_VALUE / 2 - TfRecordFormat.FRAME_BYTES;

  private final FileBytes in;
  private final boolean isPacked;
  private final CRC32C crc = new CRC32C();

  /** Whether the start of a packed file is yet to be read. */
  private boolean atStart;

  StreamedRecordFile(FileBytes in, Compression compression, boolean quietEnd) {
    super(quietEnd);
    this.in = in;
    this.isPacked = compression != Compression.NONE;
    this.atStart = isPacked;
  }

  @Override
  public long offset() {
    return in.offset();
  }

  @Override
  @Nullable Tensor read() throws IOException {
    if (!check()) {
      return null;
    }
    int end = in.start - TfRecordFormat.FOOTER_BYTES;
    return Tensor.wrapString(MemorySegment.ofArray(Arrays.copyOfRange(in.buffer, dataAt, end)));
  }

  /** Where in the buffer the data of the record that was checked last begins. */
  private int dataAt;

  @Override
  boolean check() throws IOException {
    readStart();
    long length = length();
    if (length < 0) {
      return false;
    }
    if (length > MOST_BYTES) {
      throw new IOException(
          "%sexpected a record of at most %d bytes, but it has %d; do not pack such files, and leave mmap on"
              .formatted(here(), MOST_BYTES, length));
    }
    int all = (int) length + TfRecordFormat.FRAME_BYTES;
    if (!in.has(all)) {
      throw cut("with its data it should have " + all + " bytes", in.available());
    }
    int data = in.start + TfRecordFormat.HEADER_BYTES;
    crc.reset();
    crc.update(in.buffer, data, (int) length);
    if (TfRecordFormat.masked((int) crc.getValue())
        != (int) INT.get(in.buffer, data + (int) length)) {
      throw damagedData(length);
    }
    dataAt = data;
    in.start += all;
    return true;
  }

  /**
   * A packed file has a checksum of its own at its end. In a small file it is met before the first
   * record is given, as in tf.data.
   */
  private void readStart() throws IOException {
    if (atStart) {
      try {
        in.readAhead();
      } catch (EOFException e) {
        // met again behind the records before it
      }
      atStart = false; // not before: an interruption may have come between
    }
  }

  private boolean hasHeader() throws IOException {
    try {
      return in.has(TfRecordFormat.HEADER_BYTES);
    } catch (EOFException e) {
      if (quietEnd()) {
        return false;
      }
      throw e;
    }
  }

  /** How many bytes the file can have from here on; asks for its size only where it matters. */
  private long left(long length) throws IOException {
    if (isPacked) {
      return Long.MAX_VALUE;
    }
    boolean isHere = length >= 0 && length <= in.available() - TfRecordFormat.FRAME_BYTES;
    return isHere ? in.available() : Math.max(in.packedSize() - in.offset(), in.available());
  }

  @Override
  long length() throws IOException {
    if (!hasHeader()) {
      endInHeader(in.available());
      in.start = in.end;
      return -1;
    }
    long length = (long) LONG.get(in.buffer, in.start);
    checkLength(length, (int) INT.get(in.buffer, in.start + Long.BYTES), left(length));
    return length;
  }

  @Override
  void seek(long place) throws IOException {
    if (place > 0 || !isPacked) {
      readStart();
      in.seek(place);
    }
  }

  @Override
  public void close() {
    in.close();
  }
}
