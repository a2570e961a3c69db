package dev.headrace.spi;

/**
 * What a parallel stage does to each chunk, in place.
 *
 * <p><b>Threading:</b> called by many workers at once, each with a chunk of its own.
 */
@FunctionalInterface
public interface Work {
  void run(Chunk chunk);
}
