package dev.headrace;

import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * What one of several consumers of a pipeline is given: see {@link Pipeline#split}.
 *
 * <p>Each {@link #iterator()} is the next epoch, which begins when all consumers are through with
 * the one before. An element is the consumer's until it asks for its next one.
 *
 * <p><b>Threading:</b> one thread a share.
 */
public final class Share<T> implements Iterable<T> {
  private final Splitter<T> splitter;
  private final int index;

  Share(Splitter<T> splitter, int index) {
    this.splitter = splitter;
    this.index = index;
  }

  /** Which of the shares this is, from 0. */
  public int index() {
    return index;
  }

  @Override
  public Iterator<T> iterator() {
    long epoch = splitter.startEpoch(index);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return splitter.hasNext(index, epoch);
      }

      @Override
      public T next() {
        if (!hasNext()) {
          throw new NoSuchElementException("share " + index + " has no more elements");
        }
        return splitter.next(index);
      }
    };
  }

  @Override
  public String toString() {
    return "share " + index + " of " + splitter.count();
  }
}
