package dev.headrace.data;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

/**
 * How the bytes of a file are packed. It is always said, never guessed from a name.
 *
 * <p>Files that Headrace writes ({@code save}, {@code cache}) are packed block by block, with the
 * same algorithm for GZIP and ZLIB.
 */
public enum Compression {
  NONE,
  /** As {@code gzip} writes; several members one after the other are read through. */
  GZIP,
  /** As {@code zlib} writes. */
  ZLIB;

  private static final int BUFFER_BYTES = 64 * 1024;

  /** The unpacked bytes of {@code packed}; closing the result closes {@code packed}. */
  public InputStream unpack(InputStream packed) throws IOException {
    return switch (this) {
      case NONE -> packed;
      case GZIP -> new GZIPInputStream(packed, BUFFER_BYTES);
      case ZLIB ->
          new InflaterInputStream(packed, new java.util.zip.Inflater(), BUFFER_BYTES) {
            @Override
            public void close() throws IOException {
              super.close();
              inf.end(); // an inflater that is given is the giver's to end
            }
          };
    };
  }

  /** Packs what is written to the result into {@code packed}; closing it closes {@code packed}. */
  public OutputStream pack(OutputStream packed) throws IOException {
    return switch (this) {
      case NONE -> packed;
      case GZIP -> new GzipOutput(packed, BUFFER_BYTES);
      case ZLIB ->
          new DeflaterOutputStream(packed, new java.util.zip.Deflater(), BUFFER_BYTES, true) {
            @Override
            public void close() throws IOException {
              super.close();
              def.end();
            }
          };
    };
  }
}
