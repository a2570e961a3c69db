package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.data.RandomStream;
import dev.headrace.data.Seed;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.ElementCursor;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Op;
import dev.headrace.spi.Recurring;
import dev.headrace.spi.Resampled;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Drops elements at random so that the classes of those it keeps have the wanted shares.
 *
 * <p>An element of class <i>c</i> is kept with a probability in proportion to {@code target[c] /
 * initial[c]}. Whether it is kept is drawn from a generator of its own, keyed by the seed, this
 * operator's place, the pass and the element's id.
 *
 * @param initial the shares before; null where they are estimated from the elements met so far
 */
public record RejectionResampleOp(
    Op input,
    Fn<Object, Number> classOf,
    List<Double> target,
    @Nullable List<Double> initial,
    Seed seed,
    Site site)
    implements Op {

  /** How often each class counts as met before the first element, as in tf.data. */
  private static final int SMOOTHING = 10;

  public RejectionResampleOp {
    Objects.requireNonNull(classOf, "rejectionResample: expected a function, but got null");
    Objects.requireNonNull(seed, "rejectionResample: expected a seed, but got null");
    target = List.copyOf(target);
    checkShares("target", target);
    if (initial != null) {
      initial = List.copyOf(initial);
      checkShares("initial", initial);
      if (initial.size() != target.size()) {
        throw new IllegalArgumentException(
            "rejectionResample: expected an initial share for each of %d %s, but got %d"
                .formatted(target.size(), Plural.word(target.size(), "class"), initial.size()));
      }
      for (int i = 0; i < target.size(); i++) {
        if (target.get(i) > 0 && initial.get(i) == 0) {
          throw new IllegalArgumentException(
              ("rejectionResample: expected class %d to occur, since its target share is %s, but"
                      + " its initial share is 0; dropping elements cannot make it more")
                  .formatted(i, target.get(i)));
        }
      }
    }
  }

  private static void checkShares(String which, List<Double> shares) {
    double sum = 0;
    for (double share : shares) {
      if (!(share >= 0) || share == Double.POSITIVE_INFINITY) {
        throw new IllegalArgumentException(
            "rejectionResample: expected %s shares of at least 0, but got %s"
                .formatted(which, shares));
      }
      sum += share;
    }
    if (!(sum > 0)) {
      throw new IllegalArgumentException(
          "rejectionResample: expected %s shares with one above 0, but got %s"
              .formatted(which, shares));
    }
  }

  @Override
  public long cardinality() {
    return input.cardinality() == 0 ? 0 : UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().with(Checkpointing.VALUE).with(Recurring.VARIES);
  }

  @Override
  public Cursor open(Context context) {
    return new ResampleCursor(context, this);
  }

  private static final class ResampleCursor extends ElementCursor {
    private final RejectionResampleOp op;
    private final long stream;

    private final double[] target;

    /** How often each class was met. */
    private final long[] met;

    /** The probabilities to be kept, where they do not change. */
    private final double @Nullable [] fixed;

    ResampleCursor(Context context, RejectionResampleOp op) {
      super(context, context.open(op.input));
      this.op = op;
      this.stream =
          op.seed.second() ^ context.place() ^ (context.iteration() * 0x9E3779B97F4A7C15L);
      this.target = op.target.stream().mapToDouble(Double::doubleValue).toArray();
      this.met = new long[target.length];
      this.fixed = op.initial == null ? null : fixed(op.initial);
    }

    private double[] fixed(List<Double> initial) {
      double[] probabilities = new double[target.length];
      double most = 0;
      for (int i = 0; i < target.length; i++) {
        probabilities[i] = target[i] == 0 ? 0 : target[i] / initial.get(i);
        most = Math.max(most, probabilities[i]);
      }
      for (int i = 0; i < target.length; i++) {
        probabilities[i] /= most;
      }
      return probabilities;
    }

    @Override
    protected @Nullable Object each(Object element) throws Exception {
      int label =
          checkedLabel(
              Objects.requireNonNull(
                  op.classOf.apply(element),
                  "expected the function to return a class, but it returned null"));
      met[label]++;
      RandomStream random = new RandomStream(op.seed.first() ^ stream, id().mixed());
      return random.nextDouble() < acceptance(label) ? new Resampled<>(label, element) : null;
    }

    private int checkedLabel(Number number) {
      long label = number.longValue();
      if (label < 0 || label >= met.length || label != number.doubleValue()) {
        throw new IndexOutOfBoundsException(
            "rejectionResample: expected a class from 0 to %d, but got %s"
                .formatted(met.length - 1, number));
      }
      return (int) label;
    }

    private double acceptance(int label) {
      if (fixed != null) {
        return fixed[label];
      }
      double most = 0;
      for (int i = 0; i < target.length; i++) {
        most = Math.max(most, target[i] / (met[i] + SMOOTHING));
      }
      return target[label] / (met[label] + SMOOTHING) / most;
    }

    @Override
    protected State own() {
      return State.of("met", met.clone());
    }

    @Override
    protected void moveOwn(State state) {
      long[] saved = state.numbers("met");
      if (saved.length != met.length) {
        throw new State.InvalidState(
            "checkpoint: expected the counts of %d %s, but got %d"
                .formatted(met.length, Plural.word(met.length, "class"), saved.length));
      }
      for (int i = 0; i < met.length; i++) {
        if (saved[i] < 0) {
          throw new State.InvalidState(
              "checkpoint: expected counts of at least 0, but got " + saved[i]);
        }
        met[i] = saved[i];
      }
    }
  }
}
