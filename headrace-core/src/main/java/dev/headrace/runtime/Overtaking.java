package dev.headrace.runtime;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.State;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * How the slots of a stage overtake each other where order is not kept: which one is handed over
 * next, and how a position tells it.
 *
 * <p><b>Threading:</b> guarded by the crew's lock, but for a position that is restored before
 * workers start.
 */
final class Overtaking {
  /*
   * The position is the oldest slot's, with the lengths of the slots from there on and how much of
   * each was handed over. A consumer behind another stage may go back to a position that lies before
   * what it has pulled since; it must then meet the same elements in the same order. So slots form a
   * list in the order they were handed over, a position remembers its place in that list, and when
   * it is written down (late) it carries the order that followed.
   */

  /** Finished slots as they finished; and slots that must come first, in this order. */
  private final ArrayDeque<Slot> finished = new ArrayDeque<>();

  private final ArrayDeque<Slot> comeFirst = new ArrayDeque<>();

  /** The slot that is being handed over. */
  private @Nullable Slot current;

  private Slot lastHandedOver = new Slot(State.START, new Chunk());
  private Slot newest = lastHandedOver;
  private Slot beforeNewest = lastHandedOver;

  /** What a position tells, read from a state. */
  record Saved(long[] lengths, long[] taken, long[] order, State input) {
    static Saved of(State state, String path) {
      long[] lengths = state.numbers("lengths");
      long[] taken = state.numbers("taken");
      if (taken.length != lengths.length) {
        throw new State.InvalidState(
            "checkpoint: expected as many counts as lengths for "
                + path
                + ", but got "
                + taken.length
                + " and "
                + lengths.length);
      }
      for (int i = 0; i < lengths.length; i++) {
        if (lengths[i] < 1 || lengths[i] > ChunkPacer.LONGEST || taken[i] < -1) {
          throw new State.InvalidState(
              "checkpoint: expected chunks of 1 to %d elements for %s, but got %d of which %d were taken"
                  .formatted(ChunkPacer.LONGEST, path, lengths[i], taken[i]));
        }
      }
      return new Saved(lengths, taken, state.numbers("order"), state.state("input"));
    }
  }

  /** A slot was pulled. Ordered stages do not link theirs: a position keeps all that follow. */
  void appended(Slot slot) {
    newest.next = slot;
    beforeNewest = newest;
    newest = slot;
  }

  /** Forgets the slot that was appended last. */
  void takenBack() {
    newest = beforeNewest;
    newest.next = null;
  }

  void finished(Slot slot) {
    finished.addLast(slot);
  }

  /** The slot to hand over next; null if it is not there yet. */
  @Nullable Slot next() {
    if (current != null) {
      return current;
    }
    Slot first = comeFirst.peekFirst();
    if (first != null) {
      if (!first.done) {
        return null;
      }
      comeFirst.removeFirst();
      finished.remove(first);
      current = first;
    } else {
      current = finished.pollFirst();
    }
    if (current != null) {
      lastHandedOver.handedOverNext = current;
      lastHandedOver = current;
    }
    return current;
  }

  void retired(Slot slot) {
    if (current == slot) {
      current = null;
    }
  }

  /** Lets go of what was not handed over; positions may still be told. */
  void abandonFinished() {
    finished.clear();
    current = null;
  }

  /**
   * The position now.
   *
   * @param window the slots from the oldest that is not wholly handed over
   * @param from the input's position before the oldest of them
   */
  State position(Collection<Slot> window, State from, Lock lock) {
    Slot[] slots = window.toArray(Slot[]::new);
    int[] taken = new int[slots.length];
    for (int i = 0; i < slots.length; i++) {
      taken[i] = slots[i].handedOver ? -1 : slots[i].taken;
    }
    Slot oldest = slots.length == 0 ? null : slots[0];
    Slot first = oldest;
    Slot upTo = newest;
    Slot last = lastHandedOver;
    boolean inTheMiddle = current != null;
    return State.late(
        () -> {
          lock.lock();
          try {
            return describe(
                from, first == null ? upTo.next : first, slots, taken, last, inTheMiddle);
          } finally {
            lock.unlock();
          }
        });
  }

  private State describe(
      State from,
      @Nullable Slot oldest,
      Slot[] known,
      int[] taken,
      Slot last,
      boolean inTheMiddle) {
    List<Slot> slots = new ArrayList<>();
    Map<Slot, Long> places = new IdentityHashMap<>();
    for (Slot slot = oldest; slot != null && slot.length > 0; slot = slot.next) {
      places.put(slot, (long) slots.size());
      slots.add(slot);
    }
    long[] lengths = new long[slots.size()];
    long[] takenOf = new long[slots.size()];
    int met = 0; // slots that were split since have others between them
    for (int i = 0; i < lengths.length; i++) {
      lengths[i] = slots.get(i).length;
      boolean isKnown = met < known.length && known[met] == slots.get(i);
      takenOf[i] = isKnown ? taken[met++] : 0;
    }
    List<Long> order = new ArrayList<>();
    if (oldest != null) {
      Slot next = inTheMiddle ? last : last.handedOverNext;
      for (Slot slot = next; slot != null; slot = slot.handedOverNext) {
        order.add(placeOf(slot, places));
      }
      for (Slot slot : comeFirst) { // known from an earlier life, and not met again yet
        order.add(placeOf(slot, places));
      }
    }
    return State.ofPairs(
        "lengths", lengths,
        "taken", takenOf,
        "order", order.stream().mapToLong(Long::longValue).toArray(),
        "input", from);
  }

  private static long placeOf(Slot slot, Map<Slot, Long> places) {
    return Objects.requireNonNull(
        places.get(slot), "a slot that was handed over is after the first");
  }

  /** A slot was split: what is left of it follows it. */
  void splitOff(Slot slot, Slot tail) {
    tail.next = slot.next;
    slot.next = tail;
    if (newest == slot) {
      newest = tail;
    }
    if (beforeNewest == slot && newest != tail) {
      beforeNewest = tail;
    }
  }

  /** Keeps to the order of an earlier life, told as indices of slots. */
  void follow(long[] order, List<Slot> slots, String path) {
    for (long index : order) {
      if (index < 0 || index >= slots.size() || slots.get((int) index).handedOver) {
        throw new State.InvalidState(
            "checkpoint: expected the order of " + path + " to name open chunks, but got " + index);
      }
      if (comeFirst.contains(slots.get((int) index))) {
        throw new State.InvalidState(
            "checkpoint: expected the order of "
                + path
                + " to name a chunk once, but got "
                + index);
      }
      comeFirst.addLast(slots.get((int) index));
    }
  }
}
