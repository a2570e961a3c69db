package dev.headrace.op;

import dev.headrace.data.Padded;
import dev.headrace.data.Plural;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.UnaryCursor;
import dev.headrace.spi.UserFunction;
import org.jspecify.annotations.Nullable;

/**
 * Adds padding after the elements, so that there are {@code count} of them, each marked as real or
 * not. Failures are not counted, so batches come out full. More than {@code count} elements end the
 * pipeline.
 *
 * @param padding makes the padding; null for the last element with zeros in its tensors
 */
public record PadToCardinalityOp(
    Op input, long count, PadToCardinalityOp.@Nullable Filler padding, Site site) implements Op {

  /** Makes an element that fills up. */
  @FunctionalInterface
  public interface Filler extends UserFunction {
    Object make();
  }

  public PadToCardinalityOp {
    if (count < 0) {
      throw new IllegalArgumentException(
          "padToCardinality: expected a count of at least 0, but got " + count);
    }
    long all = input.cardinality();
    if (all == INFINITE || all > count) {
      throw new IllegalArgumentException(
          "padToCardinality: expected a dataset of at most %d %s, but got one %s"
              .formatted(
                  count,
                  Plural.word(count, "element"),
                  all == INFINITE ? "without end" : "of " + all));
    }
  }

  @Override
  public long cardinality() {
    return count;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace();
  }

  @Override
  public Cursor open(Context context) {
    return new PadCursor(context, this);
  }

  private static final class PadCursor extends UnaryCursor {
    private static final Tensor REAL = Tensor.scalar(true);
    private static final Tensor NOT_REAL = Tensor.scalar(false);

    private final PadToCardinalityOp op;

    /** Real elements and padding so far. */
    private long real;

    private long padded;
    private boolean over;

    /*
     * Zeros are made like the last real element. So a position goes back to before that element and
     * passes over what followed.
     */
    private @Nullable Object last;
    private State beforeLast = State.START;
    private long sinceLast;

    PadCursor(Context context, PadToCardinalityOp op) {
      super(context, context.open(op.input, Math.min(context.demand(), op.count)));
      this.op = op;
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (over) {
        return;
      }
      if (padded == 0) {
        State before = source.save();
        source.fill(out, (int) Math.min(max, Math.max(1, op.count - real + 1)));
        if (!out.isEmpty()) {
          mark(out, before);
          return;
        }
      }
      pad(out, max);
    }

    /** Marks elements as real. */
    private void mark(Chunk out, State before) {
      out.widen();
      for (int i = 0; i < out.size(); i++) {
        if (out.isFailure(i)) {
          sinceLast++;
          continue;
        }
        Object element = out.item(i);
        if (real == op.count) {
          out.truncate(i);
          out.add(
              failed(
                  "expected at most %d %s, but the dataset has more"
                      .formatted(op.count, Plural.word(op.count, "element"))),
              context.prefix(),
              real);
          return;
        }
        last = element;
        beforeLast = State.skipping(i, before);
        sinceLast = 1;
        real++;
        out.replace(i, new Padded<>(element, REAL));
      }
    }

    private void pad(Chunk out, int max) {
      while (out.size() < max && real + padded < op.count) {
        Object filler = filler();
        // Under a parent that no source has, so that padding never shares an element's id.
        Id parent = new Id(context.prefix(), -1);
        if (filler instanceof Failure) {
          out.add(filler, parent, padded);
          return;
        }
        out.add(new Padded<>(filler, NOT_REAL), parent, padded);
        padded++;
      }
    }

    private Object filler() {
      Object sample = last;
      if (op.padding != null) {
        return op.padding.make();
      }
      if (sample == null) {
        return failed(
            "expected an element to pad with zeros like it, but the dataset is empty; use"
                + " padToCardinality(n, padding)");
      }
      Structure<Object> structure = Structure.find(sample).orElse(null);
      if (structure == null) {
        return failed(
            "expected a structure (Tensor, a record, Map or List of them) to pad with zeros, but"
                + " got %s; use padToCardinality(n, padding)"
                    .formatted(sample.getClass().getName()));
      }
      Tensor[] zeros = structure.leaves(sample);
      for (int i = 0; i < zeros.length; i++) {
        zeros[i] = Tensor.zeros(zeros[i].dtype(), zeros[i].shape());
      }
      return structure.build(zeros);
    }

    private Failure failed(String problem) {
      over = true;
      return new Failure(
          context.path(), null, new IllegalStateException("padToCardinality: " + problem), true);
    }

    @Override
    public boolean isReady() {
      return over || padded > 0 || source.isReady();
    }

    @Override
    protected State position() {
      if (over) {
        return State.of("over", true);
      }
      if (last != null && op.padding == null) {
        return State.skipping(
            sinceLast + padded, State.ofPairs("real", real - 1, "padded", 0L, "input", beforeLast));
      }
      return State.ofPairs("real", real, "padded", padded, "input", source.save());
    }

    @Override
    protected void moveTo(State state) {
      over = state.has("over") && state.flag("over");
      if (over) {
        return;
      }
      real = state.number("real");
      padded = state.number("padded");
      if (real < 0 || padded < 0 || real > op.count || padded > op.count - real) {
        throw new State.InvalidState(
            "checkpoint: expected up to %d %s and padding, but got %d and %d"
                .formatted(op.count, Plural.word(op.count, "element"), real, padded));
      }
      source.restore(state.state("input"));
    }
  }
}
