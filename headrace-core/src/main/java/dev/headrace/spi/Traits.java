package dev.headrace.spi;

import dev.headrace.data.SlabPool;
import org.jspecify.annotations.Nullable;

/**
 * What the engine and the optimizer may know of an operator without knowing which one it is.
 *
 * @param checkpointing how its position is described
 * @param oneToOne whether it gives exactly one element for each of its input, in order
 * @param keepsElements whether its elements are its input's own, untouched and none held back for
 *     later use, so that a batch before it may still live in a slab
 * @param shapesNothing whether elements and order would be the same without it (prefetch)
 * @param neverFails whether it makes no failed element of its own: it calls no function and reads
 *     no file, or it ends the pipeline if it cannot
 * @param deferring what it does about tensors of its input that are not computed yet
 * @param knowsPlaces whether each of its elements, failed ones too, has a place that is known
 *     without reading it, so that passing over places is cheap and exact
 * @param eachAlone whether what it makes of an element depends on that element and its id alone,
 *     and its position is its input's, so that it does not matter which elements come before
 * @param recurring whether another pass gives the same elements in the same order
 * @param inputMemory where batches before it are best assembled, if it says so; it gives their
 *     memory back by itself
 */
public record Traits(
    Checkpointing checkpointing,
    boolean oneToOne,
    boolean keepsElements,
    boolean shapesNothing,
    boolean neverFails,
    Deferring deferring,
    boolean knowsPlaces,
    boolean eachAlone,
    Recurring recurring,
    SlabPool.@Nullable Source inputMemory) {

  /** A plain operator: position costs nothing, nothing else is promised. */
  public static final Traits PLAIN =
      new Traits(
          Checkpointing.CURSOR,
          false,
          false,
          false,
          false,
          Deferring.NEEDS,
          false,
          false,
          Recurring.FOLLOWS,
          null);

  public Traits with(Checkpointing how) {
    return new Traits(
        how,
        oneToOne,
        keepsElements,
        shapesNothing,
        neverFails,
        deferring,
        knowsPlaces,
        eachAlone,
        recurring,
        inputMemory);
  }

  public Traits asOneToOne() {
    return new Traits(
        checkpointing,
        true,
        keepsElements,
        shapesNothing,
        neverFails,
        deferring,
        knowsPlaces,
        eachAlone,
        recurring,
        inputMemory);
  }

  public Traits asKeepingElements() {
    return new Traits(
        checkpointing,
        oneToOne,
        true,
        shapesNothing,
        neverFails,
        deferring,
        knowsPlaces,
        eachAlone,
        recurring,
        inputMemory);
  }

  public Traits asShapingNothing() {
    return new Traits(
        checkpointing,
        oneToOne,
        keepsElements,
        true,
        neverFails,
        deferring,
        knowsPlaces,
        eachAlone,
        recurring,
        inputMemory);
  }

  public Traits asNeverFailing() {
    return new Traits(
        checkpointing,
        oneToOne,
        keepsElements,
        shapesNothing,
        true,
        deferring,
        knowsPlaces,
        eachAlone,
        recurring,
        inputMemory);
  }

  /** Sets what it does about tensors that are not computed yet. */
  public Traits with(Deferring what) {
    return new Traits(
        checkpointing,
        oneToOne,
        keepsElements,
        shapesNothing,
        neverFails,
        what,
        knowsPlaces,
        eachAlone,
        recurring,
        inputMemory);
  }

  public Traits asKnowingPlaces() {
    return new Traits(
        checkpointing,
        oneToOne,
        keepsElements,
        shapesNothing,
        neverFails,
        deferring,
        true,
        eachAlone,
        recurring,
        inputMemory);
  }

  /** One element for one, each made by itself. */
  public Traits asTreatingEachAlone() {
    return new Traits(
        checkpointing,
        true,
        keepsElements,
        shapesNothing,
        neverFails,
        deferring,
        knowsPlaces,
        true,
        recurring,
        inputMemory);
  }

  /** Sets whether another pass gives the same. */
  public Traits with(Recurring how) {
    return new Traits(
        checkpointing,
        oneToOne,
        keepsElements,
        shapesNothing,
        neverFails,
        deferring,
        knowsPlaces,
        eachAlone,
        how,
        inputMemory);
  }

  /**
   * Sets where batches before it are best assembled. It gives their memory back by itself, so that
   * they may live in slabs whatever follows it.
   */
  public Traits withInputIn(SlabPool.Source memory) {
    return new Traits(
        checkpointing,
        oneToOne,
        keepsElements,
        shapesNothing,
        neverFails,
        deferring,
        knowsPlaces,
        eachAlone,
        recurring,
        memory);
  }
}
