package dev.headrace.data;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import java.util.zip.DeflaterOutputStream;

/**
 * Writes a TFRecord file, which is there whole or not at all: records go to a hidden file beside
 * it, which takes its name when this is closed.
 *
 * <pre>{@code
 * try (TfRecordWriter writer = new TfRecordWriter(Path.of("train.tfrecord"))) {
 *   for (byte[] record : records) writer.write(record);
 * }
 * }</pre>
 *
 * <p>A record that cannot be written leaves no file behind. Code that fails between records calls
 * {@link #discard}.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
public final class TfRecordWriter implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final Path file;
  private final WriterLock lock;
  private final PartialFile disk;
  private final OutputStream out;
  private final CRC32C crc = new CRC32C();
  private final ByteBuffer buffer =
      ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private long records;
  private boolean isOpen = true;
  private boolean isUsable = true;

  /** Begins a file that is not packed. */
  public TfRecordWriter(Path file) throws IOException {
    this(file, Compression.NONE);
  }

  /** Begins a file; folders that are missing are made. */
  public TfRecordWriter(Path file, Compression compression) throws IOException {
    this.file = file;
    WriterLock taken = WriterLock.tryTake(file);
    if (taken == null) {
      throw new IOException(
          "TfRecordWriter: expected to be the only one who writes %s, but another is writing it"
              .formatted(file));
    }
    this.lock = taken;
    PartialFile opened = null;
    try {
      opened = PartialFile.under(lock);
      this.disk = opened;
      this.out = compression.pack(opened);
    } catch (IOException e) {
      if (opened != null) {
        opened.close();
      }
      lock.close();
      throw e;
    }
  }

  /** Appends a record of these bytes. */
  public void write(byte[] record) throws IOException {
    write(MemorySegment.ofArray(record));
  }

  /** Appends a record with the bytes of a scalar tensor of bytes. */
  public void write(Tensor record) throws IOException {
    if (record.dtype() != DType.STRING || record.shape().rank() != 0) {
      throw new IllegalArgumentException(
          "TfRecordWriter: expected a single byte string, but got " + record.describe());
    }
    write(record.segmentAt(0));
  }

  /** Appends a record with the bytes of a piece of memory. */
  public void write(MemorySegment record) throws IOException {
    if (!isOpen || !isUsable) {
      throw new IllegalStateException(
          "TfRecordWriter: expected a writer that is open, but %s was %s"
              .formatted(file, isOpen ? "given up" : "closed"));
    }
    isUsable = false; // until the record is whole
    long length = record.byteSize();
    make(TfRecordFormat.HEADER_BYTES);
    buffer.putLong(length).putInt(TfRecordFormat.lengthCrc(length));
    crc.reset();
    for (long done = 0; done < length; ) {
      make(1);
      int count = (int) Math.min(length - done, buffer.remaining());
      int at = buffer.position();
      MemorySegment.copy(record, ValueLayout.JAVA_BYTE, done, buffer.array(), at, count);
      crc.update(buffer.array(), at, count);
      buffer.position(at + count);
      done += count;
    }
    make(TfRecordFormat.FOOTER_BYTES);
    buffer.putInt(TfRecordFormat.masked((int) crc.getValue()));
    records++;
    isUsable = true;
  }

  /** Makes room for so many bytes. */
  private void make(int bytes) throws IOException {
    if (buffer.remaining() < bytes) {
      out.write(buffer.array(), 0, buffer.position());
      buffer.clear();
    }
  }

  /** How many records were written so far. */
  public long records() {
    return records;
  }

  /** Hands what was written to the operating system; the file has its name only when closed. */
  public void flush() throws IOException {
    make(BUFFER_BYTES);
    out.flush();
  }

  /** Gives up: nothing is left of what was written. */
  public void discard() throws IOException {
    isUsable = false;
    close();
  }

  /** Waits until the disk has everything, and gives the file its name. */
  @Override
  public void close() throws IOException {
    if (!isOpen) {
      return;
    }
    isOpen = false;
    try (lock;
        disk) {
      if (isUsable) {
        isUsable = false;
        make(BUFFER_BYTES);
        if (out instanceof DeflaterOutputStream packing) {
          packing.finish();
        }
        disk.publish();
      }
    } finally {
      endPacking();
    }
  }

  /** Frees the packer's memory; the file is published or removed by now. */
  private void endPacking() {
    try {
      out.close();
    } catch (IOException e) {
      // It had more to write to a file that was given up.
    }
  }
}
