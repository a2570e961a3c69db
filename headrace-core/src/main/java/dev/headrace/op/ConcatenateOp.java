package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.ArrayList;
import java.util.List;

/** The elements of its inputs, one input after the other. */
public record ConcatenateOp(List<Op> inputs, Site site) implements Op {

  public ConcatenateOp {
    inputs = List.copyOf(inputs);
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("concatenate: expected at least 1 dataset, but got none");
    }
  }

  @Override
  public long cardinality() {
    long sum = 0;
    boolean unknown = false;
    for (Op input : inputs) {
      long count = input.cardinality();
      if (count == INFINITE) {
        return INFINITE;
      }
      unknown |= count == UNKNOWN;
      sum = sum > Long.MAX_VALUE - Math.max(0, count) ? Long.MAX_VALUE : sum + Math.max(0, count);
    }
    return unknown ? UNKNOWN : sum;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN
        .asKeepingPlace()
        .asKeepingElements()
        .asNeverFailing()
        .with(Deferring.CARRIES)
        .with(Passing.ALL);
  }

  @Override
  public Access access() {
    List<Access> parts = new ArrayList<>();
    for (Op input : inputs) {
      parts.add(input.access());
    }
    return Access.over(
        parts,
        () -> parts.stream().mapToLong(Access::size).sum(),
        index -> {
          long left = index;
          for (Access part : parts) {
            if (left < part.size()) {
              return part.at(left);
            }
            left -= part.size();
          }
          throw new IndexOutOfBoundsException("concatenate: no element at " + index);
        });
  }

  @Override
  public Cursor open(Context context) {
    return new ConcatenateCursor(context, this);
  }

  private static final class ConcatenateCursor extends Cursor {
    /*
     * All inputs are opened at once (nothing runs before it is pulled), because where order is not
     * kept below, a position must tell the order met after it, and that may be in a later input:
     * its start then is part of the position.
     */
    private final List<Cursor> branches = new ArrayList<>();
    private final List<State> starts = new ArrayList<>();

    /** The last input whose start depends on the order that is met after it; -1 for none. */
    private int lastLate = -1;

    /** Where the inputs ended that have: a cache among them tells there what it holds. */
    private List<State> ends = List.of();

    private int branch;

    ConcatenateCursor(Context context, ConcatenateOp op) {
      super(context);
      long demand = context.demand();
      for (int i = 0; i < op.inputs.size(); i++) {
        Cursor opened = context.open(i, new Id(context.prefix(), i), demand);
        branches.add(opened);
        starts.add(opened.save());
        lastLate = starts.getLast().isLate() ? i : lastLate;
        if (demand != Long.MAX_VALUE) {
          demand = Math.max(0, demand - Math.max(0, op.inputs.get(i).cardinality()));
        }
      }
    }

    @Override
    protected void produce(Chunk out, int max) {
      while (branch < branches.size()) {
        branches.get(branch).fill(out, max);
        if (!out.isEmpty()) {
          return;
        }
        leave();
      }
    }

    private void leave() {
      List<State> all = new ArrayList<>(ends);
      all.add(branches.get(branch).save());
      ends = List.copyOf(all);
      branches.get(branch++).close();
    }

    @Override
    public boolean isReady() {
      return branch >= branches.size() || branches.get(branch).isReady();
    }

    @Override
    public void start() {
      if (branch < branches.size()) {
        branches.get(branch).start();
      }
    }

    @Override
    protected State position() {
      if (branch == branches.size()) {
        return State.of("branch", (long) branch, "ended", ends);
      }
      State input = branches.get(branch).save();
      if (lastLate <= branch) {
        return State.ofPairs("branch", (long) branch, "ended", ends, "input", input);
      }
      List<State> later = List.copyOf(starts.subList(branch + 1, starts.size()));
      return State.ofPairs("branch", (long) branch, "ended", ends, "input", input, "later", later);
    }

    @Override
    protected void moveTo(State state) {
      long at = state.number("branch");
      if (at < 0 || at > branches.size()) {
        throw new State.InvalidState(
            "checkpoint: expected a dataset from 0 to %d to be read, but got %d"
                .formatted(branches.size(), at));
      }
      List<State> ended = state.states("ended");
      if (ended.size() != at) {
        throw new State.InvalidState(
            "checkpoint: expected the ends of %d %s, but got %d"
                .formatted(at, Plural.word(at, "dataset"), ended.size()));
      }
      while (branch < at) {
        branches.get(branch).restore(ended.get(branch));
        leave();
      }
      if (branch == branches.size()) {
        return;
      }
      branches.get(branch).restore(state.state("input"));
      if (state.has("later")) {
        List<State> later = state.states("later");
        if (later.size() != branches.size() - branch - 1) {
          throw new State.InvalidState(
              "checkpoint: expected the starts of %d %s, but got %d"
                  .formatted(
                      branches.size() - branch - 1,
                      Plural.word(branches.size() - branch - 1, "dataset"),
                      later.size()));
        }
        for (int i = 0; i < later.size(); i++) {
          Cursor next = branches.get(branch + 1 + i);
          next.restore(later.get(i));
          starts.set(branch + 1 + i, next.save());
          lastLate = starts.get(branch + 1 + i).isLate() ? branch + 1 + i : lastLate;
        }
      }
    }

    @Override
    public void close() {
      for (int i = branch; i < branches.size(); i++) {
        branches.get(i).close();
      }
    }
  }
}
