package dev.headrace.spi;

/**
 * What a parallel stage does to each chunk, in place.
 *
 * <p><b>Threading:</b> called by many workers at once, each with a chunk of its own.
 */
@FunctionalInterface
public interface Work {
  /**
   * Works on a chunk. Work that gives one element for one may stop early when it takes longer than
   * expected, so that what is done can be handed on.
   *
   * @param mayStop whether stopping early is allowed
   * @return how many elements were worked on; all of them unless it stopped
   */
  int run(Chunk chunk, boolean mayStop);
}
