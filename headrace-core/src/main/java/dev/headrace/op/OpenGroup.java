package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.State;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Elements that an operator makes together and gives part by part.
 *
 * <p>In the middle of a group the position is "the group's start, and so many elements after it":
 * making the group again gives the same elements, and those that were given are passed over.
 *
 * <p><b>Threading:</b> its operator's.
 */
final class OpenGroup {
  /** What was made and waits to be given. */
  private final Chunk waiting = new Chunk();

  /** How many of those were given. */
  private int givenOfWaiting;

  private @Nullable State start;
  private long given;

  /** Begins a group, of which nothing was given yet. */
  void begin(State at) {
    start = at;
    given = 0;
  }

  boolean hasBegun() {
    return start != null;
  }

  /** A chunk for what is to be given next, in place of what was there. */
  Chunk refill() {
    waiting.clear();
    givenOfWaiting = 0;
    return waiting;
  }

  /** What waits and, before it, what was given since {@link #refill}; more may be appended. */
  Chunk waiting() {
    return waiting;
  }

  /** How many elements wait. */
  int left() {
    return waiting.size() - givenOfWaiting;
  }

  boolean hasMore() {
    return givenOfWaiting < waiting.size();
  }

  /** Gives up to {@code max} of the elements that wait. */
  void give(Chunk out, int max) {
    pass(show(out, max));
  }

  /** Appends up to {@code max} of the elements that wait, which count as given once they pass. */
  int show(Chunk out, int max) {
    int size = Math.min(max, left());
    if (size == 1) {
      out.append(waiting, givenOfWaiting);
    } else {
      out.append(waiting, givenOfWaiting, size);
    }
    return size;
  }

  /** Takes note that so many of the elements that wait were given. */
  void pass(int count) {
    givenOfWaiting += count;
    given += count;
  }

  /** Takes note that so many elements of the group were given without waiting. */
  void gave(int count) {
    given += count;
  }

  /** Ends the group: all of it was given. */
  void end() {
    if (!waiting.isEmpty()) {
      waiting.clear();
      givenOfWaiting = 0;
    }
    start = null;
    given = 0;
  }

  /** The position in the middle of the group, whose start is a position of the operator. */
  State position() {
    return State.skipping(given, start());
  }

  /** The position in the middle of the group, whose start is a position of the input. */
  State positionFromInput() {
    return State.skipping(given, State.of("input", start()));
  }

  private State start() {
    return Objects.requireNonNull(start, "position: expected a group that has begun");
  }
}
