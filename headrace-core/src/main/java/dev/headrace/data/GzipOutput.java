package dev.headrace.data;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/**
 * Packs bytes as {@code gzip} on a Unix system does, without name and time. (The JDK's stream names
 * an unknown system, so that files would differ from what tf.data writes.)
 */
final class GzipOutput extends DeflaterOutputStream {
  private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};

  private final CRC32 crc = new CRC32();
  private boolean isFinished;

  GzipOutput(OutputStream out, int bufferBytes) throws IOException {
    super(out, new Deflater(Deflater.DEFAULT_COMPRESSION, true), bufferBytes, true);
    out.write(HEADER);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    super.write(bytes, from, length);
    crc.update(bytes, from, length);
  }

  @Override
  public void finish() throws IOException {
    if (!isFinished) {
      isFinished = true;
      super.finish();
      ByteBuffer trailer = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
      trailer.putInt((int) crc.getValue()).putInt((int) def.getBytesRead());
      out.write(trailer.array());
    }
  }

  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      def.end(); // a deflater that is given is the giver's to end
    }
  }
}
