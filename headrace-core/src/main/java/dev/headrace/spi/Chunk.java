package dev.headrace.spi;

import dev.headrace.data.Account;
import dev.headrace.data.HeapLayout;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A run of elements handed over at once.
 *
 * <p>Elements live in one of two lanes: {@code long[]} while all of them are {@code Long}s, {@code
 * Object[]} otherwise; the first other element moves the chunk to the object lane. Operators that
 * give one element for one change the values in place and leave the ids alone.
 *
 * <p><b>Threading:</b> owned by one thread at a time.
 */
public final class Chunk {
  /*
   * Ids cost nothing while they are a run (one parent, consecutive ordinals), eight bytes an
   * element once a filter or a shuffle breaks the run, and a reference more once elements of
   * several parents meet (interleave). Most chunks stay a run from source to consumer.
   */
  private enum Ids {
    RUN,
    LISTED,
    MIXED
  }

  private static final long[] NO_LONGS = {};
  private static final Object[] NO_ITEMS = {};
  private static final Id[] NO_IDS = {};

  /** A chunk of more bytes is full, however few elements it has. */
  public static final long FULL_BYTES =
      Math.clamp(Runtime.getRuntime().maxMemory() >> 10, 64L << 10, 512L << 10);

  private long[] longs = NO_LONGS;
  private @Nullable Object[] items = NO_ITEMS;
  private boolean inLongs = true;
  private int size;
  private int failures;

  /** About what the elements weigh, as far as {@link #isOpen} has looked. */
  private final Tally tally = new Tally();

  private long fullBytes = FULL_BYTES;

  /** The account that bears what was handed over with the elements; null if none does. */
  private @Nullable Account chargedTo;

  private long chargedBytes;

  private Ids ids = Ids.RUN;
  private @Nullable Id parent;
  private long first;
  private long[] ordinals = NO_LONGS;
  private @Nullable Id[] parents = NO_IDS;

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /**
   * Whether another element should be added: there are fewer than {@code max}, and they are not
   * heavy. Who fills a chunk asks it before each element but the first.
   */
  public boolean isOpen(int max) {
    return size < max && (inLongs || tally.upTo(items, size) < fullBytes);
  }

  /** At how many bytes of results work on this chunk stops, where it may. */
  public long fullBytes() {
    return fullBytes;
  }

  /** Lets work on this chunk stop earlier, until it is {@link #clear cleared}. */
  public void fullAt(long bytes) {
    fullBytes = Math.min(FULL_BYTES, bytes);
  }

  /** Whether the elements are in the {@code long[]} lane. */
  public boolean inLongs() {
    return inLongs;
  }

  /** The {@code long[]} lane; the first {@link #size()} entries are the elements. */
  public long[] longs() {
    return longs;
  }

  /** The {@code Object[]} lane; the first {@link #size()} entries are the elements. */
  public @Nullable Object[] items() {
    return items;
  }

  /** How many of the elements are failures. */
  public int failures() {
    return failures;
  }

  /** Whether one of the failures ends the pipeline. */
  public boolean hasTerminalFailure() {
    for (int i = 0; failures > 0 && i < size; i++) {
      if (items[i] instanceof Failure failure && failure.terminal()) {
        return true;
      }
    }
    return false;
  }

  /** Drops the failures after which the pipeline would go on. */
  public void dropPassingFailures() {
    if (failures == 0) {
      return;
    }
    int kept = 0;
    int all = size;
    for (int i = 0; i < all; i++) {
      if (!(items[i] instanceof Failure failure) || failure.terminal()) {
        move(i, kept++);
      }
    }
    truncate(kept);
  }

  /** Drops all elements, and gives back what is charged for them. */
  public void clear() {
    letGo();
    if (!inLongs) {
      Arrays.fill(items, 0, size, null);
      inLongs = true;
    }
    size = 0;
    failures = 0;
    ids = Ids.RUN;
    parent = null;
    tally.reset();
    fullBytes = FULL_BYTES;
  }

  /**
   * Takes over a charge of {@code bytes} for the elements from the buffer that hands them over.
   * They stay charged until the chunk is {@link #clear cleared} or {@link #letGo} is called: the
   * thread that pulled them holds them until it pulls again.
   */
  public void charge(Account account, long bytes) {
    letGo();
    if (bytes > 0) {
      chargedTo = account;
      chargedBytes = bytes;
    }
  }

  /** What is charged for the elements. */
  public long chargedBytes() {
    return chargedBytes;
  }

  /** Gives back what is charged for the elements. */
  public void letGo() {
    Account account = chargedTo;
    if (account != null) {
      chargedTo = null;
      account.unbuffer(chargedBytes);
      chargedBytes = 0;
    }
  }

  /** Passes on the share of the charge that belongs to {@code count} of the elements. */
  public void chargeShare(Chunk to, int count) {
    Account account = chargedTo;
    if (account != null && count > 0) {
      long share = (long) ((double) chargedBytes * Math.min(count, size) / size);
      chargedBytes -= share;
      to.charge(account, share);
    }
  }

  /**
   * Makes this a chunk of {@code count} longs with consecutive ids; the caller writes the values.
   */
  public long[] longRun(@Nullable Id runParent, long firstOrdinal, int count) {
    clear();
    if (longs.length < count) {
      longs = new long[count];
    }
    parent = runParent;
    first = firstOrdinal;
    size = count;
    return longs;
  }

  /** Makes this a chunk of {@code count} objects with consecutive ids; the caller writes them. */
  public @Nullable Object[] itemRun(@Nullable Id runParent, long firstOrdinal, int count) {
    clear();
    if (items.length < count) {
      items = new Object[count];
    }
    inLongs = false;
    parent = runParent;
    first = firstOrdinal;
    size = count;
    return items;
  }

  /** The element at {@code index}, boxed where it is in the long lane. */
  public Object item(int index) {
    return inLongs ? (Object) longs[index] : present(items[index]);
  }

  public boolean isFailure(int index) {
    return failures > 0 && items[index] instanceof Failure;
  }

  public Id id(int index) {
    return new Id(parentOf(index), ordinalOf(index));
  }

  public @Nullable Id parentOf(int index) {
    return ids == Ids.MIXED ? parents[index] : parent;
  }

  public long ordinalOf(int index) {
    return ids == Ids.RUN ? first + index : ordinals[index];
  }

  /** Appends an element with its id. */
  public void add(Object value, @Nullable Id itsParent, long itsOrdinal) {
    setId(size, itsParent, itsOrdinal);
    setValue(size, value);
    size++;
  }

  public void addLong(long value, @Nullable Id itsParent, long itsOrdinal) {
    setId(size, itsParent, itsOrdinal);
    setLong(size, value);
    size++;
  }

  /** Appends an element of another chunk, id and all. */
  public void append(Chunk from, int index) {
    put(size, from, index);
  }

  /** Appends a run of another chunk. */
  public void append(Chunk from, int start, int count) {
    if (size == 0 && from.ids == Ids.RUN) {
      if (from.inLongs) {
        System.arraycopy(
            from.longs, start, longRun(from.parent, from.first + start, count), 0, count);
      } else {
        System.arraycopy(
            from.items, start, itemRun(from.parent, from.first + start, count), 0, count);
        recount();
      }
      return;
    }
    for (int i = start; i < start + count; i++) {
      put(size, from, i);
    }
  }

  /**
   * Writes an element of another chunk (or of this one) into a slot: an old one, or the next new
   * one. Chunks used as buffers with random access live by this.
   */
  public void put(int slot, Chunk from, int index) {
    setId(slot, from.parentOf(index), from.ordinalOf(index));
    if (from.inLongs) {
      setLong(slot, from.longs[index]);
    } else {
      setValue(slot, present(from.items[index]));
    }
    if (slot == size) {
      size++;
    }
  }

  /** Makes this a chunk of {@code slots} slots without content, to be {@link #put} in any order. */
  public void openSlots(int slots) {
    longRun(null, 0, slots);
  }

  /** Replaces the value at {@code index}; the id stays. */
  public void replace(int index, Object value) {
    setValue(index, value);
  }

  /** Moves an element to a lower index, for compaction; finish with {@link #truncate}. */
  public void move(int from, int to) {
    if (from == to) {
      return;
    }
    if (ids == Ids.RUN) {
      listIds();
    }
    ordinals[to] = ordinals[from];
    if (ids == Ids.MIXED) {
      parents[to] = parents[from];
    }
    if (inLongs) {
      longs[to] = longs[from];
    } else {
      items[to] = items[from];
    }
  }

  /** Drops the elements from {@code newSize} on. */
  public void truncate(int newSize) {
    if (!inLongs) {
      Arrays.fill(items, newSize, size, null);
    }
    size = newSize;
    recount();
  }

  /** Drops the first {@code count} elements. */
  public void dropFirst(int count) {
    if (ids == Ids.RUN) {
      first += count;
    } else {
      System.arraycopy(ordinals, count, ordinals, 0, size - count);
      if (ids == Ids.MIXED) {
        System.arraycopy(parents, count, parents, 0, size - count);
      }
    }
    if (inLongs) {
      System.arraycopy(longs, count, longs, 0, size - count);
    } else {
      System.arraycopy(items, count, items, 0, size - count);
    }
    truncate(size - count);
  }

  /** Forgets the value in a slot without moving others, so that it can be collected. */
  public void forget(int slot) {
    if (!inLongs) {
      items[slot] = null;
    }
  }

  /** Puts the ids under other parents; equal parents stay one object. */
  public void reparent(UnaryOperator<@Nullable Id> change) {
    if (size == 0) {
      return;
    }
    if (ids != Ids.MIXED) {
      parent = change.apply(parent);
      return;
    }
    Id before = parents[0];
    Id after = change.apply(before);
    for (int i = 0; i < size; i++) {
      if (parents[i] != before) {
        before = parents[i];
        after = change.apply(before);
      }
      parents[i] = after;
    }
  }

  /** Exchanges all content with another chunk, without copying. */
  public void swap(Chunk other) {
    long[] otherLongs = other.longs;
    @Nullable Object[] otherItems = other.items;
    boolean otherInLongs = other.inLongs;
    int otherSize = other.size;
    int otherFailures = other.failures;
    Ids otherIds = other.ids;
    Id otherParent = other.parent;
    long otherFirst = other.first;
    long[] otherOrdinals = other.ordinals;
    @Nullable Id[] otherParents = other.parents;
    Account otherChargedTo = other.chargedTo;
    long otherChargedBytes = other.chargedBytes;
    other.longs = longs;
    other.items = items;
    other.inLongs = inLongs;
    other.size = size;
    other.failures = failures;
    other.ids = ids;
    other.parent = parent;
    other.first = first;
    other.ordinals = ordinals;
    other.parents = parents;
    other.chargedTo = chargedTo;
    other.chargedBytes = chargedBytes;
    longs = otherLongs;
    items = otherItems;
    inLongs = otherInLongs;
    size = otherSize;
    failures = otherFailures;
    ids = otherIds;
    parent = otherParent;
    first = otherFirst;
    ordinals = otherOrdinals;
    parents = otherParents;
    chargedTo = otherChargedTo;
    chargedBytes = otherChargedBytes;
  }

  /** Moves to the object lane, boxing what is there. */
  public @Nullable Object[] widen() {
    if (inLongs) {
      if (items.length < Math.max(size, longs.length)) {
        items = new Object[Math.max(size, longs.length)];
      }
      for (int i = 0; i < size; i++) {
        items[i] = longs[i];
      }
      inLongs = false;
    }
    return items;
  }

  /** Opens the object lane beside the long lane, for results that are not longs. */
  public @Nullable Object[] besideLongs() {
    if (items.length < size) {
      items = new Object[Math.max(size, longs.length)];
    }
    return items;
  }

  /** Leaves the long lane for the object lane, all of whose entries the caller has written. */
  public void leaveLongs() {
    inLongs = false;
    recount();
  }

  /** What the lanes take on the heap, without the elements. */
  public long laneBytes() {
    return HeapLayout.array(longs.length, 8)
        + HeapLayout.references(items.length)
        + HeapLayout.array(ordinals.length, 8)
        + HeapLayout.references(parents.length);
  }

  /** What the lanes will take once {@code count} elements of another chunk were appended. */
  public long laneBytesWith(Chunk from, int count) {
    int most = Math.addExact(size, count);
    boolean staysInLongs = (inLongs || size == 0) && from.inLongs;
    boolean isListed = ids != Ids.RUN || from.ids != Ids.RUN;
    boolean isMixed = ids == Ids.MIXED || from.ids == Ids.MIXED;
    return HeapLayout.array(staysInLongs ? grownTo(longs.length, most) : longs.length, 8)
        + HeapLayout.references(staysInLongs ? items.length : grownTo(items.length, most))
        + HeapLayout.array(isListed ? grownTo(ordinals.length, most) : ordinals.length, 8)
        + HeapLayout.references(isMixed ? grownTo(parents.length, most) : parents.length);
  }

  private static long grownTo(int length, int needed) {
    int grown = length;
    while (grown < needed) {
      grown = grown(grown);
    }
    return grown;
  }

  private void setLong(int slot, long value) {
    if (size == 0) {
      inLongs = true;
    }
    if (!inLongs) {
      setValue(slot, value);
      return;
    }
    if (slot >= longs.length) {
      longs = Arrays.copyOf(longs, grown(longs.length));
    }
    longs[slot] = value;
  }

  private void setValue(int slot, Object value) {
    if (value instanceof Long number && (inLongs && (size > 0 || slot == 0))) {
      setLong(slot, number);
      return;
    }
    if (size == 0) {
      inLongs = false;
    } else {
      widen();
    }
    if (slot >= items.length) {
      items = Arrays.copyOf(items, grown(items.length));
    }
    if (slot < size && items[slot] instanceof Failure) {
      failures--;
    }
    items[slot] = value;
    if (value instanceof Failure) {
      failures++;
    }
  }

  private void setId(int slot, @Nullable Id itsParent, long itsOrdinal) {
    if (ids == Ids.RUN) {
      if (size == 0) {
        parent = itsParent;
        first = itsOrdinal;
        return;
      }
      if (itsParent == parent && itsOrdinal == first + slot) {
        return;
      }
      listIds();
    }
    if (ids == Ids.LISTED && itsParent != parent) {
      mixIds();
    }
    if (slot >= ordinals.length) {
      ordinals = Arrays.copyOf(ordinals, grown(ordinals.length));
    }
    ordinals[slot] = itsOrdinal;
    if (ids == Ids.MIXED) {
      if (slot >= parents.length) {
        parents = Arrays.copyOf(parents, grown(parents.length));
      }
      parents[slot] = itsParent;
    }
  }

  private void listIds() {
    if (ordinals.length < size) {
      ordinals = new long[grown(size)];
    }
    for (int i = 0; i < size; i++) {
      ordinals[i] = first + i;
    }
    ids = Ids.LISTED;
  }

  private void mixIds() {
    if (parents.length < size) {
      parents = new Id[grown(size)];
    }
    Arrays.fill(parents, 0, size, parent);
    ids = Ids.MIXED;
  }

  private void recount() {
    failures = 0;
    if (!inLongs) {
      for (int i = 0; i < size; i++) {
        if (items[i] instanceof Failure) {
          failures++;
        }
      }
    }
  }

  private static int grown(int length) {
    return Math.max(16, length + (length >> 1) + 1);
  }

  private static Object present(@Nullable Object value) {
    if (value == null) {
      throw new IllegalStateException("chunk: expected an element, but the slot is empty");
    }
    return value;
  }
}
