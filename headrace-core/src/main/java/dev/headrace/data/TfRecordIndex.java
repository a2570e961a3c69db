package dev.headrace.data;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Where the records of a TFRecord file begin: how many there are, and the places of some of them,
 * at least 16 KiB apart; others are found from the one before by reading headers.
 *
 * <p>It is made by reading all headers, but no data, and kept as a small file, which is taken for
 * what it says only if size, time, first and last bytes of the records' file still fit and its last
 * records are where it says, and is read as if an enemy had written it.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class TfRecordIndex {
  /**
   * Where indexes are kept, beside the files: a pattern that matches these is not to match them.
   */
  public static final String FOLDER = ".headrace";

  private static final long APART_BYTES = 16 * 1024;
  private static final int WINDOW_BYTES = 64 * 1024;
  private static final int FEW_BYTES = 4096;

  private final Stamp stamp;
  private final Anchors anchors;

  /** How many records have a sound header, one behind the other from the start. */
  private final long records;

  /** Where the last of them ends. */
  private final long end;

  TfRecordIndex(Stamp stamp, Anchors anchors, long records, long end) {
    this.stamp = stamp;
    this.anchors = anchors;
    this.records = records;
    this.end = end;
  }

  /**
   * What must not change if an index is to be believed.
   *
   * @param modified when the file was changed last, in milliseconds
   * @param startCrc a checksum of its first bytes
   * @param endCrc a checksum of its last bytes
   */
  record Stamp(long size, long modified, int startCrc, int endCrc) {
    static Stamp of(Path file, FileChannel channel) throws IOException {
      BasicFileAttributes facts = Files.readAttributes(file, BasicFileAttributes.class);
      long size = facts.size();
      return new Stamp(
          size,
          facts.lastModifiedTime().toMillis(),
          crc(channel, 0, size),
          crc(channel, Math.max(0, size - FEW_BYTES), size));
    }

    private static int crc(FileChannel channel, long from, long size) throws IOException {
      ByteBuffer few = ByteBuffer.allocate((int) Math.min(size - from, FEW_BYTES));
      while (few.hasRemaining() && channel.read(few, from + few.position()) >= 0) {
        continue;
      }
      CRC32C crc = new CRC32C();
      crc.update(few.flip());
      return (int) crc.getValue();
    }
  }

  /** Some records by number, each with its place in the file; both grow. */
  record Anchors(long[] numbers, long[] offsets) {}

  /**
   * The index of a file: the one that is kept, if it fits, or a new one, which is then kept.
   *
   * @param folder where indexes are kept, or null for beside the file
   * @param warn told what is wrong with an index, or why it cannot be kept
   */
  public static TfRecordIndex of(Path file, @Nullable Path folder, Consumer<String> warn)
      throws IOException {
    Path kept = path(file, folder);
    try (FileChannel channel = FileChannel.open(file)) {
      Stamp now = Stamp.of(file, channel);
      try {
        TfRecordIndex known = TfRecordIndexFile.read(kept);
        if (known.stamp.equals(now)) {
          if (known.fits(channel)) {
            return known;
          }
          warn.accept(
              "%s is made anew: the last records of %s are not where it says"
                  .formatted(kept, file));
        }
      } catch (NoSuchFileException e) {
        // the usual reason to make one
      } catch (ClosedByInterruptException e) {
        throw e; // not the index's fault
      } catch (IOException e) {
        warn.accept("%s is made anew: %s".formatted(kept, e));
      }
      TfRecordIndex made = scan(channel, now, 0, 0);
      try {
        made.keep(kept);
      } catch (ClosedByInterruptException e) {
        throw e; // not the folder's fault
      } catch (IOException e) {
        warn.accept(
            "the index of %s cannot be kept and is made again each time: %s; use indexedIn(folder)"
                .formatted(file, e));
      }
      return made;
    }
  }

  /** Where the index of a file is kept: {@code .headrace/x.tfrecord.index}. */
  public static Path path(Path file, @Nullable Path folder) {
    if (folder == null) {
      return file.resolveSibling(FOLDER).resolve(file.getFileName() + ".index");
    }
    // Files of one name in several folders; a clash is noticed as an index that does not fit.
    int other = file.toAbsolutePath().normalize().toString().hashCode();
    return folder.resolve(file.getFileName() + "-" + Integer.toHexString(other) + ".index");
  }

  /** The index of a file as it is now, not kept. */
  public static TfRecordIndex scan(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      return scan(channel, Stamp.of(file, channel), 0, 0);
    }
  }

  /** Whether the records from the last known place on are as many as it says, and end there. */
  private boolean fits(FileChannel channel) throws IOException {
    int last = anchors.numbers.length - 1;
    TfRecordIndex rest =
        last < 0
            ? scan(channel, stamp, 0, 0)
            : scan(channel, stamp, anchors.numbers[last], anchors.offsets[last]);
    return rest.records == records && rest.end == end;
  }

  /** Finds the records from one on. */
  private static TfRecordIndex scan(
      FileChannel channel, Stamp stamp, long firstNumber, long firstOffset) throws IOException {
    long[] numbers = new long[16];
    long[] offsets = new long[16];
    int count = 0;
    long number = firstNumber;
    long offset = firstOffset;
    ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).order(ByteOrder.LITTLE_ENDIAN).limit(0);
    long windowAt = 0;
    long last = 0;
    while (stamp.size - offset >= TfRecordFormat.FRAME_BYTES) {
      if (offset + TfRecordFormat.HEADER_BYTES > windowAt + window.limit()) {
        window.clear().limit(last > WINDOW_BYTES / 2 ? FEW_BYTES : WINDOW_BYTES);
        windowAt = offset;
        while (window.hasRemaining() && channel.read(window, windowAt + window.position()) >= 0) {
          continue;
        }
        window.flip();
      }
      int at = (int) (offset - windowAt);
      if (window.limit() - at < TfRecordFormat.HEADER_BYTES) {
        break; // has become shorter
      }
      long length = window.getLong(at);
      if (window.getInt(at + Long.BYTES) != TfRecordFormat.lengthCrc(length)
          || length < 0
          || length > stamp.size - offset - TfRecordFormat.FRAME_BYTES) {
        break;
      }
      if (count == 0 || offset - offsets[count - 1] >= APART_BYTES) {
        if (count == numbers.length) {
          numbers = Arrays.copyOf(numbers, 2 * count);
          offsets = Arrays.copyOf(offsets, 2 * count);
        }
        numbers[count] = number;
        offsets[count++] = offset;
      }
      last = length;
      number++;
      offset += length + TfRecordFormat.FRAME_BYTES;
    }
    Anchors anchors = new Anchors(Arrays.copyOf(numbers, count), Arrays.copyOf(offsets, count));
    return new TfRecordIndex(stamp, anchors, number, offset);
  }

  private void keep(Path kept) throws IOException {
    PartialFile.write(kept, TfRecordIndexFile.bytes(this));
  }

  /** How many records the file has, up to what is damaged. */
  public long records() {
    return records;
  }

  /** Where the last record ends; less than {@link #size} if what follows is damaged. */
  public long end() {
    return end;
  }

  /** How many bytes the file had. */
  public long size() {
    return stamp.size;
  }

  /** The last record at or before this one whose place is known. */
  public Anchor before(long record) {
    int found = Arrays.binarySearch(anchors.numbers, record);
    int at = found >= 0 ? found : Math.max(-found - 2, 0);
    if (record >= records || anchors.numbers.length == 0) {
      return new Anchor(records, end, stamp.size);
    }
    boolean isLast = at + 1 == anchors.numbers.length;
    return new Anchor(
        anchors.numbers[at], anchors.offsets[at], isLast ? end : anchors.offsets[at + 1]);
  }

  /** The last record at or before this byte whose place is known; the first if there is none. */
  public Anchor atByte(long offset) {
    int found = Arrays.binarySearch(anchors.offsets, offset);
    int at = found >= 0 ? found : Math.max(-found - 2, 0);
    return before(anchors.numbers.length == 0 ? 0 : anchors.numbers[at]);
  }

  /**
   * A record whose place is known.
   *
   * @param next where the next such record begins, or the records end
   */
  public record Anchor(long number, long offset, long next) {}

  Stamp stamp() {
    return stamp;
  }

  Anchors anchors() {
    return anchors;
  }
}
