package dev.headrace.op;

import dev.headrace.data.HeapLayout;
import dev.headrace.data.Plural;
import dev.headrace.spi.BiFn;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Holding;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.UnaryCursor;
import dev.headrace.spi.Weigher;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads its whole input and gives one value for each group of elements with equal keys, in the
 * order of the keys, as tf.data does.
 *
 * <p>An element whose key or reduction fails is a failure and leaves its group as it was. The
 * groups are on the heap account. A checkpoint does not carry them: they are made again by reading
 * again.
 */
public record GroupByReducerOp(
    Op input,
    Fn<Object, Object> key,
    Fn<Object, Object> initial,
    BiFn<Object, Object, Object> reduce,
    Fn<Object, Object> finish,
    Site site)
    implements Op {

  public GroupByReducerOp {
    Objects.requireNonNull(key, "groupByReducer: expected a function for keys, but got null");
  }

  @Override
  public long cardinality() {
    return input.cardinality() == 0 ? 0 : UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().with(Checkpointing.REPLAY);
  }

  @Override
  public Cursor open(Context context) {
    return new GroupCursor(context, this);
  }

  private static final class Group {
    final Id first;
    Object state;
    long elements;
    long bytes;

    /** At how many elements it is weighed again. */
    long weighedAt = 1;

    Group(Id first, Object state) {
      this.first = first;
      this.state = state;
    }
  }

  private static final class GroupCursor extends UnaryCursor {
    private static final int PULL = 1024;

    /** What a group takes besides its key and state. */
    private static final long GROUP_BYTES =
        HeapLayout.object(2L * HeapLayout.REFERENCE + 24)
            + HeapLayout.object(5L * HeapLayout.REFERENCE + 1)
            + Id.BYTES;

    /** A state that grows is weighed again when its group has grown by one part of so many. */
    private static final int WEIGHED_AGAIN = 32;

    private final GroupByReducerOp op;
    private final TreeMap<Object, Group> groups = new TreeMap<>();

    /** Has failures met while reading; all of the pass is one, since it is read again. */
    private final OpenGroup all = new OpenGroup();

    private final Holding holding;
    private boolean broken;
    private @Nullable Iterator<Map.Entry<Object, Group>> finished;

    GroupCursor(Context context, GroupByReducerOp op) {
      super(context, context.open(op.input));
      this.op = op;
      this.holding = new Holding(context.heap());
      all.begin(source.save());
    }

    @Override
    protected void produce(Chunk out, int max) {
      while (!all.hasMore() && finished == null) {
        if (broken) {
          return;
        }
        read();
      }
      if (all.hasMore()) {
        all.give(out, max);
      }
      Iterator<Map.Entry<Object, Group>> left = finished;
      while (left != null && out.isOpen(max) && left.hasNext()) {
        Group group = left.next().getValue();
        left.remove();
        holding.letGo(group.bytes);
        out.add(valueOf(group), group.first.parent(), group.first.ordinal());
        all.gave(1);
      }
    }

    private void read() {
      Chunk failures = all.refill();
      Chunk pulled = scratch();
      source.fill(pulled, PULL);
      if (pulled.isEmpty()) {
        finished = groups.entrySet().iterator();
      }
      for (int i = 0; i < pulled.size() && !broken; i++) {
        if (pulled.isFailure(i)) {
          failures.append(pulled, i);
          continue;
        }
        Failure failure = reduce(pulled.item(i), pulled, i, 0);
        if (failure != null) {
          failures.add(failure, pulled.parentOf(i), pulled.ordinalOf(i));
        }
      }
    }

    private @Nullable Failure reduce(Object item, Chunk pulled, int index, int times) {
      Object key;
      Group group;
      try {
        key =
            Objects.requireNonNull(
                op.key.apply(item), "expected the function to return a key, but it returned null");
        group = groups.get(key);
        Object before =
            group == null
                ? Objects.requireNonNull(
                    op.initial.apply(key),
                    "expected the initial function to return a state, but it returned null")
                : group.state;
        Object after =
            Objects.requireNonNull(
                op.reduce.apply(before, item),
                "expected the function to return a state, but it returned null");
        if (group == null) {
          group = new Group(pulled.id(index), after);
          groups.put(key, group);
        }
        group.state = after;
      } catch (Throwable e) {
        if (context.mustCallAgain(e, times)) {
          return reduce(item, pulled, index, times + 1);
        }
        return context.failure(pulled.id(index), e);
      }
      group.elements++;
      return group.elements == group.weighedAt ? weigh(key, group) : null;
    }

    private @Nullable Failure weigh(Object key, Group group) {
      long bytes = GROUP_BYTES + Weigher.bytesOf(key) + Weigher.bytesOf(group.state);
      boolean grows = bytes != group.bytes;
      group.weighedAt +=
          Math.max(1, grows ? group.elements / WEIGHED_AGAIN : group.elements); // it may yet grow
      if (holding.exchange(group.bytes, bytes)) {
        group.bytes = bytes;
        return null;
      }
      broken = true;
      return new Failure(
          context.path(),
          null,
          new IllegalStateException(
              ("groupByReducer: expected its groups to fit the memory budget, but %s %s"
                      + " more than %s and %s; raise %s, or use fewer keys or smaller states")
                  .formatted(
                      Plural.of(groups.size(), "group"),
                      groups.size() == 1 ? "needs" : "need",
                      Plural.of(holding.bytes() + bytes - group.bytes, "byte"),
                      holding.isFull(),
                      holding.option())),
          true);
    }

    private Object valueOf(Group group) {
      try {
        return Objects.requireNonNull(
            context.call(() -> op.finish.apply(group.state)),
            "expected the function to return an element, but it returned null");
      } catch (Throwable e) {
        return context.failure(group.first, e);
      }
    }

    @Override
    protected State position() {
      return all.positionFromInput();
    }

    @Override
    protected void moveTo(State state) {
      source.restore(state.state("input"));
      all.begin(source.save());
    }

    @Override
    public boolean isReady() {
      return all.hasMore() || finished != null || broken;
    }

    @Override
    public void close() {
      holding.close();
      source.close();
    }
  }
}
