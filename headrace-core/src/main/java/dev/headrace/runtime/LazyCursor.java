package dev.headrace.runtime;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.State;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A cursor that is opened by the first pull, so that opening happens on the thread that reads. */
final class LazyCursor extends Cursor {
  private final Supplier<Cursor> opener;
  private State at = State.START;
  private volatile @Nullable Cursor opened;

  LazyCursor(Context context, Supplier<Cursor> opener) {
    super(context);
    this.opener = opener;
  }

  @Override
  protected void produce(Chunk out, int max) {
    Cursor cursor = opened;
    if (cursor == null) {
      cursor = opener.get();
      boolean restored = false;
      try {
        cursor.restore(at);
        restored = true;
      } finally {
        if (!restored) {
          cursor.close(); // asked again, it is opened again
        }
      }
      opened = cursor;
    }
    cursor.fill(out, max);
  }

  @Override
  protected State position() {
    Cursor cursor = opened;
    return cursor == null ? at : cursor.save();
  }

  @Override
  protected void moveTo(State state) {
    at = state;
  }

  @Override
  public void skip(long count) {
    Cursor cursor = opened;
    if (cursor == null) {
      at = State.skipping(count, at);
    } else {
      cursor.skip(count);
    }
  }

  @Override
  public void close() {
    Cursor cursor = opened;
    if (cursor != null) {
      cursor.close();
    }
  }
}
