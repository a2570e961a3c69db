package dev.headrace.spi;

/**
 * What the engine and the optimizer may know of an operator without knowing which one it is.
 *
 * @param checkpointing how its position is described
 * @param oneToOne whether it gives exactly one element for each of its input, in order
 * @param keepsElements whether its elements are its input's own, untouched and none held back for
 *     later use, so that a batch before it may still live in a slab
 * @param shapesNothing whether elements and order would be the same without it (prefetch)
 */
public record Traits(
    Checkpointing checkpointing, boolean oneToOne, boolean keepsElements, boolean shapesNothing) {

  /** A plain operator: position costs nothing, nothing else is promised. */
  public static final Traits PLAIN = new Traits(Checkpointing.CURSOR, false, false, false);

  public Traits with(Checkpointing how) {
    return new Traits(how, oneToOne, keepsElements, shapesNothing);
  }

  public Traits asOneToOne() {
    return new Traits(checkpointing, true, keepsElements, shapesNothing);
  }

  public Traits asKeepingElements() {
    return new Traits(checkpointing, oneToOne, true, shapesNothing);
  }

  public Traits asShapingNothing() {
    return new Traits(checkpointing, oneToOne, keepsElements, true);
  }
}
