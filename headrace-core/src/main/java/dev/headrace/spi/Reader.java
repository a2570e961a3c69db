package dev.headrace.spi;

import java.util.Objects;

/**
 * Reads a cursor element by element, for operators that look at one at a time, and knows the
 * cursor's position before and after each.
 *
 * <p><b>Threading and ownership:</b> its operator's, as the cursor it reads.
 */
public final class Reader implements AutoCloseable {
  private final Cursor source;
  private final Chunk chunk = new Chunk();
  private State chunkStart = State.START;

  /** The current element; −1 before the first of a chunk. */
  private int index = -1;

  private boolean ended;

  public Reader(Cursor source) {
    this.source = source;
  }

  /**
   * Moves on to the next element.
   *
   * @param most how many elements may be pulled at once; no more than the operator will need
   * @return false at the end
   */
  public boolean advance(int most) {
    if (index + 1 < chunk.size()) {
      index++;
      return true;
    }
    if (ended) {
      return false;
    }
    chunkStart = source.save();
    index = -1;
    source.fill(chunk, most); // if it is stopped, the chunk is empty, and this is done again
    index = 0;
    ended = chunk.isEmpty();
    if (ended) {
      index = -1;
    }
    return !ended;
  }

  public Object item() {
    return chunk.item(index);
  }

  /** The current element where all of the chunk are longs, see {@link #inLongs}. */
  public long longItem() {
    return chunk.longs()[index];
  }

  public boolean inLongs() {
    return chunk.inLongs();
  }

  public boolean isFailure() {
    return chunk.isFailure(index);
  }

  public Id id() {
    return chunk.id(index);
  }

  /** Appends the current element, id and all. */
  public void giveTo(Chunk out) {
    out.append(chunk, index);
  }

  /** Appends another value under the current element's id. */
  public void give(Object value, Chunk out) {
    out.add(
        Objects.requireNonNull(value, "give: expected an element, but got null"),
        chunk.parentOf(index),
        chunk.ordinalOf(index));
  }

  /** The source's position before the current element. */
  public State before() {
    return index < 0 ? after() : State.skipping(index, chunkStart);
  }

  /** The source's position after the current element. */
  public State after() {
    return index + 1 < chunk.size() ? State.skipping(index + 1, chunkStart) : source.save();
  }

  /** Puts a fresh reader at a position that {@link #before} or {@link #after} gave. */
  public void restore(State state) {
    source.restore(state);
  }

  /** Passes over {@code count} elements. */
  public void skip(long count) {
    long left = count;
    while (left > 0 && index + 1 < chunk.size()) {
      index++;
      left--;
    }
    if (left > 0) {
      source.skip(left);
    }
  }

  /** As {@link Cursor#leavesOutCalls}. */
  public boolean leavesOutCalls() {
    return source.leavesOutCalls();
  }

  /** Whether the next element, or the end, is there without waiting. */
  public boolean isReady() {
    return index + 1 < chunk.size() || ended || source.isReady();
  }

  /** As {@link Cursor#start}. */
  public void start() {
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
