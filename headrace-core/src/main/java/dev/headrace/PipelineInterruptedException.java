package dev.headrace;

/**
 * Says that the consumer's thread was interrupted while it waited for an element. Nothing is lost:
 * once the interruption is cleared, the next call gives that element.
 */
public final class PipelineInterruptedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PipelineInterruptedException(String message) {
    super("pipeline: " + message);
  }
}
