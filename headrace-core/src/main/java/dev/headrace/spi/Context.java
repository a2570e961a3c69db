package dev.headrace.spi;

import dev.headrace.data.Account;
import dev.headrace.data.Seed;
import dev.headrace.data.SlabPool;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the engine offers to an operator that is being opened; one per operator and pass. */
public interface Context extends Blame {

  /** The operator and the way from it to its sources, for messages. */
  String path();

  /** An operator below this one with its name and line, for messages. */
  String pathOfInput(Op below);

  /** A number for the operator's place in the user's plan, the same in every process. */
  long place();

  /** What shapes the elements of an input and their order, to know again what is kept on disk. */
  PlanIdentity identity(Op input);

  /** Where the cursor of this operator counts. */
  Meter meter();

  /**
   * Which pass over this operator this is, counting epochs and repetitions: from 0 to below {@link
   * Passes#LIMIT}.
   */
  long iteration();

  /** The id under which sources opened here number their elements; null at the top. */
  @Nullable Id prefix();

  /**
   * How many elements will be asked of this operator at most, as far as is known downstream; {@code
   * Long.MAX_VALUE} where it is not.
   */
  long demand();

  /** When tensors that this operator's function leaves deferred are computed. */
  Deferral deferral();

  /** Opens the only input for the same pass. */
  Cursor open(Op input);

  /** Opens the only input with a bound on what will be asked of it. */
  Cursor open(Op input, long demand);

  /** Opens the only input for another pass, under another id. */
  Cursor open(Op input, long iteration, @Nullable Id prefix);

  /**
   * Opens the only input as if it were a plan of its own, in its first pass: what it gives depends
   * neither on the pass nor on where in the plan this operator stands.
   *
   * @param draws what operators without a seed draw theirs from
   */
  Cursor openAlone(Op input, Draws draws);

  /**
   * The seed of this operator, if the plan gives none: the same in all passes of a pipeline, and
   * where it is resumed.
   */
  Seed drawnSeed();

  /** The seed of this operator in the life that a checkpoint tells of; null if there was none. */
  @Nullable Seed seedBefore();

  /** Takes over the seed that another run had here, where what it made is used. */
  void tellSeed(Seed seed);

  /** For {@link #openAlone}: what the operators before this one draw from. */
  Draws drawsBefore();

  /**
   * Notes for checkpoints that this pass runs the input, failures included, or that it and all that
   * begin later read a file instead: one that is resumed before a position of this operator was
   * told must do the same.
   */
  void notePass(boolean runsInput);

  /** Whether this pass ran the input in an earlier life; empty if that did not settle it. */
  Optional<Boolean> ranBefore();

  /**
   * Opens one of several inputs, by its place in {@link Op#inputs}: the same operator may be there
   * twice.
   *
   * @param prefix the id under which sources number their elements, see {@link #prefix}
   * @param demand how many elements will be asked for at most, or {@code Long.MAX_VALUE}
   */
  Cursor open(int index, @Nullable Id prefix, long demand);

  /** Opens a plan that a function of the user returned. */
  Cursor openChild(Plan<?> plan, Id id);

  /** Whether a parallel operator with this wish must keep order here. */
  boolean ordered(Order wish);

  /** Whether everything must run on the caller's thread. */
  boolean debug();

  /** Runs {@code work} over the input's chunks on several threads. */
  Cursor parallel(Cursor input, Work work, int parallelism, Order order);

  /**
   * Prepares the input's elements one for one and in order, for an operator that does more with
   * them than hand them on; they are not counted as its own.
   *
   * @param pulled sees each chunk as it is pulled, one after the other
   * @param work what then happens to chunks, on several threads; on none if sequential
   * @param inputDemand how many elements will be asked for at most, or {@code Long.MAX_VALUE}
   */
  Cursor prepare(
      Cursor input, Consumer<Chunk> pulled, Work work, int parallelism, long inputDemand);

  /** Reads the input ahead on a thread of its own, up to {@code capacity} elements. */
  Cursor prefetch(Cursor input, int capacity);

  /**
   * Reads the input ahead as {@link #prefetch} does, for an operator that does more with elements
   * than hand them on; they are not counted as its own.
   */
  Cursor readAhead(Cursor input, int capacity);

  /** A crew of threads that read several cursors ahead. */
  Crew crew(int parallelism);

  /** An object of this operator that lives as long as the pipeline. */
  <S> S shared(Supplier<S> maker);

  /**
   * An object of all operators that ask for it by this name, which lives as long as the pipeline.
   */
  <S> S shared(String name, Supplier<S> maker);

  /** Begins to look at what the operators below this one do. */
  Watch watchBelow();

  /** The account for objects on the Java heap. */
  Account heap();

  /**
   * A place on disk for what this operator holds and does not fit {@link #heap}; the operator
   * closes it.
   */
  Spill spill();

  /** Batch memory that is given back by the consumer, or null where batches must be garbage's. */
  @Nullable SlabPool slabs();

  /**
   * Where this operator counts what it copies to a device. Asking for it says that its elements may
   * hold memory of the device.
   */
  default TransferMeter transfers() {
    return new TransferMeter();
  }

  /**
   * Throws {@link Cancelled} when the pipeline was closed or the consumer interrupted; called by
   * operators in the middle of a pull that takes long.
   */
  void checkGoing();

  /** As {@link #checkGoing}, before a pull, when the cursor has nothing in hand. */
  default void checkPull() {
    checkGoing();
  }

  /**
   * Runs what cannot stop in the middle and go on there later, such as moving to a position. An
   * interrupt of the consumer makes the pipeline go back, or waits, as if the operator did not keep
   * its place.
   */
  default void asOne(Runnable work) {
    work.run();
  }

  /**
   * As {@link #mustCallAgain}, for what a source asks: nothing is in hand yet, so that it may stop
   * there and be asked again later.
   */
  default boolean mustAskAgain(Throwable cause, int times) {
    return mustCallAgain(cause, times);
  }

  /** Whether the operator keeps its place when a pull stops, see {@link Traits#asKeepingPlace}. */
  default boolean keepsPlace() {
    return false;
  }

  /** Says what was found out about this operator, for {@code Pipeline.explain()}. */
  void remark(String text);

  /** Says that the operator turned a knob of its own, for the log of decisions. */
  default void turned(String knob, int before, int after, String why) {}

  /** Says something once per pipeline. */
  void warn(String message);

  /** Makes the failure of an element. */
  @Override
  default Failure failure(@Nullable Id id, Throwable cause) {
    boolean terminal =
        cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError);
    return new Failure(path(), id, cause, terminal);
  }

  /** A crew of threads that read several cursors ahead, each by one thread at a time. */
  interface Crew extends AutoCloseable {
    /** A cursor whose input is opened and read ahead by the crew. */
    Cursor background(Supplier<Cursor> input);

    @Override
    void close();
  }
}
