package dev.headrace.spi;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An error as an element: it keeps its place in order and is thrown once, when it is delivered; or
 * it is put aside then.
 *
 * @param path the operator that failed, as {@link Context#path()} names it
 * @param id the element it failed on, or null where the failure belongs to no element
 * @param terminal whether the pipeline cannot go on after it
 * @param place where it is put when its turn comes, or null if it is thrown
 * @param others what else failed in the same place; told beside the cause, which may be an object
 *     that the user shares, and is never changed
 */
public record Failure(
    String path,
    @Nullable Id id,
    Throwable cause,
    boolean terminal,
    @Nullable AsidePlace place,
    List<Throwable> others) {

  public Failure {
    others = List.copyOf(others);
  }

  /** A failure that is thrown. */
  public Failure(String path, @Nullable Id id, Throwable cause, boolean terminal) {
    this(path, id, cause, terminal, null, List.of());
  }

  /** The same failure, which is put aside when its turn comes. */
  public Failure aside(AsidePlace where) {
    return new Failure(path, id, cause, terminal, where, others);
  }

  /** The same failure, which also tells of another one in its place. */
  public Failure with(Failure other) {
    Set<Throwable> all = Collections.newSetFromMap(new IdentityHashMap<>());
    all.add(cause);
    List<Throwable> told = new ArrayList<>();
    for (List<Throwable> some : List.of(others, List.of(other.cause), other.others)) {
      some.stream().filter(all::add).forEach(told::add);
    }
    return new Failure(path, id, cause, terminal, place, told);
  }

  /** Where failures go that are not thrown; called by the consumer's thread, in order. */
  public interface AsidePlace {
    void put(Failure failure, long epoch) throws IOException;
  }
}
