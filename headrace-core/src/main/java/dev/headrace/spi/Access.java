package dev.headrace.spi;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The elements of an operator by their index, without reading those before.
 *
 * <p>An index counts places, so an element that fails has one too: {@link #at} throws there.
 *
 * <p><b>Threading:</b> {@link #at} may be called by several threads at once.
 */
public interface Access extends AutoCloseable {
  /** How many elements there are. */
  long size();

  /** The element at {@code index}, which is from 0 to below {@link #size}. */
  Object at(long index) throws Exception;

  /** What must be the same for an index to mean the same element, where that may change: files. */
  default String fingerprint() {
    return "";
  }

  @Override
  default void close() {}

  /** Finds an element by its index. */
  @FunctionalInterface
  interface Lookup {
    Object at(long index) throws Exception;
  }

  /** The access of an operator to its elements through its inputs', which it owns. */
  static Access over(List<Access> inputs, LongSupplier size, Lookup lookup) {
    return new Access() {
      @Override
      public long size() {
        return size.getAsLong();
      }

      @Override
      public Object at(long index) throws Exception {
        return lookup.at(index);
      }

      @Override
      public String fingerprint() {
        return inputs.stream().map(Access::fingerprint).collect(Collectors.joining());
      }

      @Override
      public void close() {
        inputs.forEach(Access::close);
      }
    };
  }
}
