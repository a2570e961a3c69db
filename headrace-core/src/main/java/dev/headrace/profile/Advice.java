package dev.headrace.profile;

import java.util.List;

/**
 * One change to a pipeline or around it, and what it would bring.
 *
 * @param action what kind of change
 * @param operator the index of the operator to change, −1 for the end of the pipeline
 * @param key the place of that operator in the plan that the user wrote; several, with commas,
 *     where the engine runs several as one; empty for the end, and where the user did not write it
 * @param where that operator with its line
 * @param title the change in a few words
 * @param code what to write
 * @param speedup how many times as fast the whole would be, as predicted
 * @param rate elements a second, as predicted
 * @param next what would limit then
 * @param bytes of memory it would cost, negative for memory it gives back
 * @param isApplicable whether the engine can make the change itself, to try it
 * @param why the reasoning, a line each
 */
public record Advice(
    Action action,
    int operator,
    String key,
    String where,
    String title,
    String code,
    double speedup,
    double rate,
    String next,
    long bytes,
    boolean isApplicable,
    List<String> why) {

  /** What a buffer that is too small is enlarged to. */
  public static final int LARGER_BUFFER = 64;

  public Advice {
    why = List.copyOf(why);
  }

  /** The same, about another place. */
  public Advice at(String place) {
    return new Advice(
        action, operator, place, where, title, code, speedup, rate, next, bytes, isApplicable, why);
  }

  /** The same, as something that the engine cannot do itself. */
  public Advice forTheUser() {
    return new Advice(
        action, operator, key, where, title, code, speedup, rate, next, bytes, false, why);
  }

  /** The kinds of changes. */
  public enum Action {
    /** Run a function on several elements at once. */
    PARALLELISE,
    /** Read ahead at the end of the pipeline. */
    PREFETCH,
    /** A larger buffer. */
    ENLARGE_BUFFER,
    /** Keep elements in memory after the first epoch. */
    CACHE,
    /** Read several files at once. */
    READ_IN_PARALLEL,
    /** Fewer, larger files. */
    PACK_FILES,
    /** Datasets of the same size and speed, where they take turns. */
    EVEN_OUT,
    /** Copy from pinned memory, beside the training step. */
    PIN,
    /** Copy ahead of the training step. */
    PREFETCH_TO_DEVICE,
    /** A larger heap, or less garbage. */
    ENLARGE_HEAP,
    /** Take out what gains nothing. */
    REMOVE
  }
}
