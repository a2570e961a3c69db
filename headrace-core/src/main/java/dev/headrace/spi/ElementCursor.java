package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/**
 * A cursor that looks at one element at a time: the operator says what becomes of each, and what it
 * has counted. Chunks, ids, failures, interrupts and the input's position are seen to here.
 *
 * <p>A failed element is handed on and not shown. Where the operator throws, its element becomes a
 * failure.
 */
public abstract class ElementCursor extends CountingCursor {
  private @Nullable Chunk chunk;
  private int index;

  protected ElementCursor(Context context, Cursor source) {
    super(context, source);
  }

  /**
   * What becomes of an element: the same, another one, or null to drop it. An interrupt may make it
   * be called again, so count only after what may throw.
   */
  protected abstract @Nullable Object each(Object element) throws Exception;

  /** The id of the element that {@link #each} was given. */
  protected final Id id() {
    Chunk current = chunk;
    if (current == null) {
      throw new IllegalStateException("id: expected to be asked for an element, within each");
    }
    return current.id(index);
  }

  @Override
  protected final void produce(Chunk out, int max) {
    do {
      source.fill(out, max);
      if (out.isEmpty()) {
        return;
      }
      chunk = out;
      try {
        keep(out);
      } finally {
        chunk = null;
      }
    } while (out.isEmpty());
  }

  private void keep(Chunk out) {
    int size = out.size();
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (out.isFailure(i)) {
        out.move(i, kept++);
        continue;
      }
      index = i;
      Object element = out.item(i);
      Object result = call(element, 0);
      if (result == null) {
        Leases.giveBack(element, "it was dropped");
        continue;
      }
      if (result != element) {
        out.replace(i, result);
      }
      out.move(i, kept++);
    }
    if (kept < size) {
      out.truncate(kept);
    }
  }

  private @Nullable Object call(Object element, int times) {
    Object result;
    try {
      result = each(element);
    } catch (Throwable e) {
      if (context.mustCallAgain(e, times)) {
        return call(element, times + 1);
      }
      Leases.giveBack(element, "its operator failed on it");
      return context.failure(id(), e);
    }
    if (Thread.currentThread().isInterrupted()) {
      context.leftInterrupted();
    }
    return result;
  }
}
