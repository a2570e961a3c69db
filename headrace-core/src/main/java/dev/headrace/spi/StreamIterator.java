package dev.headrace.spi;

import java.util.Iterator;
import java.util.stream.Stream;

/** An iterator over a stream that can be closed. */
final class StreamIterator<T> implements Iterator<T>, AutoCloseable {
  private final Stream<T> stream;
  private final Iterator<T> elements;

  StreamIterator(Stream<T> stream) {
    this.stream = stream;
    this.elements = stream.iterator();
  }

  @Override
  public boolean hasNext() {
    return elements.hasNext();
  }

  @Override
  public T next() {
    return elements.next();
  }

  @Override
  public void close() {
    stream.close();
  }
}
