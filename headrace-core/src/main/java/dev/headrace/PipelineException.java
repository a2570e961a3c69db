package dev.headrace;

import dev.headrace.data.VisibleText;
import dev.headrace.spi.Causes;
import org.jspecify.annotations.Nullable;

/** Says which operator failed on which element, and why. */
public final class PipelineException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String path;
  private final @Nullable String element;
  private final long epoch;
  private final boolean terminal;

  PipelineException(
      String path, @Nullable String element, long epoch, Throwable cause, boolean terminal) {
    super(
        VisibleText.of(
            path
                + (element == null ? "" : ": element " + element)
                + " of epoch "
                + epoch
                + (terminal ? " failed, and the pipeline cannot go on: " : " failed: ")
                + Causes.textOf(cause)),
        cause);
    this.path = path;
    this.element = element;
    this.epoch = epoch;
    this.terminal = terminal;
  }

  /** The operator that failed, with the operators it pulls from. */
  public String path() {
    return path;
  }

  /** The id of the element that failed; null where no single element is to blame. */
  public @Nullable String element() {
    return element;
  }

  public long epoch() {
    return epoch;
  }

  /** Whether the pipeline cannot go on, so that every later call throws this again. */
  public boolean isTerminal() {
    return terminal;
  }
}
