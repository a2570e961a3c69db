package dev.headrace.spi;

import dev.headrace.data.Account;
import dev.headrace.data.ElementCodec;
import dev.headrace.data.SpillFile;
import dev.headrace.data.SpillSpace;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a holder's elements that does not fit into memory, in a temporary file of its own.
 *
 * <p>A holder asks {@link #keepsInMemory} for memory. Where there is none it writes the element and
 * keeps its address; what it then needs in memory to know where elements are is on the heap
 * account, as all else. Elements come back equal, of the same classes. Where one cannot be written,
 * {@link #refusal} says why, for the error that tells the size.
 *
 * <p><b>Threading:</b> writing: one thread at a time; reading and freeing: any.
 *
 * <p><b>Ownership:</b> the holder's, who closes it; the file is then deleted.
 */
public final class Spill implements AutoCloseable {
  /** In place of an address: it could not be written. */
  public static final long REFUSED = -1;

  /*
   * Who can go to disk leaves a part of the budget free: for the addresses of what is on disk, for
   * what flows through the pipeline, and for other holders, who would find nothing otherwise. The
   * account has no way to ask a holder for memory while another thread runs it.
   */
  private static final int SHARE_LEFT_FREE = 8;

  private static final int MOST_KEPT = 1 << 20;

  /** How much is read at once, at most: this, or one of so many parts of the budget. */
  private static final long MOST_READ_BYTES = 1 << 20;

  private static final int READ_SHARE = 64;

  private final String path;
  private final SpillSpace space;
  private final Account heap;
  private final long roomBytes;
  private final SpillMeter meter;
  private final Context context;
  private final ElementCodec codec = ElementCodec.exact();
  private @Nullable BlockEncoder encoder;
  private final Set<Class<?>> checked = new HashSet<>();

  /** How many classes of records were written when the last element was checked. */
  private int checkedRecords;

  /** Whether one came back as another, after which all of them are checked. */
  private boolean checksAll;

  private Body body = new Body(); // small until something is written
  private volatile @Nullable SpillFile file;
  private @Nullable String refusal;
  private boolean mayWrite;
  private volatile long largestBytes;

  /** Makes nothing yet: the file is made for the first element that goes there. */
  public Spill(Context context, SpillSpace space, SpillMeter meter) {
    this.context = context;
    this.path = context.path();
    this.space = space;
    this.heap = context.heap();
    this.roomBytes = heap.limitBytes() / SHARE_LEFT_FREE;
    this.meter = meter;
    this.refusal = space.refusal();
    this.mayWrite = refusal == null;
  }

  /** Charges a holder for something that may go to disk instead, if there is room for it. */
  public boolean keepsInMemory(Holding holding, long bytes) {
    return mayWrite ? holding.takeLeaving(bytes, roomBytes) : holding.take(bytes);
  }

  /** How many bytes of the disk the elements that are there take. */
  public long bytes() {
    SpillFile from = file;
    return from == null ? 0 : from.liveBytes();
  }

  /** Whether anything may be written at all. */
  public boolean mayWrite() {
    return mayWrite;
  }

  /** Why the last element could not be written, and what to do; where it was, null. */
  public @Nullable String refusal() {
    return refusal;
  }

  /**
   * Writes an element, without its id.
   *
   * @return its address, or {@link #REFUSED}
   */
  public long write(Object element) {
    if (!mayWrite) {
      return REFUSED;
    }
    try {
      body.reset();
      codec.encode(element, new DataOutputStream(body));
      if (isNew(element)) {
        checkComesBack(body.bytes(), body.size());
      }
      return put(body.bytes(), body.size());
    } catch (IOException e) {
      return refuse("writing failed: " + e.getMessage());
    } catch (RuntimeException e) {
      return refuse("elements of %s cannot be written: %s", element, e);
    } finally {
      if (body.bytes().length > MOST_KEPT) {
        body = new Body();
      }
    }
  }

  /**
   * Writes the elements of a chunk with their ids, to be read back together.
   *
   * @return their address, or {@link #REFUSED}
   */
  public long write(Chunk chunk) {
    if (!mayWrite) {
      return REFUSED;
    }
    BlockEncoder block = encoder == null ? new BlockEncoder(codec) : encoder;
    encoder = block;
    Object element = "";
    try {
      for (int i = 0; i < chunk.size(); i++) {
        if (chunk.inLongs()) {
          block.addLong(chunk.longs()[i], chunk.parentOf(i), chunk.ordinalOf(i));
          continue;
        }
        element = chunk.item(i);
        block.add(element, chunk.parentOf(i), chunk.ordinalOf(i));
        if (isNew(element)) {
          byte[] bytes = codec.encode(element);
          checkComesBack(bytes, bytes.length);
        }
      }
      byte[] bytes = block.toBytes();
      return put(bytes, bytes.length);
    } catch (IOException e) {
      return refuse("writing failed: " + e.getMessage());
    } catch (RuntimeException e) {
      return refuse("elements of %s cannot be written: %s", element, e);
    } finally {
      block.clear();
    }
  }

  /**
   * Writes bytes.
   *
   * @return their address, or {@link #REFUSED}
   */
  public long writeBytes(byte[] bytes, int length) {
    if (!mayWrite) {
      return REFUSED;
    }
    try {
      return put(bytes, length);
    } catch (IOException e) {
      return refuse("writing failed: " + e.getMessage());
    }
  }

  /** The bytes at an address. */
  public ByteBuffer readBytes(long address) {
    try {
      return bytesAt(address);
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /** Whether a class in an element that was just written, at any depth, was not met before. */
  private boolean isNew(Object element) {
    int records = codec.writtenRecordClasses();
    boolean isNew = checked.add(element.getClass()) || records != checkedRecords || checksAll;
    checkedRecords = records;
    return isNew;
  }

  /** A record's constructor may make something else of its components than it was given. */
  private void checkComesBack(byte[] bytes, int length) {
    Object back = codec.decode(ByteBuffer.wrap(bytes, 0, length).slice());
    byte[] again = codec.encode(back);
    if (!Arrays.equals(bytes, 0, length, again, 0, again.length)) {
      checksAll = true;
      throw new IllegalArgumentException("they come back as others");
    }
  }

  private long put(byte[] bytes, int length) throws IOException {
    SpillFile to = file;
    if (to == null) {
      to = space.open(heap);
      file = to;
      context.warn(
          ("%s: holds more than fits the %s budget of %,d MB; the rest goes to a temporary file in"
                  + " %s, which takes time: raise %s, or hold less")
              .formatted(
                  path,
                  heap.name(),
                  heap.limitBytes() >> 20,
                  to.path().getParent(),
                  heap.option()));
    }
    long address = to.put(bytes, length);
    largestBytes = Math.max(largestBytes, length);
    meter.writes(length, SpillFile.placeBytes(address), to.folder());
    refusal = null;
    return address;
  }

  private long refuse(String why) {
    refusal = why;
    return REFUSED;
  }

  private long refuse(String format, Object element, RuntimeException e) {
    return refuse(format.formatted(element.getClass().getName(), e.getMessage()));
  }

  /** The element at an address, read again. */
  public Object read(long address) {
    try {
      ByteBuffer bytes = bytesAt(address);
      return codec.decode(bytes);
    } catch (IOException | RuntimeException e) {
      throw lost(e);
    }
  }

  /** The element at an address, whose place is given back. */
  public Object take(long address) {
    Object element = read(address);
    free(address);
    return element;
  }

  /** Makes of a chunk the elements that were written together, with their ids. */
  public void read(long address, int count, Chunk out) {
    out.clear();
    try {
      new BlockDecoder(bytesAt(address), count, codec).read(out, 0, count);
    } catch (IOException | RuntimeException e) {
      throw lost(e);
    }
  }

  private ByteBuffer bytesAt(long address) throws IOException {
    SpillFile from = file;
    if (from == null) {
      throw new IOException("it was closed");
    }
    ByteBuffer bytes = from.get(address);
    meter.reads(bytes.remaining());
    return bytes;
  }

  private LostException lost(Exception e) {
    return new LostException(
        "%s: expected to read back what was written to a temporary file, but got %s; see whether the disk works"
            .formatted(path, e.getMessage()),
        e instanceof IOException io ? io : new IOException(e));
  }

  /**
   * How many elements may be handed on at once, of {@code max} that are asked for, if all of them
   * are on disk: so many that they take little of the budget, and at least one.
   */
  public int atOnce(int max) {
    long largest = largestBytes;
    if (largest == 0) {
      return max;
    }
    long most = Math.min(MOST_READ_BYTES, heap.limitBytes() / READ_SHARE);
    return Math.clamp(most / largest, 1, max);
  }

  /** Gives the place of an element, or of elements that were written together, back. */
  public void free(long address) {
    SpillFile from = file;
    if (from != null) {
      from.free(address);
      meter.frees(SpillFile.placeBytes(address));
    }
  }

  /** Why what does not fit into memory is not on disk, for an error that tells a size. */
  public String whyNotOnDisk() {
    return "; it could not go to disk: "
        + (refusal == null
            ? "what stays in memory of each element there does not fit either"
            : refusal);
  }

  @Override
  public void close() {
    SpillFile old = file;
    file = null;
    mayWrite = false;
    if (old != null) {
      meter.frees(old.liveBytes());
      try {
        old.close();
      } catch (IOException e) {
        context.warn("%s: cannot delete %s: %s".formatted(path, old.path(), e));
      }
    }
  }

  /** Says that what was written could not be read back, which ends the pipeline. */
  public static final class LostException extends UncheckedIOException {
    private static final long serialVersionUID = 1;

    LostException(String message, IOException cause) {
      super(message, cause);
    }
  }

  /** Bytes that can be read without a copy. */
  private static final class Body extends ByteArrayOutputStream {
    byte[] bytes() {
      return buf;
    }
  }
}
