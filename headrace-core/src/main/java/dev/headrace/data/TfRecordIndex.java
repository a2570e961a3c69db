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
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Where the records of a TFRecord file begin: how many there are, and the places of some of them,
 * at least 16 KiB apart; others are found from the one before by reading headers.
 *
 * <p>It is made by reading all headers, but no data, and kept as a small file. That is read as if
 * an enemy had written it: it is believed only if size, times, first and last bytes of the records'
 * file still fit and its last records are where it says; a small file is compared as a whole.
 * Before a place of a larger one is used, the records on both sides of it are walked through, once
 * ({@link #isChecked}).
 *
 * <p><b>Threading:</b> immutable, but for what was checked, which any thread may note.
 */
public final class TfRecordIndex {
  /**
   * Where indexes are kept, beside the files: a pattern that matches these is not to match them.
   */
  public static final String FOLDER = ".headrace";

  private static final long APART_BYTES = 16 * 1024;
  private static final int WINDOW_BYTES = 64 * 1024;
  private static final int FEW_BYTES = 4096;

  /** A kept index of a file up to this size is compared with the whole file: that is quick. */
  private static final long WHOLLY_CHECKED_BYTES = 1 << 20;

  private final Stamp stamp;
  private final Anchors anchors;

  /** How many records have a sound header, one behind the other from the start. */
  private final long records;

  /** Where the last of them ends. */
  private final long end;

  /** By anchor, whether the records up to the next one are as they should be; null: all are. */
  private final boolean @Nullable [] checked;

  /**
   * An index.
   *
   * @param isFromFile whether it only says where records are, and the records were not looked at
   */
  TfRecordIndex(Stamp stamp, Anchors anchors, long records, long end, boolean isFromFile) {
    this.stamp = stamp;
    this.checked = isFromFile ? new boolean[anchors.numbers.length] : null;
    this.anchors = anchors;
    this.records = records;
    this.end = end;
  }

  /**
   * What must not change if an index is to be believed.
   *
   * @param modified when the file was changed last, in milliseconds, as it says
   * @param changed when the system changed anything of it last, in microseconds; 0 if that is not
   *     known. Programs cannot set it, so a file written in place is noticed
   * @param startCrc a checksum of its first bytes
   * @param endCrc a checksum of its last bytes
   */
  record Stamp(long size, long modified, long changed, int startCrc, int endCrc) {
    static Stamp of(Path file, FileChannel channel) throws IOException {
      BasicFileAttributes facts = Files.readAttributes(file, BasicFileAttributes.class);
      long size = facts.size();
      return new Stamp(
          size,
          facts.lastModifiedTime().toMillis(),
          changed(file),
          crc(channel, 0, size),
          crc(channel, Math.max(0, size - FEW_BYTES), size));
    }

    private static long changed(Path file) throws IOException {
      try {
        return ((FileTime) Files.getAttribute(file, "unix:ctime")).to(TimeUnit.MICROSECONDS);
      } catch (UnsupportedOperationException | IllegalArgumentException notUnix) {
        return 0;
      }
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
              "%s is made again: records of %s are not where it says".formatted(kept, file));
        }
      } catch (NoSuchFileException e) {
        // the usual reason to make one
      } catch (ClosedByInterruptException e) {
        throw e; // not the index's fault
      } catch (IOException e) {
        warn.accept("%s is made again: %s".formatted(kept, e));
      }
      return make(file, kept, channel, now, warn);
    }
  }

  /** Makes the index of a file again, whatever is kept, and keeps it. */
  public static TfRecordIndex again(Path file, @Nullable Path folder, Consumer<String> warn)
      throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      return make(file, path(file, folder), channel, Stamp.of(file, channel), warn);
    }
  }

  private static TfRecordIndex make(
      Path file, Path kept, FileChannel channel, Stamp now, Consumer<String> warn)
      throws IOException {
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

  /**
   * Whether the records from the last known place on are as many as it says, and end there; in a
   * small file all of them.
   */
  private boolean fits(FileChannel channel) throws IOException {
    int last = anchors.numbers.length - 1;
    if (last >= 0 && stamp.size <= WHOLLY_CHECKED_BYTES) {
      TfRecordIndex now = scan(channel, stamp, 0, 0);
      return now.records == records
          && now.end == end
          && Arrays.equals(now.anchors.numbers, anchors.numbers)
          && Arrays.equals(now.anchors.offsets, anchors.offsets);
    }
    TfRecordIndex rest =
        last < 0
            ? scan(channel, stamp, 0, 0)
            : scan(channel, stamp, anchors.numbers[last], anchors.offsets[last]);
    return rest.records == records && rest.end == end;
  }

  /**
   * How many records there are between two places of a file.
   *
   * @return -1 if there is not one behind the other from the first place up to the second
   */
  public static long recordsBetween(Path file, long from, long to) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      TfRecordIndex part = scan(channel, new Stamp(to, 0, 0, 0, 0), 0, from);
      return part.end == to ? part.records : -1;
    }
  }

  /** Finds the records from one on, up to the size in the stamp. */
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
    return new TfRecordIndex(stamp, anchors, number, offset, false);
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
    int at = anchorOf(record);
    if (record >= records || anchors.numbers.length == 0) {
      return new Anchor(records, end, stamp.size);
    }
    boolean isLast = at + 1 == anchors.numbers.length;
    return new Anchor(
        anchors.numbers[at], anchors.offsets[at], isLast ? end : anchors.offsets[at + 1]);
  }

  /** How many places of records are known. */
  public int anchorCount() {
    return anchors.numbers.length;
  }

  /** One of the places that are known; behind the last one, where the records end. */
  public Anchor anchor(int at) {
    return before(at == anchors.numbers.length ? records : anchors.numbers[at]);
  }

  /** Which anchor {@link #before} gives for a record: the last one for those behind all. */
  public int anchorOf(long record) {
    int found = Arrays.binarySearch(anchors.numbers, record);
    return found >= 0 ? found : Math.max(-found - 2, 0);
  }

  /** Whether the records from this anchor to the next were found where the index has them. */
  public boolean isChecked(int anchor) {
    return checked == null || checked[anchor];
  }

  /** Notes that they were. */
  public void noteChecked(int anchor) {
    if (checked != null) {
      checked[anchor] = true;
    }
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
