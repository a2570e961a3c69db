package dev.headrace.op;

import dev.headrace.data.Tensor;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.List;
import java.util.Objects;

/**
 * Gives for each choice the next element of the input with that number.
 *
 * @param choices gives the numbers; it ends the whole when it ends
 * @param stopOnEmpty whether a choice of an input that has ended ends the whole; else such choices
 *     are passed over
 */
public record ChooseFromOp(List<Op> datasets, Op choices, boolean stopOnEmpty, Site site)
    implements Op {

  public ChooseFromOp {
    Objects.requireNonNull(choices, "chooseFrom: expected a dataset of choices, but got null");
    datasets = List.copyOf(datasets);
    if (datasets.isEmpty()) {
      throw new IllegalArgumentException(
          "chooseFrom: expected at least one dataset to choose from, but got none");
    }
  }

  @Override
  public long cardinality() {
    long turns = choices.cardinality();
    if (turns == 0) {
      return 0;
    }
    boolean endless =
        turns == INFINITE
            && datasets.stream().allMatch(dataset -> dataset.cardinality() == INFINITE);
    return endless ? INFINITE : UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().asKeepingElements().with(Deferring.CARRIES);
  }

  @Override
  public Cursor open(Context context) {
    return new ChooseCursor(context, this);
  }

  private static final class ChooseCursor extends DirectedCursor {
    private final Cursor source;
    private final Chunk choices = new Chunk();
    private final int inputs;
    private State before = State.START;

    ChooseCursor(Context context, ChooseFromOp op) {
      super(context, op.datasets.size(), op.stopOnEmpty);
      this.inputs = op.datasets.size();
      this.source = context.open(inputs, new Id(context.prefix(), inputs), context.demand());
    }

    @Override
    int plan(int[] into, int most) {
      before = source.save();
      source.fill(choices, most);
      for (int i = 0; i < choices.size(); i++) {
        into[i] = choices.isFailure(i) ? FAILED : choice(i);
      }
      return choices.size();
    }

    private int choice(int index) {
      long choice;
      Object item = choices.item(index);
      if (item instanceof Number number) {
        choice = number.longValue();
      } else if (item instanceof Tensor tensor && tensor.elements() == 1) {
        choice = tensor.longAt(0);
      } else {
        return refuse(index, item.getClass().getName());
      }
      return choice >= 0 && choice < inputs ? (int) choice : refuse(index, "" + choice);
    }

    private int refuse(int index, String got) {
      choices.replace(
          index,
          context.failure(
              choices.id(index),
              new IndexOutOfBoundsException(
                  "chooseFrom: expected the number of a dataset, from 0 to %d, but got %s"
                      .formatted(inputs - 1, got))));
      return FAILED;
    }

    @Override
    void giveFailure(int index, Chunk out) {
      out.append(choices, index);
    }

    @Override
    boolean canChooseAgain(boolean[] endedInputs) {
      return true; // the choices say
    }

    @Override
    boolean isPlanReady() {
      return source.isReady();
    }

    @Override
    void startChoices() {
      source.start();
    }

    @Override
    State choices(int left) {
      return left == 0 ? source.save() : State.skipping(choices.size() - left, before);
    }

    @Override
    void moveChoices(State state) {
      source.restore(state);
    }

    @Override
    void closeChoices() {
      source.close();
    }
  }
}
