package dev.headrace.data;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.DeflaterOutputStream;

/**
 * How the bytes of a file are packed. It is always said, never guessed from a name.
 *
 * <p>Files that Headrace writes ({@code save}, {@code cache}) are packed block by block, with the
 * same algorithm for GZIP and ZLIB.
 *
 * <p>A file without a single byte unpacks to nothing, as in TensorFlow.
 */
public enum Compression {
  NONE,
  /**
   * As {@code gzip} writes; several members one after the other are read through, and anything else
   * behind one is an error.
   */
  GZIP,
  /** As {@code zlib} writes; anything behind it is an error. */
  ZLIB;

  private static final int BUFFER_BYTES = 64 * 1024;

  /** The unpacked bytes of {@code packed}; closing the result closes {@code packed}. */
  public InputStream unpack(InputStream packed) {
    return switch (this) {
      case NONE -> packed;
      case GZIP, ZLIB -> new Unpacker(packed, this == GZIP, BUFFER_BYTES);
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
              try {
                super.close();
              } finally {
                def.end();
              }
            }
          };
    };
  }
}
