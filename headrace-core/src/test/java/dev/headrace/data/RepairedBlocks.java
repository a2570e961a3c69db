package dev.headrace.data;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Repairs the sums of damaged block files, so that damage gets past them. */
public final class RepairedBlocks {
  private RepairedBlocks() {}

  /** The same file with the sum of its footer, and those of its blocks where they are found. */
  public static byte[] repair(byte[] file) {
    if (file.length < BlockFormat.START_BYTES + BlockFormat.END_BYTES) {
      return file;
    }
    ByteBuffer all = ByteBuffer.wrap(file);
    int end = file.length - BlockFormat.END_BYTES;
    long footerAt = all.getLong(end);
    if (footerAt < BlockFormat.START_BYTES || footerAt > end) {
      return file;
    }
    mendBlocks(file, all, (int) footerAt);
    CRC32C sum = new CRC32C();
    sum.update(file, (int) footerAt, end + 12 - (int) footerAt);
    all.putInt(end + 12, (int) sum.getValue());
    all.put(end + 16, BlockFormat.END);
    return file;
  }

  private static void mendBlocks(byte[] file, ByteBuffer all, int footerAt) {
    boolean isPacked = all.getInt(12) != 0;
    for (int at = BlockFormat.START_BYTES; at + BlockFormat.BLOCK_HEADER_BYTES <= footerAt; ) {
      int stored = all.getInt(at);
      int length = all.getInt(at + 4);
      int begin = at + BlockFormat.BLOCK_HEADER_BYTES;
      if (stored < 0 || stored > footerAt - begin || length < 0 || length > 1 << 20) {
        return;
      }
      byte[] plain = new byte[length];
      if (isPacked) {
        Inflater inflater = new Inflater();
        try {
          inflater.setInput(file, begin, stored);
          inflater.inflate(plain);
        } catch (DataFormatException e) {
          return;
        } finally {
          inflater.end();
        }
      } else if (length <= stored) {
        all.get(begin, plain);
      }
      all.putInt(at + 12, BlockWriter.sumOf(plain, length, all.getInt(at + 8)));
      at = begin + stored;
    }
  }
}
