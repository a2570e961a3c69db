package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Id;
import dev.headrace.spi.Plan;
import dev.headrace.spi.State;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes plans of an input's elements and opens them, for {@code flatMap} and {@code interleave}.
 *
 * <p>A checkpoint does not carry plans. It has the input's position before the element that one was
 * made from: that element is read again, and the function called again.
 *
 * <p><b>Threading:</b> its operator's. <b>Ownership:</b> the operator closes what it opened here.
 */
final class ChildPlans {
  /**
   * A plan made of one element.
   *
   * @param before the input's position before that element
   * @param cursor null where the element or the function failed
   */
  record Child(State before, Id id, @Nullable Cursor cursor, @Nullable Failure failure) {
    void close() {
      if (cursor != null) {
        cursor.close();
      }
    }
  }

  private final Context context;
  private final Fn<Object, Plan<?>> function;

  /** Who reads the plans ahead; null for none. */
  private final Context.@Nullable Crew crew;

  private final Chunk one = new Chunk();

  ChildPlans(Context context, Fn<Object, Plan<?>> function, Context.@Nullable Crew crew) {
    this.context = context;
    this.function = function;
    this.crew = crew;
  }

  /** Reads an element and opens its plan; null at the end. */
  @Nullable Child next(Cursor source) {
    State before = source.save();
    source.fill(one, 1);
    return one.isEmpty() ? null : open(before, 0);
  }

  /**
   * Reads an element again, before which the source was put, and opens its plan at a position.
   *
   * @param before what is told as the position before the element
   */
  Child again(Cursor source, State before, State at) {
    source.fill(one, 1);
    if (one.isEmpty()) {
      throw new IllegalStateException(
          context.path()
              + ": expected to read an element of the input again, but it has ended; the input"
              + " changed since the checkpoint");
    }
    Child child = open(before, 0);
    Cursor cursor = child.cursor;
    if (cursor == null) {
      throw new IllegalStateException(
          context.path() + ": cannot make the dataset of element " + child.id + " again",
          Objects.requireNonNull(child.failure).cause());
    }
    boolean isThere = false;
    try {
      cursor.restore(at);
      isThere = true;
    } finally {
      if (!isThere) {
        cursor.close();
      }
    }
    return child;
  }

  /** The plan of the element in {@code one}. */
  private Child open(State before, int times) {
    Id id = one.id(0);
    if (one.isFailure(0)) {
      return new Child(before, id, null, (Failure) one.item(0));
    }
    Plan<?> plan;
    try {
      plan =
          Objects.requireNonNull(
              function.apply(one.item(0)),
              "expected the function to return a dataset, but it returned null");
    } catch (Throwable e) {
      if (context.mustCallAgain(e, times)) {
        return open(before, times + 1);
      }
      return new Child(before, id, null, context.failure(id, e));
    }
    if (Thread.currentThread().isInterrupted()) {
      context.leftInterrupted();
    }
    Cursor cursor =
        crew == null
            ? context.openChild(plan, id)
            : crew.background(() -> context.openChild(plan, id));
    return new Child(before, id, cursor, null);
  }
}
