package dev.headrace.op;

import dev.headrace.spi.BiFn;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Plan;
import dev.headrace.spi.Site;
import dev.headrace.spi.Traits;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Collects elements of one key into windows, and makes a plan of each window when it is full; at
 * the end of those that are left, in the order of their keys.
 *
 * <p>What of the windows does not fit the heap account goes to disk, if that is allowed and
 * elements can be written; else the pipeline ends with the size needed. Such a window can be read
 * until all that was made of it was given.
 *
 * @param size of all windows; null where {@code sizeOf} says it
 * @param sizeOf the size of a key's windows; null where {@code size} is given
 * @param dataset makes a dataset of an operator
 */
public record GroupByWindowOp(
    Op input,
    Fn<Object, Object> key,
    BiFn<Object, Object, Plan<?>> reduce,
    @Nullable Integer size,
    @Nullable Fn<Object, Number> sizeOf,
    Fn<Op, Object> dataset,
    Site site)
    implements Op {

  public GroupByWindowOp {
    Objects.requireNonNull(key, "groupByWindow: expected a key function, but got null");
    Objects.requireNonNull(reduce, "groupByWindow: expected a reduce function, but got null");
    if (size == null) {
      Objects.requireNonNull(sizeOf, "groupByWindow: expected a size, but got null");
    } else if (size < 1) {
      throw new IllegalArgumentException(
          "groupByWindow: expected a window of at least 1 element, but got " + size);
    }
  }

  @Override
  public long cardinality() {
    return input.cardinality() == INFINITE ? INFINITE : UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().with(Checkpointing.REPLAY).with(Passing.GROUPED);
  }

  @Override
  public Cursor open(Context context) {
    return new GroupByWindowCursor(context, this);
  }

  private static final class GroupByWindowCursor extends GroupingCursor {
    private final GroupByWindowOp op;

    GroupByWindowCursor(Context context, GroupByWindowOp op) {
      super(context, op.input, op.word());
      this.op = op;
    }

    @Override
    Object keyOf(Object element) throws Exception {
      return op.key.apply(element);
    }

    @Override
    long sizeOf(Object key) throws Exception {
      if (op.sizeOf == null) {
        return Objects.requireNonNull(op.size);
      }
      return Objects.requireNonNull(
              op.sizeOf.apply(key), "groupByWindow: expected a window size, but got null")
          .longValue();
    }

    @Override
    Cursor reduce(Object key, List<Object> elements, Id id, boolean full, Chunk out)
        throws Exception {
      Object window = op.dataset.apply(WindowItems.of(elements, op.site));
      Plan<?> plan =
          Objects.requireNonNull(
              op.reduce.apply(key, window),
              "groupByWindow: expected the function to return a dataset, but it returned null");
      return context.openChild(plan, id);
    }
  }
}
