package dev.headrace.op;

import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The elements of a list, as they are. */
public record FromListOp(Content elements, Site site) implements Op {

  /** Copies the list, not its elements. */
  public static FromListOp of(List<?> elements, Site site) {
    Objects.requireNonNull(elements, "fromList: expected a list, but got null");
    return new FromListOp(Content.of(elements), site);
  }

  @Override
  public long cardinality() {
    return elements.elements().size();
  }

  @Override
  public Access access() {
    List<Object> all = elements.elements();
    return new Access() {
      @Override
      public long size() {
        return all.size();
      }

      @Override
      public Object at(long index) {
        return all.get(Math.toIntExact(index));
      }
    };
  }

  @Override
  public Cursor open(Context context) {
    return new ListCursor(context, elements.elements());
  }

  private static final class ListCursor extends Cursor {
    private final List<Object> elements;
    private int position;

    ListCursor(Context context, List<Object> elements) {
      super(context);
      this.elements = elements;
    }

    @Override
    protected void produce(Chunk out, int max) {
      int size = Math.min(max, elements.size() - position);
      if (size <= 0) {
        return;
      }
      @Nullable Object[] items = out.itemRun(context.prefix(), position, size);
      for (int i = 0; i < size; i++) {
        items[i] = elements.get(position + i);
      }
      position += size;
    }

    @Override
    public void skip(long count) {
      position = (int) Math.min(elements.size(), position + Math.min(count, elements.size()));
    }

    @Override
    protected State position() {
      return State.of("position", (long) position);
    }

    @Override
    protected void moveTo(State state) {
      long to = state.number("position");
      if (to < 0 || to > elements.size()) {
        throw new State.InvalidState(
            "checkpoint: expected a position from 0 to %d for fromList, but got %d"
                .formatted(elements.size(), to));
      }
      position = (int) to;
    }

    @Override
    public void close() {}
  }
}
