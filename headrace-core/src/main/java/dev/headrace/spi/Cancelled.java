package dev.headrace.spi;

/**
 * Thrown through operators when the pipeline is closed or the thread that runs it is interrupted.
 */
public final class Cancelled extends RuntimeException {
  private static final long serialVersionUID = 1;

  public Cancelled(String message) {
    super(message);
  }
}
