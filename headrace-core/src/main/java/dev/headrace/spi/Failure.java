package dev.headrace.spi;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An error as an element: it keeps its place in order and is thrown once, when it is delivered; or
 * it is put aside then.
 *
 * @param path the operator that failed, as {@link Context#path()} names it
 * @param id the element it failed on, or null where the failure belongs to no element
 * @param terminal whether the pipeline cannot go on after it
 * @param place where it is put when its turn comes, or null if it is thrown
 */
public record Failure(
    String path, @Nullable Id id, Throwable cause, boolean terminal, @Nullable AsidePlace place) {

  /** A failure that is thrown. */
  public Failure(String path, @Nullable Id id, Throwable cause, boolean terminal) {
    this(path, id, cause, terminal, null);
  }

  /** The same failure, which is put aside when its turn comes. */
  public Failure aside(AsidePlace where) {
    return new Failure(path, id, cause, terminal, where);
  }

  /** Where failures go that are not thrown; called by the consumer's thread, in order. */
  public interface AsidePlace {
    void put(Failure failure, long epoch) throws IOException;
  }
}
