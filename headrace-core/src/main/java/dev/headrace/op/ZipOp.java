package dev.headrace.op;

import dev.headrace.data.Pair;
import dev.headrace.data.Plural;
import dev.headrace.spi.Access;
import dev.headrace.spi.BiFn;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Op;
import dev.headrace.spi.PureFunction;
import dev.headrace.spi.Reader;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Elements of several inputs side by side, up to the end of the shortest.
 *
 * <p>Inputs stay aligned by place: where one or more fail, the row is one error (the first input's
 * that failed, the others' suppressed by it), and the next row is whole again.
 *
 * @param rows whether a row is a list; otherwise it is what the function makes of two elements
 * @param function null for a {@link Pair}
 */
public record ZipOp(
    List<Op> inputs, boolean rows, @Nullable BiFn<Object, Object, Object> function, Site site)
    implements Op {

  private static final String RETURNED_NULL =
      "expected the function to return an element, but it returned null";

  public ZipOp {
    inputs = List.copyOf(inputs);
    if (rows ? inputs.isEmpty() : inputs.size() != 2) {
      throw new IllegalArgumentException(
          "zip: expected %s, but got %d"
              .formatted(rows ? "at least 1 dataset" : "2 datasets", inputs.size()));
    }
  }

  @Override
  public long cardinality() {
    long least = INFINITE;
    for (Op input : inputs) {
      long count = input.cardinality();
      if (count == UNKNOWN) {
        return UNKNOWN;
      }
      least = least == INFINITE ? count : count == INFINITE ? least : Math.min(least, count);
    }
    return least;
  }

  @Override
  public Traits traits() {
    return function == null
        ? Traits.PLAIN.asKeepingPlace().asNeverFailing()
        : Traits.PLAIN.asKeepingPlace();
  }

  @Override
  public Access access() {
    List<Access> sides = new ArrayList<>();
    for (Op input : inputs) {
      sides.add(input.access());
    }
    return Access.over(
        sides,
        () -> sides.stream().mapToLong(Access::size).min().orElse(0),
        index -> {
          Object[] row = new Object[sides.size()];
          for (int i = 0; i < row.length; i++) {
            row[i] = sides.get(i).at(index);
          }
          return element(row);
        });
  }

  private Object element(Object[] row) throws Exception {
    if (rows) {
      return List.of(row);
    }
    return function == null
        ? new Pair<>(row[0], row[1])
        : Objects.requireNonNull(function.apply(row[0], row[1]), RETURNED_NULL);
  }

  @Override
  public Cursor open(Context context) {
    return new ZipCursor(context, this);
  }

  private static final class ZipCursor extends Cursor {
    private final ZipOp op;
    private final Reader[] readers;

    /** How many of them have come to their element of the next row. */
    private int inRow;

    private boolean over;

    ZipCursor(Context context, ZipOp op) {
      super(context);
      this.op = op;
      this.readers = new Reader[op.inputs.size()];
      for (int i = 0; i < readers.length; i++) {
        readers[i] = new Reader(context.open(i, context.prefix(), context.demand()));
      }
    }

    @Override
    protected void produce(Chunk out, int max) {
      while (out.isOpen(max) && !over && (out.isEmpty() || isReady())) {
        while (inRow < readers.length) {
          if (!readers[inRow].advance(max - out.size())) {
            over = true;
            inRow = 0;
            return;
          }
          inRow++;
        }
        readers[0].give(row(), out);
        inRow = 0;
      }
    }

    private Object row() {
      Failure failure = null;
      Object[] row = new Object[readers.length];
      for (int i = 0; i < readers.length; i++) {
        row[i] = readers[i].item();
        if (row[i] instanceof Failure other) {
          failure = failure == null ? other : both(failure, other);
        }
      }
      if (failure != null) {
        return failure;
      }
      return element(row, 0);
    }

    private Object element(Object[] row, int times) {
      try {
        return op.element(row);
      } catch (Throwable e) {
        if (context.mustCallAgain(e, times)) {
          return element(row, times + 1);
        }
        return context.failure(readers[0].id(), e);
      }
    }

    /** One failure of a row for two; one that is terminal, or is to be thrown, must not be lost. */
    private static Failure both(Failure first, Failure second) {
      Failure kept = weight(second) > weight(first) ? second : first;
      return kept.with(kept == first ? second : first);
    }

    private static int weight(Failure failure) {
      return failure.terminal() ? 2 : failure.place() == null ? 1 : 0;
    }

    @Override
    public boolean isReady() {
      for (int i = inRow; i < readers.length; i++) {
        if (!readers[i].isReady()) {
          return false;
        }
      }
      return true;
    }

    @Override
    public void start() {
      for (Reader reader : readers) {
        reader.start();
      }
    }

    @Override
    public void skip(long count) {
      if (count == 0) {
        return;
      }
      for (int i = 0; i < readers.length; i++) {
        readers[i].skip(i < inRow ? count - 1 : count);
      }
      inRow = 0;
    }

    @Override
    public boolean leavesOutCalls() {
      if (!PureFunction.areAllOf(op)) {
        return true;
      }
      for (Reader reader : readers) {
        if (reader.leavesOutCalls()) {
          return true;
        }
      }
      return false;
    }

    @Override
    protected State position() {
      List<State> states = new ArrayList<>();
      for (int i = 0; i < readers.length; i++) {
        states.add(i < inRow ? readers[i].before() : readers[i].after());
      }
      return State.of("over", over, "inputs", states);
    }

    @Override
    protected void moveTo(State state) {
      over = state.flag("over");
      List<State> states = state.states("inputs");
      if (states.size() != readers.length) {
        throw new State.InvalidState(
            "checkpoint: expected positions of %d zipped %s, but got %d"
                .formatted(readers.length, Plural.word(readers.length, "dataset"), states.size()));
      }
      for (int i = 0; i < readers.length; i++) {
        readers[i].restore(states.get(i));
      }
    }

    @Override
    public void close() {
      for (Reader reader : readers) {
        reader.close();
      }
    }
  }
}
