package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Id;
import dev.headrace.spi.Leases;
import dev.headrace.spi.State;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Reads a cursor element by element for an operator that holds elements back, and can tell the
 * cursor's position before any element that is still held.
 *
 * <p>Elements are numbered as they are read, failures too; numbers start again with the cursor.
 *
 * <p><b>Threading and ownership:</b> its operator's, as the cursor it reads.
 */
final class HoldingReader implements AutoCloseable {
  /** More positions than this are thinned out: fewer mean passing over a little more. */
  private static final int MOST_MARKS = 64;

  /** The cursor's position before element {@code number}. */
  private record Mark(long number, State state) {}

  private final Cursor source;
  private final Chunk chunk = new Chunk();
  private ArrayDeque<Mark> marks = new ArrayDeque<>();

  /** The current element; −1 before the first of a chunk. */
  private int index = -1;

  /** How many elements were pulled. */
  private long pulled;

  private boolean ended;

  HoldingReader(Cursor source) {
    this.source = source;
  }

  /**
   * Moves on to the next element.
   *
   * @param most how many elements may be pulled at once
   * @return false at the end
   */
  boolean advance(int most) {
    if (index + 1 < chunk.size()) {
      index++;
      return true;
    }
    if (ended) {
      return false;
    }
    mark();
    index = -1;
    source.fill(chunk, most); // if it is stopped, the chunk is empty, and this is done again
    pulled += chunk.size();
    ended = chunk.isEmpty();
    index = ended ? -1 : 0;
    return !ended;
  }

  private void mark() {
    if (marks.size() >= MOST_MARKS) {
      ArrayDeque<Mark> thinned = new ArrayDeque<>();
      boolean keeps = true; // the first above all
      for (Mark mark : marks) {
        if (keeps) {
          thinned.addLast(mark);
        }
        keeps = !keeps;
      }
      marks = thinned;
    }
    marks.addLast(new Mark(pulled, source.save()));
  }

  Object item() {
    return chunk.item(index);
  }

  boolean isFailure() {
    return chunk.isFailure(index);
  }

  Id id() {
    return chunk.id(index);
  }

  /** Appends the current element, id and all. */
  void giveTo(Chunk out) {
    out.append(chunk, index);
  }

  /** The number of the current element. */
  long number() {
    return pulled - chunk.size() + index;
  }

  /** The number of the element that {@link #advance} would move to. */
  long nextNumber() {
    return pulled - chunk.size() + index + 1;
  }

  /** The cursor's position before an element that was not {@link #forget forgotten}. */
  State before(long number) {
    if (number == pulled) {
      return source.save();
    }
    Mark nearest = marks.getFirst();
    for (Iterator<Mark> at = marks.iterator(); at.hasNext() && nearest.number < number; ) {
      Mark mark = at.next();
      nearest = mark.number <= number ? mark : nearest;
    }
    return State.skipping(number - nearest.number, nearest.state);
  }

  /** Says that positions before this element will not be asked for. */
  void forget(long number) {
    while (marks.size() > 1) {
      Mark first = marks.removeFirst();
      if (marks.getFirst().number > number) {
        marks.addFirst(first);
        return;
      }
    }
  }

  /** Puts a fresh reader at a position. */
  void restore(State state) {
    source.restore(state);
  }

  /** Passes over {@code count} elements. */
  void skip(long count) {
    long left = count;
    while (left > 0 && index + 1 < chunk.size()) {
      index++;
      left--;
    }
    if (left > 0) {
      mark();
      source.skip(left);
      pulled += left;
      chunk.clear();
      index = -1;
    }
  }

  /** Whether the next element, or the end, is there without waiting. */
  boolean isReady() {
    return index + 1 < chunk.size() || ended || source.isReady();
  }

  /** As {@link Cursor#start}. */
  void start() {
    source.start();
  }

  @Override
  public void close() {
    for (int i = index + 1; i < chunk.size(); i++) {
      Leases.giveBack(chunk.item(i), "the pipeline was closed");
    }
    chunk.clear();
    source.close();
  }
}
