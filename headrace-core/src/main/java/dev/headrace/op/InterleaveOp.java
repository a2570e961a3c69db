package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Duty;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Plan;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes a plan of each element and takes turns among {@code cycle} of them, {@code block} elements
 * at a time: exactly tf.data's order.
 *
 * @param parallelism {@link Parallelism#SEQUENTIAL}, or how many of the plans are read ahead at
 *     once
 */
public record InterleaveOp(
    Op input, Fn<Object, Plan<?>> function, int cycle, int block, @Knob int parallelism, Site site)
    implements Op {

  public InterleaveOp {
    Objects.requireNonNull(function, "interleave: expected a function, but got null");
    Parallelism.check("interleave", parallelism);
    if (cycle < 1) {
      throw new IllegalArgumentException(
          "interleave: expected a cycle of at least 1 input, but got " + cycle);
    }
    if (block < 1) {
      throw new IllegalArgumentException(
          "interleave: expected a block of at least 1 element, but got " + block);
    }
  }

  @Override
  public long cardinality() {
    return input.cardinality() == 0 ? 0 : UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().with(Passing.EXPANDED).with(Duty.OPENS);
  }

  @Override
  public Cursor open(Context context) {
    return new InterleaveCursor(context, this);
  }

  private static final class InterleaveCursor extends Cursor {
    private final InterleaveOp op;
    private final Cursor source;
    private final Context.@Nullable Crew crew;
    private final int aheadMost;
    private final ChildPlans plans;
    private final ChildPlans.@Nullable Child[] slots;

    /** Plans whose reading has begun, but which have no slot yet. */
    private final ArrayDeque<ChildPlans.Child> ahead = new ArrayDeque<>();

    private int turn;
    private int takenOfBlock;
    private int open;

    /** Plans that came to their end and were not replaced yet. */
    private int ended;

    private boolean sourceEnded;

    InterleaveCursor(Context context, InterleaveOp op) {
      super(context);
      this.op = op;
      this.source = context.open(op.input);
      this.crew =
          op.parallelism == Parallelism.SEQUENTIAL || context.debug()
              ? null
              : context.crew(op.parallelism);
      this.aheadMost = crew == null ? 0 : op.cycle;
      this.plans = new ChildPlans(context, op.function, crew);
      this.slots = new ChildPlans.Child[op.cycle];
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (open > 0) {
        openIfRoom(); // one in each call, so that the first elements do not wait for all of them
      }
      while (out.isOpen(max)) {
        Cursor current = cursorIn(turn);
        if (current != null) {
          if (!out.isEmpty() && !current.isReady()) {
            current.start();
            return;
          }
          takeFrom(current, out, max);
        } else if (openAhead()) {
          ChildPlans.Child next = ahead.removeFirst();
          if (next.failure() != null) {
            out.add(next.failure(), next.id().parent(), next.id().ordinal());
          } else {
            slots[turn] = next;
            open++;
          }
          if (ended > 0) {
            ended--;
            openIfRoom(); // one for one, or short plans would be opened one after the other
          }
        } else if (open > 0) {
          nextTurn();
        } else {
          return;
        }
      }
    }

    private @Nullable Cursor cursorIn(int slot) {
      ChildPlans.Child child = slots[slot];
      return child == null ? null : child.cursor();
    }

    private void takeFrom(Cursor child, Chunk out, int max) {
      Chunk taken = scratch();
      child.fill(taken, Math.min(op.block - takenOfBlock, max - out.size()));
      if (taken.isEmpty()) {
        child.close();
        slots[turn] = null;
        open--;
        ended++;
        nextTurn();
        return;
      }
      out.append(taken, 0, taken.size());
      takenOfBlock += taken.size() - taken.failures();
      if (takenOfBlock == op.block) {
        nextTurn();
      }
    }

    private void nextTurn() {
      takenOfBlock = 0;
      turn = turn + 1 == op.cycle ? 0 : turn + 1;
    }

    /** Sees to it that a next plan is there; false when the input has ended. */
    private boolean openAhead() {
      if (!sourceEnded && ahead.isEmpty()) {
        openOneMore();
      }
      return !ahead.isEmpty();
    }

    /** Begins to read one more plan, if there is room and that needs no waiting. */
    private void openIfRoom() {
      if (sourceEnded || ahead.size() >= aheadMost) {
        return;
      }
      if (source.isReady()) {
        openOneMore();
      } else {
        source.start();
      }
    }

    private void openOneMore() {
      ChildPlans.Child opened = plans.next(source);
      if (opened == null) {
        sourceEnded = true;
        return;
      }
      ahead.addLast(opened);
      if (opened.cursor() != null && crew != null) {
        opened.cursor().start();
      }
    }

    @Override
    protected State position() {
      List<State> states = new ArrayList<>();
      for (int i = 0; i < slots.length; i++) {
        ChildPlans.Child opened = slots[i];
        if (opened != null && opened.cursor() != null) {
          states.add(
              State.ofPairs(
                  "slot", (long) i, "before", opened.before(), "child", opened.cursor().save()));
        }
      }
      return State.ofPairs(
          "turn",
          (long) turn,
          "takenOfBlock",
          (long) takenOfBlock,
          "input",
          ahead.isEmpty() ? source.save() : ahead.getFirst().before(),
          "open",
          states);
    }

    @Override
    protected void moveTo(State state) {
      turn = (int) state.number("turn");
      takenOfBlock = (int) state.number("takenOfBlock");
      if (turn < 0 || turn >= op.cycle || takenOfBlock < 0 || takenOfBlock >= op.block) {
        throw new State.InvalidState(
            "checkpoint: expected turn %d of a cycle of %d, element %d of a block of %d"
                .formatted(turn, op.cycle, takenOfBlock, op.block));
      }
      // First the input, which knows more: what a cache below is told first, it keeps to.
      source.restore(state.state("input"));
      for (State saved : state.states("open")) {
        int slot = (int) saved.number("slot");
        if (slot < 0 || slot >= op.cycle || slots[slot] != null) {
          throw new State.InvalidState("checkpoint: expected each slot of interleave once");
        }
        slots[slot] = reopen(saved);
        open++;
      }
    }

    private ChildPlans.Child reopen(State saved) {
      State before = saved.state("before");
      try (Cursor again = context.open(op.input, 1)) {
        again.restore(before);
        return plans.again(again, before, saved.state("child"));
      }
    }

    @Override
    public void close() {
      if (crew != null) {
        crew.close(); // first, so that no child is being read while it is closed
      }
      for (ChildPlans.Child opened : slots) {
        if (opened != null) {
          opened.close();
        }
      }
      ahead.forEach(ChildPlans.Child::close);
      source.close();
    }
  }
}
