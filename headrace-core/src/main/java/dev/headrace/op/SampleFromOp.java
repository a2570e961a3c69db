package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.data.Seed;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Recurring;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.Weights;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Takes each element from one of several inputs, drawn at random by weight: tf.data's choices for
 * the same seed. Every pass makes the same choices.
 *
 * @param stopOnEmpty whether the mixture ends when an input that has ended is drawn; else it goes
 *     on with the others, and the shares drift
 */
public record SampleFromOp(
    List<Op> datasets, Weights weights, Seed seed, boolean stopOnEmpty, Site site) implements Op {

  public SampleFromOp {
    Objects.requireNonNull(weights, "sampleFrom: expected weights, but got null");
    Objects.requireNonNull(seed, "sampleFrom: expected a seed, but got null");
    datasets = List.copyOf(datasets);
    if (datasets.isEmpty()) {
      throw new IllegalArgumentException(
          "sampleFrom: expected at least one dataset to sample from, but got none");
    }
    if (weights.size() != datasets.size()) {
      throw new IllegalArgumentException(
          "sampleFrom: expected a weight for each of %s, but got %s"
              .formatted(
                  Plural.of(datasets.size(), "dataset"), Plural.of(weights.size(), "weight")));
    }
  }

  @Override
  public long cardinality() {
    double[] initial = weights.initial();
    boolean some = false;
    boolean all = true;
    for (int i = 0; i < initial.length; i++) {
      boolean counts = initial[i] > 0 || !weights.isFixed();
      boolean endless = datasets.get(i).cardinality() == INFINITE;
      some |= counts && endless;
      all &= !counts || endless;
    }
    return all || (some && !stopOnEmpty && weights.isFixed()) ? INFINITE : UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN
        .asKeepingPlace()
        .asKeepingElements()
        .with(Deferring.CARRIES)
        .with(Passing.SOME)
        .with(weights.isFixed() ? Recurring.FOLLOWS : Recurring.VARIES);
  }

  @Override
  public String dataVersion() {
    return weights.version();
  }

  @Override
  public Cursor open(Context context) {
    return new SampleCursor(context, this);
  }

  /** Weights that hold from an element on. */
  private record From(long element, double[] weights) {}

  private static final class SampleCursor extends DirectedCursor {
    /*
     * When weights change depends on when the user calls, not on a position. So a position carries,
     * late, how far this pass has drawn and the changes that took effect until there. A cursor that
     * is put at the position first repeats that, and only then looks at the weights itself.
     */
    private final SampleFromOp op;
    private final Weights.Course course;
    private final Selection selection;
    private double[] inForce;

    /** Why the schedule gave no weights, by the turns of the last plan. */
    private final Map<Integer, Failure> failed = new HashMap<>();

    /** How many choices were drawn. Read by those who write a checkpoint, too, as the changes. */
    private volatile long drawn;

    /** The changes of this pass: made here, or to be repeated; written before {@code drawn}. */
    private volatile List<From> changes = List.of();

    /** Before this many choices were drawn, nothing is new. */
    private long repeatUntil;

    /** How many of the changes are behind. */
    private int changed;

    SampleCursor(Context context, SampleFromOp op) {
      super(context, op.datasets.size(), op.stopOnEmpty);
      this.op = op;
      this.course = context.shared(op.weights::begin);
      this.selection = new Selection(op.seed);
      this.inForce = course.atStart();
      selection.weights(inForce);
    }

    @Override
    int plan(int[] into, int most) {
      long start = drawn;
      if (op.weights.isScheduled()) {
        return planBySchedule(into, most);
      }
      if (start >= repeatUntil && changed == changes.size() && !op.weights.isFixed()) {
        lookForChange(start);
      }
      List<From> known = changes;
      if (changed < known.size() && known.get(changed).element == start) {
        use(known.get(changed++).weights);
      }
      int count = most;
      if (changed < known.size()) {
        count = (int) Math.min(count, known.get(changed).element - start);
      }
      if (start < repeatUntil) {
        count = (int) Math.min(count, repeatUntil - start);
      }
      for (int i = 0; i < count; i++) {
        into[i] = selection.next();
      }
      drawn = start + count;
      return count;
    }

    private int planBySchedule(int[] into, int most) {
      failed.clear();
      for (int i = 0; i < most; i++) {
        try {
          long element = drawn;
          double[] next = context.call(() -> op.weights.forElement(context.iteration(), element));
          if (!Arrays.equals(next, inForce)) {
            use(next);
          }
          into[i] = selection.next();
        } catch (Throwable e) {
          into[i] = FAILED;
          failed.put(i, context.failure(new Id(context.prefix(), drawn), e));
          selection.skip(1);
        }
        drawn++;
      }
      return most;
    }

    private void lookForChange(long element) {
      double[] next = course.next();
      if (next != inForce && !Arrays.equals(next, inForce)) {
        course.note(context.iteration(), element, inForce, next);
        List<From> more = new ArrayList<>(changes);
        more.add(new From(element, next));
        changes = List.copyOf(more);
      }
    }

    private void use(double[] weights) {
      inForce = weights;
      selection.weights(weights);
    }

    @Override
    void giveFailure(int index, Chunk out) {
      Failure failure = Objects.requireNonNull(failed.get(index), "a draw that failed");
      out.add(failure, context.prefix(), Objects.requireNonNull(failure.id()).ordinal());
    }

    @Override
    boolean canChooseAgain(boolean[] endedInputs) {
      for (int i = 0; i < endedInputs.length; i++) {
        if (!endedInputs[i] && (float) inForce[i] > 0) {
          return true;
        }
      }
      return false;
    }

    @Override
    boolean isPlanReady() {
      return true;
    }

    @Override
    void startChoices() {}

    @Override
    State choices(int left) {
      long next = drawn - left;
      if (op.weights.isFixed() || op.weights.isScheduled()) {
        return State.of("drawn", next);
      }
      return State.ofPairs(
          "drawn", next, "weights", course.toBits(inForce), "later", State.late(() -> later(next)));
    }

    private State later(long element) {
      long until = Math.max(drawn, repeatUntil); // before the changes are read, see there
      return State.ofPairs("until", until, "from", changesFrom(element), "course", course.save());
    }

    private List<State> changesFrom(long element) {
      List<State> later = new ArrayList<>();
      for (From change : changes) {
        if (change.element >= element) {
          later.add(State.of("element", change.element, "weights", course.toBits(change.weights)));
        }
      }
      return later;
    }

    @Override
    void moveChoices(State state) {
      drawn = state.number("drawn");
      if (drawn < 0 || drawn > Long.MAX_VALUE / 4) {
        throw new State.InvalidState(
            "checkpoint: expected 0 or more elements drawn, but got " + drawn);
      }
      selection.skip(drawn);
      if (op.weights.isFixed() || op.weights.isScheduled()) {
        return;
      }
      use(course.fromBits(state.numbers("weights"), 0));
      State later = state.state("later").settled();
      repeatUntil = later.number("until");
      course.restore(later.state("course"));
      List<From> repeated = new ArrayList<>();
      long last = drawn - 1;
      for (State change : later.states("from")) {
        long element = change.number("element");
        if (element <= last) {
          throw new State.InvalidState(
              "checkpoint: expected a change of weights after element %d, but got %d"
                  .formatted(last, element));
        }
        last = element;
        repeated.add(new From(element, course.fromBits(change.numbers("weights"), 0)));
      }
      changes = List.copyOf(repeated);
      changed = 0;
    }

    @Override
    void closeChoices() {}
  }
}
