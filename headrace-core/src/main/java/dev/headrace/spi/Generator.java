package dev.headrace.spi;

import java.util.Iterator;
import java.util.stream.Stream;

/**
 * A function of the user that begins a pass over elements of its own making: {@code list::iterator}
 * or {@code () -> new RowsOfADatabase(…)}. It is called once for each pass. An iterator that is
 * {@link AutoCloseable} is closed when it ends, or when the pipeline is closed before.
 */
@FunctionalInterface
public interface Generator<T> extends UserFunction {
  Iterator<? extends T> iterator() throws Exception;

  /** An iterator over a stream, which closes the stream: {@code () -> over(Files.lines(file))}. */
  static <T> Iterator<T> over(Stream<T> stream) {
    return new StreamIterator<>(stream);
  }
}
