package dev.headrace.data;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks what {@code gzip} or {@code zlib} packed, to the last byte: what follows a member of a
 * gzip file must be another one, and nothing may follow the end of zlib's data. The JDK's own
 * streams take such bytes for the end, and what comes after them is lost in silence.
 *
 * <p>A file without a single byte unpacks to nothing, as in TensorFlow. One that is cut is an
 * {@link EOFException}, one that is damaged a {@link ZipException}; reading on fails again.
 *
 * <p><b>Threading and ownership:</b> of one thread; closes the packed stream.
 */
final class Unpacker extends InputStream {
  private static final int MAGIC_1 = 0x1F;
  private static final int MAGIC_2 = 0x8B;
  private static final int DEFLATED = 8;

  /* Which parts a gzip header has. */
  private static final int HAS_HEADER_CRC = 1 << 1;
  private static final int HAS_EXTRA = 1 << 2;
  private static final int HAS_NAME = 1 << 3;
  private static final int HAS_COMMENT = 1 << 4;
  private static final int RESERVED = 0xE0;

  private final InputStream packed;
  private final boolean isGzip;
  private final Inflater inflater;
  private final CRC32 crc = new CRC32();
  private final byte[] buffer;

  /** What was read and is not yet used, while the inflater has no part of it. */
  private int at;

  private int limit;

  /** Whether a member is being unpacked. */
  private boolean inMember;

  private boolean ended;

  /** Why it cannot be read on. Nothing behind a failure can be trusted, so it stays. */
  private @Nullable IOException failure;

  /** How many members were unpacked. */
  private long members;

  Unpacker(InputStream packed, boolean isGzip, int bufferBytes) {
    this.packed = packed;
    this.isGzip = isGzip;
    this.inflater = new Inflater(isGzip);
    this.buffer = new byte[bufferBytes];
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    Objects.checkFromIndexSize(from, length, into.length);
    if (length == 0) {
      return 0;
    }
    if (failure != null) {
      throw failure;
    }
    try {
      return unpack(into, from, length);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  private int unpack(byte[] into, int from, int length) throws IOException {
    while (!ended) {
      if (!inMember && !begin()) {
        ended = true;
        break;
      }
      int count = inflate(into, from, length);
      if (count > 0) {
        crc.update(into, from, count);
        return count;
      }
      if (inflater.finished()) {
        end();
      } else if (inflater.needsDictionary()) {
        throw new ZipException("expected data that needs no dictionary, but it needs one");
      } else if (inflater.needsInput()) {
        if (!refill()) {
          throw new EOFException("Unexpected end of ZLIB input stream");
        }
        inflater.setInput(buffer, 0, limit);
      }
    }
    return -1;
  }

  private int inflate(byte[] into, int from, int length) throws IOException {
    try {
      return inflater.inflate(into, from, length);
    } catch (DataFormatException e) {
      ZipException damaged =
          new ZipException(Objects.requireNonNullElse(e.getMessage(), "Invalid ZLIB data format"));
      damaged.initCause(e);
      throw damaged;
    }
  }

  /** Begins a member; false if there is none, but the end. */
  private boolean begin() throws IOException {
    if (at == limit && !refill()) {
      return false;
    }
    if (isGzip) {
      header();
    } else if (members > 0) {
      throw new ZipException("expected the end behind the packed data, but there are more bytes");
    }
    inflater.setInput(buffer, at, limit - at);
    inMember = true;
    return true;
  }

  private void end() throws IOException {
    at = limit - inflater.getRemaining();
    if (isGzip) {
      long size = inflater.getBytesWritten();
      if (fourBytes() != crc.getValue() || fourBytes() != (size & 0xFFFF_FFFFL)) {
        throw new ZipException("Corrupt GZIP trailer");
      }
    }
    inflater.reset();
    crc.reset();
    inMember = false;
    members++;
  }

  private void header() throws IOException {
    crc.reset(); // of the header
    if (next() != MAGIC_1 || next() != MAGIC_2) {
      throw new ZipException(
          members == 0
              ? "Not in GZIP format"
              : "expected the end or another member behind member %d, but there are other bytes"
                  .formatted(members));
    }
    int method = next();
    int flags = next();
    if (method != DEFLATED || (flags & RESERVED) != 0) {
      throw new ZipException(
          "expected a GZIP header with method 8, but got method %d and flags %d"
              .formatted(method, flags));
    }
    pass(6); // time, effort and system
    if ((flags & HAS_EXTRA) != 0) {
      pass(next() | next() << 8);
    }
    if ((flags & HAS_NAME) != 0) {
      passText();
    }
    if ((flags & HAS_COMMENT) != 0) {
      passText();
    }
    if ((flags & HAS_HEADER_CRC) != 0) {
      int expected = (int) crc.getValue() & 0xFFFF;
      if ((next() | next() << 8) != expected) {
        throw new ZipException("Corrupt GZIP header");
      }
    }
    crc.reset(); // of the data
  }

  private void passText() throws IOException {
    while (next() != 0) {
      continue;
    }
  }

  private void pass(int bytes) throws IOException {
    for (int i = 0; i < bytes; i++) {
      int _ = next();
    }
  }

  private long fourBytes() throws IOException {
    return ofTrailer() | ofTrailer() << 8 | ofTrailer() << 16 | ofTrailer() << 24;
  }

  private long ofTrailer() throws IOException {
    if (at == limit && !refill()) {
      throw new EOFException("Unexpected end of GZIP trailer");
    }
    return buffer[at++] & 0xFF;
  }

  /** The next byte of a header. */
  private int next() throws IOException {
    if (at == limit && !refill()) {
      throw new EOFException("Unexpected end of GZIP header");
    }
    crc.update(buffer[at]);
    return buffer[at++] & 0xFF;
  }

  /** Replaces the buffer by the next packed bytes; false at their end. */
  private boolean refill() throws IOException {
    int count = packed.read(buffer, 0, buffer.length);
    at = 0;
    limit = Math.max(count, 0);
    return count > 0;
  }

  @Override
  public void close() throws IOException {
    ended = true;
    inflater.end();
    packed.close();
  }
}
