package dev.headrace.tune;

/**
 * What was found good for the threads and the buffer of one operator; it outlives epochs.
 *
 * @param isEngaged whether threads were found to help where the user did not ask for them
 * @param workers how many, or 0 where nothing is known
 * @param buffer how many elements to hold, or 0 where nothing is known
 */
public record Tuned(boolean isEngaged, int workers, boolean onVirtualThreads, int buffer) {
  /** Nothing is known. */
  public static final Tuned UNKNOWN = new Tuned(false, 0, false, 0);

  /** The same with or without threads that the user did not ask for. */
  public Tuned engaged(boolean helps) {
    return new Tuned(helps, workers, onVirtualThreads, buffer);
  }

  /** The same with another number or kind of workers. */
  public Tuned withWorkers(int count, boolean virtual) {
    return new Tuned(isEngaged, count, virtual, buffer);
  }

  /** The same with another buffer. */
  public Tuned withBuffer(int elements) {
    return new Tuned(isEngaged, workers, onVirtualThreads, elements);
  }
}
