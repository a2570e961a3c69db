package dev.headrace.data;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * How a {@link TfRecordIndex} is written: what it belongs to, its counts, the steps from place to
 * place as numbers of seven bits a byte, and a checksum.
 */
final class TfRecordIndexFile {
  private static final int START = 0x33495248; // "HRI3"
  private static final int FIXED_BYTES = 4 + 8 + 8 + 8 + 4 + 4 + 8 + 8 + 4;
  private static final int LONGEST_NUMBER_BYTES = 10;

  /** More than the index of a file of many terabytes has. */
  private static final long MOST_BYTES = 1L << 30;

  private TfRecordIndexFile() {}

  static byte[] bytes(TfRecordIndex index) {
    long[] numbers = index.anchors().numbers();
    long[] offsets = index.anchors().offsets();
    ByteBuffer out =
        ByteBuffer.allocate(
                Math.toIntExact(FIXED_BYTES + 4 + 2L * LONGEST_NUMBER_BYTES * numbers.length))
            .order(ByteOrder.LITTLE_ENDIAN);
    TfRecordIndex.Stamp stamp = index.stamp();
    out.putInt(START).putLong(stamp.size()).putLong(stamp.modified()).putLong(stamp.changed());
    out.putInt(stamp.startCrc()).putInt(stamp.endCrc());
    out.putLong(index.records()).putLong(index.end()).putInt(numbers.length);
    for (int i = 1; i < numbers.length; i++) {
      putNumber(out, numbers[i] - numbers[i - 1]);
      putNumber(out, offsets[i] - offsets[i - 1]);
    }
    out.putInt(crc(out.array(), out.position()));
    return Arrays.copyOf(out.array(), out.position());
  }

  private static void putNumber(ByteBuffer out, long number) {
    long left = number;
    while (left > 0x7F) {
      out.put((byte) (left | 0x80));
      left >>>= 7;
    }
    out.put((byte) left);
  }

  static TfRecordIndex read(Path path) throws IOException {
    long length = Files.size(path);
    if (length < FIXED_BYTES + 4 || length > MOST_BYTES) {
      throw damaged("a length of " + length + " " + Plural.word(length, "byte"));
    }
    byte[] bytes = Files.readAllBytes(path);
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (in.getInt() != START) {
      throw damaged("other first bytes");
    }
    int body = bytes.length - 4;
    if (in.getInt(body) != crc(bytes, body)) {
      throw damaged("another checksum");
    }
    in.limit(body);
    TfRecordIndex.Stamp stamp =
        new TfRecordIndex.Stamp(in.getLong(), in.getLong(), in.getLong(), in.getInt(), in.getInt());
    long records = in.getLong();
    long end = in.getLong();
    int count = in.getInt();
    boolean plausible =
        records >= 0
            && end >= 0
            && end <= stamp.size()
            && records <= end / TfRecordFormat.FRAME_BYTES
            && count >= (records > 0 ? 1 : 0)
            && count <= Math.min(records, 1 + in.remaining() / 2);
    if (!plausible) {
      throw damaged(
          "%d %s up to byte %d, %d of them listed"
              .formatted(records, Plural.word(records, "record"), end, count));
    }
    return new TfRecordIndex(stamp, anchors(in, count, records, end), records, end, true);
  }

  private static TfRecordIndex.Anchors anchors(ByteBuffer in, int count, long records, long end)
      throws IOException {
    long[] numbers = new long[count];
    long[] offsets = new long[count];
    try {
      for (int i = 1; i < count; i++) {
        long steps = number(in);
        long bytes = number(in);
        numbers[i] = numbers[i - 1] + steps;
        offsets[i] = offsets[i - 1] + bytes;
        boolean fits =
            steps > 0
                && numbers[i] > 0
                && numbers[i] < records
                && bytes > 0
                && offsets[i] > 0
                && offsets[i] < end
                && steps <= bytes / TfRecordFormat.FRAME_BYTES;
        if (!fits) {
          throw damaged("record %d at byte %d".formatted(numbers[i], offsets[i]));
        }
      }
    } catch (BufferUnderflowException e) {
      throw damaged("fewer numbers than it says");
    }
    if (in.hasRemaining()) {
      throw damaged("more bytes than it says");
    }
    return new TfRecordIndex.Anchors(numbers, offsets);
  }

  private static long number(ByteBuffer in) throws IOException {
    long number = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      byte next = in.get();
      number |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return number;
      }
    }
    throw damaged("a number that does not end");
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  private static IOException damaged(String what) {
    return new IOException("expected an index of records, but it has " + what);
  }
}
