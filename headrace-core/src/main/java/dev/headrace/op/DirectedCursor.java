package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Id;
import dev.headrace.spi.Reader;
import dev.headrace.spi.State;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads several inputs in turns that someone else decides: the running part of {@code sampleFrom}
 * and {@code chooseFrom}.
 *
 * <p>A failed element uses up its turn: it stands where the element would, and what follows is as
 * it would be without the failure.
 */
abstract class DirectedCursor extends Cursor {
  /** In a plan of turns: there is a failure instead of a choice. */
  static final int FAILED = -1;

  private static final int MOST_TURNS = 1024;

  private final boolean stopOnEmpty;
  private final Reader[] readers;
  private final boolean[] ended;
  private int open;
  private boolean isOver;

  /*
   * The turns that were decided but not taken yet. Knowing them, an input is pulled for all its
   * turns among them at once, and never for more.
   */
  private final int[] turns = new int[MOST_TURNS];
  private final int[] due;
  private int planned;
  private int taken;

  /** Opens the first {@code inputs} inputs, each under an id of its own. */
  DirectedCursor(Context context, int inputs, boolean stopOnEmpty) {
    super(context);
    this.stopOnEmpty = stopOnEmpty;
    this.readers = new Reader[inputs];
    this.ended = new boolean[inputs];
    this.due = new int[inputs];
    this.open = inputs;
    for (int i = 0; i < inputs; i++) {
      readers[i] = new Reader(context.open(i, new Id(context.prefix(), i), context.demand()));
    }
  }

  /** Writes the inputs of up to {@code most} further turns; says how many, 0 at the end. */
  abstract int plan(int[] into, int most);

  /** Appends the failure that turn {@code index} of the last plan is. */
  abstract void giveFailure(int index, Chunk out);

  /** Whether one of the inputs that have not ended can still be chosen. */
  abstract boolean canChooseAgain(boolean[] endedInputs);

  /** Whether more turns can be planned without waiting. */
  abstract boolean isPlanReady();

  /** As {@link #start}, for what decides the turns. */
  abstract void startChoices();

  /** The position of the choices, {@code left} of the last plan's not being taken yet. */
  abstract State choices(int left);

  abstract void moveChoices(State state);

  abstract void closeChoices();

  @Override
  protected final void produce(Chunk out, int max) {
    while (out.isOpen(max) && !isOver) {
      if (taken == planned && !planTurns(Math.min(max - out.size(), MOST_TURNS))) {
        isOver = true;
        return;
      }
      int turn = turns[taken];
      if (turn == FAILED) {
        giveFailure(taken, out);
        taken++;
      } else if (ended[turn]) {
        passEnded(turn);
      } else if (!out.isEmpty() && !readers[turn].isReady()) {
        readers[turn].start();
        return;
      } else if (readers[turn].advance(due[turn])) {
        readers[turn].giveTo(out);
        due[turn]--;
        taken++;
      } else if (stopOnEmpty) {
        isOver = true;
      } else {
        ended[turn] = true;
        open--;
        passEnded(turn);
      }
    }
  }

  private boolean planTurns(int most) {
    context.checkGoing(); // choices alone must not keep a closed pipeline going
    planned = plan(turns, most);
    taken = 0;
    for (int i = 0; i < planned; i++) {
      if (turns[i] != FAILED) {
        due[turns[i]]++;
      }
    }
    return planned > 0;
  }

  private void passEnded(int turn) {
    due[turn]--;
    taken++;
    isOver = open == 0 || !canChooseAgain(ended);
  }

  @Override
  public final boolean isReady() {
    if (isOver) {
      return true;
    }
    if (taken < planned) {
      int turn = turns[taken];
      return turn == FAILED || ended[turn] || readers[turn].isReady();
    }
    if (!isPlanReady()) {
      return false;
    }
    for (int i = 0; i < readers.length; i++) {
      if (!ended[i] && !readers[i].isReady()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public final void start() {
    startChoices();
    for (int i = 0; i < readers.length; i++) {
      if (!ended[i]) {
        readers[i].start();
      }
    }
  }

  @Override
  protected final State position() {
    List<State> inputs = new ArrayList<>(readers.length);
    long[] flags = new long[readers.length];
    for (int i = 0; i < readers.length; i++) {
      flags[i] = ended[i] ? 1 : 0;
      inputs.add(readers[i].after()); // also of those that have ended: caches tell what they hold
    }
    return State.ofPairs("choices", choices(planned - taken), "ended", flags, "inputs", inputs);
  }

  @Override
  protected final void moveTo(State state) {
    long[] flags = state.numbers("ended");
    List<State> inputs = state.states("inputs");
    if (flags.length != readers.length || inputs.size() != readers.length) {
      throw new State.InvalidState(
          "checkpoint: expected %d %s, but got %d"
              .formatted(readers.length, Plural.word(readers.length, "input"), inputs.size()));
    }
    for (int i = 0; i < readers.length; i++) {
      if (flags[i] != 0) {
        ended[i] = true;
        open--;
      }
      readers[i].restore(inputs.get(i));
    }
    isOver = open == 0;
    moveChoices(state.state("choices"));
  }

  @Override
  public final void close() {
    for (Reader reader : readers) {
      reader.close();
    }
    closeChoices();
  }
}
