package dev.headrace.op;

import dev.headrace.spi.Identified;
import dev.headrace.spi.Spill;
import dev.headrace.spi.Weighed;
import java.util.AbstractList;
import java.util.Collections;
import java.util.List;
import java.util.RandomAccess;

/**
 * Elements some of which are on disk, and are read each time they are asked for.
 *
 * <p><b>Threading:</b> safe. <b>Ownership:</b> of the operator that put them there; closing it
 * gives their places back.
 */
final class ItemsOnDisk extends AbstractList<Object> implements RandomAccess, Weighed, Identified {
  private final String word;
  private final List<Object> items;
  private final Spill spill;
  private boolean closed;

  /** Reads elements, or what stands for them. */
  ItemsOnDisk(String word, List<Object> items, Spill spill) {
    this.word = word;
    this.items = items;
    this.spill = spill;
  }

  @Override
  public synchronized Object get(int index) {
    if (closed) {
      throw new IllegalStateException(
          ("%s: expected a window to be read before all that was made of it was given, but it was"
                  + " read later, and a part of it was on disk; make a list of it in the function,"
                  + " or set options.spill(false)")
              .formatted(word));
    }
    Object item = items.get(index);
    return item instanceof OnDisk at ? spill.read(at.address()) : item;
  }

  @Override
  public int size() {
    return items.size();
  }

  /** How many may be read at once, of so many that are asked for. */
  int atOnce(int max) {
    return spill.atOnce(max);
  }

  @Override
  public Object identity() {
    return Collections.unmodifiableList(this); // the elements, one after another
  }

  @Override
  public long heapBytes() {
    return 0; // on its operator's account
  }

  synchronized void close() {
    closed = true;
    for (Object item : items) {
      if (item instanceof OnDisk at) {
        spill.free(at.address());
      }
    }
  }
}
