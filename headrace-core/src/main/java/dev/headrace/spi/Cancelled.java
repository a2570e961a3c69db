package dev.headrace.spi;

/**
 * Thrown through operators when the pipeline is closed or the thread that runs it is interrupted.
 */
public final class Cancelled extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final boolean placeIsKept;

  /** The pipeline was closed; or it was interrupted where it cannot just go on. */
  public Cancelled(String message) {
    this(message, false);
  }

  /**
   * The pipeline was closed or interrupted.
   *
   * @param placeIsKept whether every cursor it passes keeps its place, so that the next pull goes
   *     on exactly there
   */
  public Cancelled(String message, boolean placeIsKept) {
    super(message);
    this.placeIsKept = placeIsKept;
  }

  /** Whether the next pull can go on where this one stopped. */
  public boolean isPlaceKept() {
    return placeIsKept;
  }
}
