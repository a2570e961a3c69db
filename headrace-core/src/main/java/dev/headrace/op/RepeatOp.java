package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passes;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.UnaryCursor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gives its input {@code count} times over; without end where {@code count} is −1. */
public record RepeatOp(Op input, long count, Site site) implements Op {

  public RepeatOp {
    if (count < -1) {
      throw new IllegalArgumentException(
          "repeat: expected a count of at least 0, or -1 for no end, but got " + count);
    }
  }

  @Override
  public long cardinality() {
    long once = input.cardinality();
    if (count == 0 || once == 0) {
      return 0;
    }
    if (count == -1) {
      return once == UNKNOWN ? UNKNOWN : INFINITE;
    }
    if (once < 0) {
      return once;
    }
    long high = Math.multiplyHigh(once, count);
    return high != 0 || once * count < 0 ? Long.MAX_VALUE : once * count;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN
        .asKeepingPlace()
        .asKeepingElements()
        .asNeverFailing()
        .with(Deferring.CARRIES)
        .with(count == 1 ? Passing.ALL : Passing.REPEATED);
  }

  @Override
  public Cursor open(Context context) {
    return new RepeatCursor(context, this);
  }

  private Cursor open(Context context, long repetition) {
    long pass = Passes.ofRepetition(context.iteration(), count, repetition);
    return context.open(input, pass, new Id(context.prefix(), repetition));
  }

  /** Where a repetition began. */
  private static final class Start {
    final State state;
    volatile @Nullable Start next;

    Start(State state) {
      this.state = state;
    }
  }

  private static final class RepeatCursor extends UnaryCursor {
    /*
     * Where order is not kept below, a position must also tell the order that was met after it, and
     * that may include repetitions that were opened later. So their starts form a list, and a
     * position carries (late) the starts that followed it.
     */
    private final RepeatOp op;
    private Start start = new Start(State.START);

    /**
     * Starts of repetitions that are known from an earlier life, and how many of them were used.
     */
    private List<State> knownStarts = List.of();

    private int usedStarts;
    private long repetition;
    private boolean gaveSome;

    /** Where the last repetition ended; a cache below tells there what it holds. */
    private State end = State.START;

    RepeatCursor(Context context, RepeatOp op) {
      super(context, op.open(context, 0));
      this.op = op;
      noteStart();
    }

    private void openRepetition() {
      source = op.open(context, repetition);
      if (usedStarts < knownStarts.size()) {
        source.restore(knownStarts.get(usedStarts++));
      }
      noteStart();
    }

    private void noteStart() {
      Start next = new Start(source.save());
      start.next = next;
      start = next;
    }

    private boolean isOver() {
      return op.count != -1 && repetition >= op.count;
    }

    @Override
    protected void produce(Chunk out, int max) {
      while (!isOver()) {
        source.fill(out, max);
        if (!out.isEmpty()) {
          gaveSome = true;
          return;
        }
        if (op.count == -1 && !gaveSome) {
          return; // nothing, however often it is repeated
        }
        end = source.save();
        source.close();
        repetition++;
        gaveSome = false;
        if (!isOver()) {
          openRepetition();
        }
      }
    }

    @Override
    public boolean isReady() {
      return isOver() || source.isReady();
    }

    @Override
    public void start() {
      if (!isOver()) {
        source.start();
      }
    }

    @Override
    protected State position() {
      if (isOver()) {
        return State.of("repetition", repetition, "input", end);
      }
      if (!start.state.isLate()) {
        return State.of("repetition", repetition, "input", source.save());
      }
      Start current = start;
      List<State> known = knownStarts;
      int used = usedStarts;
      return State.ofPairs(
          "repetition", repetition,
          "input", source.save(),
          "next", State.late(() -> State.of("starts", startsAfter(current, known, used))));
    }

    /** The starts that were met after a position, then those only known from an earlier life. */
    private static List<State> startsAfter(Start first, List<State> known, int used) {
      List<State> starts = new ArrayList<>();
      for (Start at = first.next; at != null; at = at.next) {
        starts.add(at.state);
      }
      starts.addAll(known.subList(Math.min(known.size(), used + starts.size()), known.size()));
      return starts;
    }

    @Override
    protected void moveTo(State state) {
      repetition = state.number("repetition");
      if (repetition < 0 || (op.count != -1 && repetition > op.count)) {
        throw new State.InvalidState(
            "checkpoint: expected a repetition from 0 to %d, but got %d"
                .formatted(op.count, repetition));
      }
      State input = state.state("input");
      gaveSome = repetition > 0 || !input.isStart();
      if (repetition > 0 || op.count == 0) {
        source.close(); // the first repetition, which is behind
      }
      if (isOver()) {
        end = input;
        if (repetition > 0 && !input.isStart()) {
          repetition--;
          openRepetition();
          source.restore(input);
          end = source.save();
          source.close();
          repetition++;
        }
      } else {
        if (repetition > 0) {
          openRepetition();
        }
        source.restore(input);
        if (state.has("next")) {
          knownStarts = List.copyOf(state.state("next").settled().states("starts"));
          usedStarts = 0;
        }
      }
    }
  }
}
