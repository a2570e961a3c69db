package dev.headrace.spi;

/**
 * The elements of an operator by their index, without reading those before.
 *
 * <p><b>Threading:</b> {@link #at} may be called by several threads at once.
 */
public interface Access extends AutoCloseable {
  /** How many elements there are. */
  long size();

  /** The element at {@code index}, which is from 0 to below {@link #size}. */
  Object at(long index) throws Exception;

  @Override
  default void close() {}
}
