package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import java.util.List;

/** The elements of a window as a source, so that the window can be used as a dataset. */
record WindowItems(Items items, Site site) implements Op {

  /** Elements in order, with a short text. */
  record Items(List<Object> list) {
    @Override
    public String toString() {
      return list.size() + (list.size() == 1 ? " element" : " elements");
    }
  }

  static WindowItems of(List<Object> elements, Site site) {
    return new WindowItems(new Items(elements), site);
  }

  @Override
  public long cardinality() {
    return items.list.size();
  }

  @Override
  public String word() {
    return "window";
  }

  @Override
  public Access access() {
    List<Object> list = items.list;
    return new Access() {
      @Override
      public long size() {
        return list.size();
      }

      @Override
      public Object at(long index) {
        return list.get((int) index);
      }
    };
  }

  @Override
  public Cursor open(Context context) {
    return new ItemsCursor(context, items.list);
  }

  private static final class ItemsCursor extends Cursor {
    private final List<Object> list;
    private int next;

    ItemsCursor(Context context, List<Object> list) {
      super(context);
      this.list = list;
    }

    @Override
    protected void produce(Chunk out, int max) {
      int most = list instanceof ItemsOnDisk late ? late.atOnce(max) : max;
      int end = (int) Math.min(list.size(), (long) next + most);
      for (; next < end; next++) {
        out.add(list.get(next), context.prefix(), next);
      }
    }

    @Override
    public void skip(long count) {
      next = (int) Math.min(list.size(), next + count);
    }

    @Override
    protected State position() {
      return State.of("next", (long) next);
    }

    @Override
    protected void moveTo(State state) {
      long saved = state.number("next");
      if (saved < 0 || saved > list.size()) {
        throw new State.InvalidState(
            "checkpoint: expected a window of at least %d %s, but got %d"
                .formatted(saved, Plural.word(saved, "element"), list.size()));
      }
      next = (int) saved;
    }

    @Override
    public void close() {}
  }
}
