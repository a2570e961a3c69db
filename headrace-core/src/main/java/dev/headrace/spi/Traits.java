package dev.headrace.spi;

import dev.headrace.data.SlabPool;
import org.jspecify.annotations.Nullable;

/**
 * What the engine and the optimizer may know of an operator without knowing which one it is. {@link
 * #PLAIN} promises nothing; each method gives the same traits with one more.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class Traits {
  private static final int ONE_TO_ONE = 1;
  private static final int KEEPS_ELEMENTS = 1 << 1;
  private static final int SHAPES_NOTHING = 1 << 2;
  private static final int NEVER_FAILS = 1 << 3;
  private static final int KNOWS_PLACES = 1 << 4;
  private static final int EACH_ALONE = 1 << 5;
  private static final int KEEPS_PLACE = 1 << 6;

  /** A plain operator: position costs nothing, nothing else is promised. */
  public static final Traits PLAIN =
      new Traits(
          0,
          Checkpointing.CURSOR,
          Deferring.NEEDS,
          Recurring.FOLLOWS,
          Passing.UNKNOWN,
          Duty.NONE,
          null);

  private final int promises;
  private final Checkpointing checkpointing;
  private final Deferring deferring;
  private final Recurring recurring;
  private final Passing passing;
  private final Duty duty;
  private final SlabPool.@Nullable Source inputMemory;

  private Traits(
      int promises,
      Checkpointing checkpointing,
      Deferring deferring,
      Recurring recurring,
      Passing passing,
      Duty duty,
      SlabPool.@Nullable Source inputMemory) {
    this.promises = promises;
    this.checkpointing = checkpointing;
    this.deferring = deferring;
    this.recurring = recurring;
    this.passing = passing;
    this.duty = duty;
    this.inputMemory = inputMemory;
  }

  private Traits and(int promise) {
    return new Traits(
        promises | promise, checkpointing, deferring, recurring, passing, duty, inputMemory);
  }

  private boolean has(int promise) {
    return (promises & promise) != 0;
  }

  /** It gives exactly one element for each of its input, in order. */
  public Traits asOneToOne() {
    return and(ONE_TO_ONE);
  }

  public boolean oneToOne() {
    return has(ONE_TO_ONE);
  }

  /**
   * Its elements are its input's own, untouched and none held back for later use, so that a batch
   * before it may still live in a slab.
   */
  public Traits asKeepingElements() {
    return and(KEEPS_ELEMENTS);
  }

  public boolean keepsElements() {
    return has(KEEPS_ELEMENTS);
  }

  /** Elements and order would be the same without it (prefetch). */
  public Traits asShapingNothing() {
    return and(SHAPES_NOTHING);
  }

  public boolean shapesNothing() {
    return has(SHAPES_NOTHING);
  }

  /**
   * It makes no failed element of its own: it calls no function and reads no file, or it ends the
   * pipeline if it cannot.
   */
  public Traits asNeverFailing() {
    return and(NEVER_FAILS);
  }

  public boolean neverFails() {
    return has(NEVER_FAILS);
  }

  /**
   * Each of its elements, failed ones too, has a place that is known without reading it, so that
   * passing over places is cheap and exact.
   */
  public Traits asKnowingPlaces() {
    return and(KNOWS_PLACES);
  }

  public boolean knowsPlaces() {
    return has(KNOWS_PLACES);
  }

  /**
   * One element for one, and what it makes of an element depends on that element and its id alone,
   * and its position is its input's, so that it does not matter which elements come before.
   */
  public Traits asTreatingEachAlone() {
    return and(ONE_TO_ONE | EACH_ALONE);
  }

  public boolean eachAlone() {
    return has(EACH_ALONE);
  }

  /**
   * A pull of its input may stop in the middle, by {@link Cancelled}, and be repeated later: what
   * it has taken is in its fields, and what it has appended to its own chunk is complete. Without
   * this promise, the pipeline goes back to an earlier position after an interruption; or, where it
   * cannot, it is not interrupted before the pull is over.
   */
  public Traits asKeepingPlace() {
    return and(KEEPS_PLACE);
  }

  public boolean keepsPlace() {
    return has(KEEPS_PLACE);
  }

  /** Says how its position is described. */
  public Traits with(Checkpointing how) {
    return new Traits(promises, how, deferring, recurring, passing, duty, inputMemory);
  }

  public Checkpointing checkpointing() {
    return checkpointing;
  }

  /** Says what it does about tensors of its input that are not computed yet. */
  public Traits with(Deferring what) {
    return new Traits(promises, checkpointing, what, recurring, passing, duty, inputMemory);
  }

  public Deferring deferring() {
    return deferring;
  }

  /** Says whether another pass gives the same elements in the same order. */
  public Traits with(Recurring how) {
    return new Traits(promises, checkpointing, deferring, how, passing, duty, inputMemory);
  }

  public Recurring recurring() {
    return recurring;
  }

  /** Says what becomes of the elements of its inputs. */
  public Traits with(Passing what) {
    return new Traits(promises, checkpointing, deferring, recurring, what, duty, inputMemory);
  }

  /** What becomes of the elements of its inputs; one that shapes nothing lets all pass. */
  public Passing passing() {
    return passing == Passing.UNKNOWN && shapesNothing() ? Passing.ALL : passing;
  }

  /** Says what it is there for, besides its elements. */
  public Traits with(Duty what) {
    return new Traits(promises, checkpointing, deferring, recurring, passing, what, inputMemory);
  }

  public Duty duty() {
    return duty;
  }

  /**
   * Says where batches before it are best assembled. It gives their memory back by itself, so that
   * they may live in slabs whatever follows it.
   */
  public Traits withInputIn(SlabPool.Source memory) {
    return new Traits(promises, checkpointing, deferring, recurring, passing, duty, memory);
  }

  public SlabPool.@Nullable Source inputMemory() {
    return inputMemory;
  }
}
