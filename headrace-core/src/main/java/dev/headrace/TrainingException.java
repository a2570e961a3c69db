package dev.headrace;

import org.jspecify.annotations.Nullable;

/** Says at which step of which epoch a training failed, and why. */
public final class TrainingException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long epoch;
  private final long step;

  TrainingException(String message, long epoch, long step, @Nullable Throwable cause) {
    super(message, cause);
    this.epoch = epoch;
    this.step = step;
  }

  /** The epoch, from 0. */
  public long epoch() {
    return epoch;
  }

  /** The step, from 1, counted over all epochs and from before a resumption on. */
  public long step() {
    return step;
  }
}
