package dev.headrace.op;

import dev.headrace.data.HeapLayout;
import dev.headrace.data.Plural;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Holding;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Spill;
import dev.headrace.spi.State;
import dev.headrace.spi.Weigher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Collects elements by key, and makes something of a group as soon as it is full; at the end of
 * those that are left, in the order of their keys.
 *
 * <p>Failed elements are in no group: they are delivered when they are met.
 */
abstract class GroupingCursor extends Cursor {
  /*
   * A position does not save the elements that are held. It says from where to read again, the
   * oldest of them, and which of the elements since then were held at that time. Positions are
   * taken far more often than written down, so the list is made late, from a ledger.
   */
  private static final int LONGEST_PULL = 1024;

  /** How much of what is held goes to disk at once to make room for addresses: one of so many. */
  private static final int MOVED_SHARE = 8;

  private final String word;
  private final HoldingReader reader;
  private final TreeMap<Object, Group> groups = new TreeMap<>();
  private final HeldLedger ledger = new HeldLedger();

  /** The group whose results are being given by {@link #child}. */
  private @Nullable Group flushing;

  private @Nullable Cursor child;
  private final Holding holding;
  private final Spill spill;
  private long ledgerBytes;
  private long heldElements;
  private boolean broken;

  GroupingCursor(Context context, Op input, String word) {
    super(context);
    this.word = word;
    this.holding = new Holding(context.heap());
    this.spill = context.spill();
    this.reader = new HoldingReader(context.open(input));
  }

  /** The key of an element, which keys of others can be compared with. */
  abstract Object keyOf(Object element) throws Exception;

  /** The size at which a group is full. */
  abstract long sizeOf(Object key) throws Exception;

  /**
   * Makes something of a group: appends it to {@code out}, or returns a cursor that gives it.
   *
   * @param full false for what is left at the end
   */
  abstract @Nullable Cursor reduce(
      Object key, List<Object> elements, Id id, boolean full, Chunk out) throws Exception;

  /** Elements of one key. */
  private static final class Group {
    /**
     * What a group takes without its key and its elements: itself, its id, its place in the map.
     */
    private static final long OWN_BYTES =
        HeapLayout.object(3L * HeapLayout.REFERENCE + 16)
            + HeapLayout.object(HeapLayout.REFERENCE + 8)
            + HeapLayout.object(5L * HeapLayout.REFERENCE + 1)
            + Id.BYTES;

    final long size;
    final List<Object> items = new ArrayList<>();
    final Id id;
    long[] numbers = new long[4];
    long bytes;

    /** Whether one of the elements is. */
    boolean isOnDisk;

    /** What reads those, once the group was flushed. */
    @Nullable ItemsOnDisk reading;

    Group(long size, Id id) {
      this.size = size;
      this.id = id;
    }

    /** What it takes to hold so many elements. */
    private static long roomBytes(int count) {
      int room = 10;
      while (room < count) {
        room += room >> 1;
      }
      int places = Math.max(4, Integer.highestOneBit(Math.max(1, 2 * count - 1)));
      return HeapLayout.references(room) + HeapLayout.array(places, 8);
    }

    /** What one more element adds, beside itself. */
    long growthBytes() {
      int count = items.size();
      return roomBytes(count + 1) - (count == 0 ? 0 : roomBytes(count));
    }

    void add(Object item, long number, long itsBytes) {
      int count = items.size();
      numbers = count == numbers.length ? Arrays.copyOf(numbers, 2 * count) : numbers;
      numbers[count] = number;
      items.add(item);
      bytes += itsBytes;
    }
  }

  @Override
  protected void produce(Chunk out, int max) {
    int pull = max;
    while (out.isOpen(max) && !broken) {
      Cursor open = child;
      if (open != null) {
        if (!out.isEmpty() && !open.isReady()) {
          open.start();
          return;
        }
        takeFrom(open, out, max);
      } else if (!out.isEmpty() && !reader.isReady()) {
        return;
      } else if (reader.advance(context.demand() == Long.MAX_VALUE ? pull : 1)) {
        take(out);
        pull = Math.min(2 * pull, Math.max(max, LONGEST_PULL));
      } else {
        Map.Entry<Object, Group> rest = groups.pollFirstEntry();
        if (rest == null) {
          return;
        }
        flush(rest.getKey(), rest.getValue(), false, out);
      }
    }
  }

  private void takeFrom(Cursor open, Chunk out, int max) {
    Chunk taken = scratch();
    open.fill(taken, max - out.size());
    if (taken.isEmpty()) {
      open.close();
      child = null;
      letGo();
    } else {
      out.append(taken, 0, taken.size());
    }
  }

  private void take(Chunk out) {
    if (reader.isFailure()) {
      reader.giveTo(out);
    } else {
      take(out, 0);
    }
  }

  private void take(Chunk out, int times) {
    Object item = reader.item();
    Id id = reader.id();
    Object key;
    Group group;
    try {
      key = Objects.requireNonNull(keyOf(item), word + ": expected a key, but got null");
      group = groupOf(key, id);
    } catch (Throwable e) {
      if (context.mustCallAgain(e, times)) {
        take(out, times + 1);
      } else {
        out.add(context.failure(id, e), id.parent(), id.ordinal());
      }
      return;
    }
    if (!hold(key, group, item)) {
      out.add(tooLarge(), context.prefix(), 0);
      broken = true;
    } else if (group.items.size() >= group.size) {
      groups.remove(key);
      flush(key, group, true, out);
    }
  }

  private Group groupOf(Object key, Id id) throws Exception {
    Group known = groups.get(key);
    if (known != null) {
      return known;
    }
    long size = sizeOf(key);
    if (size < 1) {
      throw new IllegalArgumentException(
          "%s: expected a window of at least 1 element, but got %d for key %s"
              .formatted(word, size, key));
    }
    Group group = new Group(size, id);
    groups.put(key, group);
    return group;
  }

  /** Adds an element to a group; false where it fits neither the memory nor the disk. */
  private boolean hold(Object key, Group group, Object item) {
    long own = group.growthBytes();
    if (group.items.isEmpty()) {
      own += Group.OWN_BYTES + Weigher.bytesOf(key);
    }
    long bytes = Weigher.bytesOf(item) + own;
    if (spill.keepsInMemory(holding, bytes)) {
      add(group, item, bytes);
      return true;
    }
    long address = spill.write(item);
    if (address == Spill.REFUSED) {
      if (!holding.take(bytes)) {
        return false;
      }
      add(group, item, bytes);
      return true;
    }
    long ofAddress = own + OnDisk.BYTES;
    if (!holding.take(ofAddress) && !(moveToDisk(ofAddress) && holding.take(ofAddress))) {
      spill.free(address);
      return false;
    }
    group.isOnDisk = true;
    add(group, new OnDisk(address), ofAddress);
    return true;
  }

  private void add(Group group, Object item, long bytes) {
    heldElements++;
    group.add(item, reader.number(), bytes);
    ledger.hold(reader.number());
    weighLedger();
  }

  /** Moves at least so many bytes of held elements to disk; false if it cannot. */
  private boolean moveToDisk(long bytes) {
    long left = Math.max(bytes, holding.bytes() / MOVED_SHARE); // not one by one, each time
    boolean isAnyMoved = false;
    for (Group group : groups.values()) {
      for (int i = 0; i < group.items.size() && left > 0; i++) {
        Object item = group.items.get(i);
        long gained = item instanceof OnDisk ? 0 : Weigher.bytesOf(item) - OnDisk.BYTES;
        long address = gained <= 0 ? Spill.REFUSED : spill.write(item);
        if (address != Spill.REFUSED) {
          gained = Math.min(gained, group.bytes);
          group.items.set(i, new OnDisk(address));
          group.isOnDisk = true;
          group.bytes -= gained;
          holding.letGo(gained);
          left -= gained;
          isAnyMoved = true;
        }
      }
    }
    return isAnyMoved;
  }

  private void weighLedger() {
    long now = ledger.bytes();
    if (now > ledgerBytes) {
      holding.takeAnyway(now - ledgerBytes);
    } else {
      holding.letGo(ledgerBytes - now);
    }
    ledgerBytes = now;
  }

  private void flush(Object key, Group group, boolean full, Chunk out) {
    ledger.flush(group.numbers, group.items.size());
    weighLedger();
    heldElements -= group.items.size();
    flushing = group;
    try {
      List<Object> elements = elementsOf(group);
      child =
          context
              .call(() -> Optional.ofNullable(reduce(key, elements, group.id, full, out)))
              .orElse(null);
    } catch (Throwable e) {
      out.add(context.failure(group.id, e), group.id.parent(), group.id.ordinal());
    }
    if (child == null) {
      letGo();
    }
  }

  private List<Object> elementsOf(Group group) {
    if (!group.isOnDisk) {
      return List.copyOf(group.items);
    }
    ItemsOnDisk items = new ItemsOnDisk(word, group.items, spill);
    group.reading = items;
    return items;
  }

  /** Forgets the group that was flushed, of which everything was given. */
  private void letGo() {
    Group done = Objects.requireNonNull(flushing);
    flushing = null;
    ItemsOnDisk read = done.reading;
    if (read != null) {
      read.close();
    }
    holding.letGo(done.bytes);
    reader.forget(ledger.oldest(reader.nextNumber()));
  }

  private Failure tooLarge() {
    return new Failure(
        context.path(),
        null,
        new IllegalStateException(
            ("%s: expected windows that are not full to fit the memory budget, but with %s"
                    + " of %s, %,d MB, %s; full windows of these keys need about %,d"
                    + " MB: lower the size or the number of keys, or raise %s to more than that%s")
                .formatted(
                    word,
                    Plural.of(heldElements, "element"),
                    Plural.of(groups.size(), "key"),
                    holding.bytes() >> 20,
                    holding.isFull(),
                    neededBytes() >> 20,
                    holding.option(),
                    spill.whyNotOnDisk())),
        true);
  }

  /** What full windows of the keys met so far would hold. */
  private long neededBytes() {
    double each = (double) (holding.bytes() + spill.bytes()) / Math.max(1, heldElements);
    double elements = 0;
    for (Group group : groups.values()) {
      elements += group.size;
    }
    return (long) (each * elements);
  }

  @Override
  public boolean isReady() {
    Cursor open = child;
    return open == null ? reader.isReady() : open.isReady();
  }

  @Override
  public void start() {
    Cursor open = child;
    if (open == null) {
      reader.start();
    } else {
      open.start();
    }
  }

  @Override
  protected State position() {
    long end = reader.nextNumber();
    long oldest = ledger.oldest(end);
    Group window = flushing;
    if (window == null && oldest == end) {
      return State.ofPairs("input", reader.before(end), "again", 0L, "held", new long[0]);
    }
    long first = window == null ? oldest : Math.min(oldest, window.numbers[0]);
    State input = reader.before(first);
    HeldLedger.Moment now = ledger.now(end);
    long[] numbers = window == null ? new long[0] : window.numbers; // not the group: it holds data
    int count = window == null ? 0 : window.items.size();
    State its = child == null ? State.START : child.save();
    return State.lazy(
        () ->
            State.ofPairs(
                "input",
                input,
                "again",
                end - first,
                "held",
                now.heldSince(first),
                "window",
                Arrays.stream(numbers, 0, count).map(number -> number - first).toArray(),
                "child",
                its),
        input,
        its);
  }

  @Override
  protected void moveTo(State state) {
    long again = state.number("again");
    long[] held = checked(state.numbers("held"), again);
    long[] window = state.has("window") ? checked(state.numbers("window"), again) : new long[0];
    reader.restore(state.state("input"));
    Group reopened = null;
    int inHeld = 0;
    int inWindow = 0;
    while (inHeld < held.length || inWindow < window.length) {
      boolean isHeld =
          inWindow == window.length || (inHeld < held.length && held[inHeld] < window[inWindow]);
      long number = isHeld ? held[inHeld++] : window[inWindow++];
      readAgain(number);
      boolean fits;
      try {
        Object item = reader.item();
        if (isHeld) {
          Object key = keyOf(item);
          Group group = groupOf(key, reader.id());
          fits = hold(key, group, item);
          if (fits && group.items.size() >= group.size) {
            throw new IllegalStateException("expected windows that are not full");
          }
        } else {
          reopened = reopened == null ? new Group(window.length, reader.id()) : reopened;
          fits = hold("", reopened, item);
        }
      } catch (Exception e) {
        throw new State.InvalidState(
            "checkpoint: cannot hold element %d of the input again: %s; the input or a function"
                    .formatted(number, e.getMessage())
                + " changed since the checkpoint");
      }
      if (!fits) {
        throw new IllegalStateException(String.valueOf(tooLarge().cause().getMessage()));
      }
    }
    reader.skip(again - reader.nextNumber());
    if (reopened != null) {
      reopen(reopened, state.state("child"));
    }
  }

  private static long[] checked(long[] numbers, long again) {
    long before = -1;
    for (long number : numbers) {
      if (number <= before || number >= again) {
        throw new State.InvalidState(
            "checkpoint: expected elements that ascend from 0 to below %d, but got %s"
                .formatted(again, Arrays.toString(numbers)));
      }
      before = number;
    }
    if (again < 0) {
      throw new State.InvalidState(
          "checkpoint: expected to read 0 or more elements again, but got " + again);
    }
    return numbers;
  }

  private void readAgain(long number) {
    reader.skip(number - reader.nextNumber());
    if (!reader.advance(1) || reader.isFailure()) {
      throw new State.InvalidState(
          ("checkpoint: expected to read element %d of the input again, but it %s; the input"
                  + " changed since the checkpoint")
              .formatted(number, reader.nextNumber() > number ? "failed" : "has ended"));
    }
  }

  private void reopen(Group window, State at) {
    flushing = window;
    ledger.flush(window.numbers, window.items.size());
    weighLedger();
    heldElements -= window.items.size();
    try {
      List<Object> elements = elementsOf(window);
      child = reduce(keyOf(elements.getFirst()), elements, window.id, true, new Chunk());
    } catch (Exception e) {
      throw new IllegalStateException(
          context.path() + ": cannot reduce the window of element " + window.id + " again", e);
    }
    if (child == null) {
      throw new State.InvalidState("checkpoint: expected no open window, but got one");
    }
    child.restore(at);
  }

  @Override
  public void close() {
    try {
      if (child != null) {
        child.close(); // which may still read what is on disk
      }
    } finally {
      spill.close();
      holding.close();
      ledgerBytes = 0;
      groups.clear();
      reader.close();
    }
  }
}
