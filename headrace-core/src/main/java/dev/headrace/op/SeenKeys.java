package dev.headrace.op;

import dev.headrace.data.HeapLayout;
import dev.headrace.spi.Context;
import dev.headrace.spi.Holding;
import dev.headrace.spi.Spill;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The {@link ContentKey keys} that were met: in memory while they fit, after that on disk with a
 * hash of each in memory. Where a hash is known, the key is read and compared: no key is taken for
 * another.
 *
 * <p><b>Threading and ownership:</b> its operator's, as a cursor.
 */
final class SeenKeys implements AutoCloseable {
  /** What became of a key. */
  enum Answer {
    NEW,
    SEEN,
    DOES_NOT_FIT
  }

  private static final int FEWEST_SLOTS = 64;

  private final Holding holding;
  private final Spill spill;
  private Set<Object> inMemory = new HashSet<>();

  /** What of the set's table was charged. */
  private long setBytes;

  /** Pairs of a key's hash and its address plus 1, at the first free slot from the hash on. */
  private long[] index = {};

  private long indexBytes;
  private int onDisk;

  /** How many keys in memory it takes until they are asked again to make room for the index. */
  private long triesAgainAt;

  /** The bytes of the key that is looked for, and classes that keys have named. */
  private final Bytes bytes = new Bytes();

  private final List<Class<?>> classes = new ArrayList<>();
  private @Nullable String unknown;

  SeenKeys(Context context) {
    this.holding = new Holding(context.heap());
    this.spill = context.spill();
  }

  /** Notes a key that may have been met before. */
  Answer add(Object key) {
    if (onDisk == 0) {
      if (!inMemory.add(key)) {
        return Answer.SEEN;
      }
      if (keeps(key, false)) {
        return Answer.NEW;
      }
      inMemory.remove(key);
    } else if (inMemory.contains(key)) {
      return Answer.SEEN;
    }
    if (!spill.mayWrite() || !encode(key)) {
      return addToMemory(key);
    }
    long hash = hash();
    if (isOnDisk(hash)) {
      return Answer.SEEN;
    }
    return growIndex() && encode(key) && write(hash) ? Answer.NEW : addToMemory(key);
  }

  /** Holds a key that cannot be on disk. */
  private Answer addToMemory(Object key) {
    inMemory.add(key);
    if (keeps(key, true)) {
      return Answer.NEW;
    }
    inMemory.remove(key);
    return Answer.DOES_NOT_FIT;
  }

  /** Charges for a key that was added to the set. */
  private boolean keeps(Object key, boolean mustBeHere) {
    long table = HeapLayout.hashTable(inMemory.size());
    long added = ContentKey.bytesOf(key) + Math.max(0, table - setBytes);
    if (mustBeHere ? !holding.take(added) : !spill.keepsInMemory(holding, added)) {
      return false;
    }
    setBytes = Math.max(setBytes, table);
    return true;
  }

  /** Puts the bytes of a key where they are compared; false where it has none. */
  private boolean encode(Object key) {
    bytes.reset();
    try {
      ContentKey.write(key, classes, new DataOutputStream(bytes));
      return true;
    } catch (IllegalArgumentException e) {
      unknown = e.getMessage();
      return false;
    } catch (IOException e) {
      throw new AssertionError("memory does not fail", e);
    }
  }

  private long hash() {
    ByteBuffer all = bytes.toBuffer();
    long hash = all.remaining();
    while (all.remaining() >= 8) {
      hash = mix(hash ^ all.getLong());
    }
    while (all.hasRemaining()) {
      hash = mix(hash ^ all.get());
    }
    return mix(hash);
  }

  private static long mix(long bits) {
    long mixed = (bits ^ (bits >>> 32)) * 0xD6E8FEB86659FD93L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
    return mixed ^ (mixed >>> 32);
  }

  private boolean isOnDisk(long hash) {
    int mask = index.length / 2 - 1;
    for (int slot = (int) hash & mask;
        mask > 0 && index[2 * slot + 1] != 0;
        slot = slot + 1 & mask) {
      if (index[2 * slot] == hash
          && spill.readBytes(index[2 * slot + 1] - 1).equals(bytes.toBuffer())) {
        return true;
      }
    }
    return false;
  }

  private boolean write(long hash) {
    long address = spill.writeBytes(bytes.array(), bytes.size());
    if (address == Spill.REFUSED) {
      return false;
    }
    put(index, hash, address + 1);
    onDisk++;
    return true;
  }

  private static void put(long[] into, long hash, long addressPlus1) {
    int mask = into.length / 2 - 1;
    int slot = (int) hash & mask;
    while (into[2 * slot + 1] != 0) {
      slot = slot + 1 & mask;
    }
    into[2 * slot] = hash;
    into[2 * slot + 1] = addressPlus1;
  }

  /** Makes room for one more hash, for which keys may have to leave memory. */
  private boolean growIndex() {
    int slots = index.length / 2;
    if (3L * (onDisk + 1) <= 2L * slots) {
      return true;
    }
    int more = Math.max(FEWEST_SLOTS, 2 * slots);
    if (more > 1 << 29) {
      return false; // as large as an array can be
    }
    long wanted = HeapLayout.array(2L * more, 8);
    List<Object> leaving = new ArrayList<>();
    if (!holding.take(wanted)) {
      if (inMemory.size() < triesAgainAt) {
        return false;
      }
      makeRoom(wanted, leaving);
      if (!holding.take(wanted)) {
        inMemory.addAll(leaving);
        leaving.forEach(key -> holding.takeAnyway(ContentKey.bytesOf(key)));
        triesAgainAt = 2L * inMemory.size();
        return false;
      }
    }
    long[] old = index;
    index = new long[2 * more];
    for (int slot = 0; slot < slots; slot++) {
      if (old[2 * slot + 1] != 0) {
        put(index, old[2 * slot], old[2 * slot + 1]);
      }
    }
    holding.letGo(indexBytes);
    indexBytes = wanted;
    leaving.forEach(this::moveToDisk);
    return onDisk + 1 < more;
  }

  /** Takes keys out of memory that can be on disk. */
  private void makeRoom(long wanted, List<Object> leaving) {
    long freed = 0;
    for (Iterator<Object> all = inMemory.iterator(); all.hasNext() && freed < wanted; ) {
      Object key = all.next();
      if (encode(key)) {
        all.remove();
        leaving.add(key);
        freed += ContentKey.bytesOf(key);
      }
    }
    holding.letGo(freed);
    inMemory = new HashSet<>(inMemory); // whose table is smaller
    long table = HeapLayout.hashTable(inMemory.size());
    holding.letGo(Math.max(0, setBytes - table));
    setBytes = Math.min(setBytes, table);
  }

  private void moveToDisk(Object key) {
    if (!encode(key) || !write(hash())) {
      inMemory.add(key);
      holding.takeAnyway(ContentKey.bytesOf(key));
    }
  }

  /** How many keys were met. */
  long size() {
    return (long) inMemory.size() + onDisk;
  }

  /** What they take, in memory and on disk. */
  long bytes() {
    return holding.bytes() + spill.bytes();
  }

  String isFull() {
    return holding.isFull();
  }

  String option() {
    return holding.option();
  }

  String whyNotOnDisk() {
    return unknown == null ? spill.whyNotOnDisk() : "; keys could not go to disk: " + unknown;
  }

  @Override
  public void close() {
    spill.close();
    holding.close();
  }

  /** Bytes that can be read without a copy. */
  private static final class Bytes extends ByteArrayOutputStream {
    byte[] array() {
      return buf;
    }

    ByteBuffer toBuffer() {
      return ByteBuffer.wrap(buf, 0, count);
    }
  }
}
