package dev.headrace.op;

import dev.headrace.data.HeapLayout;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Which elements, by number, an operator holds; and which it held at an earlier time.
 *
 * <p>Time is counted in flushes, each of which lets some elements go. A {@link Moment} costs
 * nothing to take, and can be asked later, by another thread, while the ledger is written on.
 */
final class HeldLedger {
  /*
   * Pages hold, for a run of elements, the flush that let each go. An element was held after a
   * flush if its own came later, or not yet: what is written after a moment does not change the
   * answer for it. Pages without held elements are left out when there are too many of them, by
   * building a new chain of links; moments that were taken before keep the old one.
   */
  private static final int PAGE = 256;
  private static final int FEW_EMPTY = 8;
  private static final long HELD = Long.MAX_VALUE;

  private static final class Page {
    final long first;
    final AtomicLongArray flushes = new AtomicLongArray(PAGE); // 0: never held
    int live;

    Page(long first) {
      this.first = first;
    }
  }

  private static final class Link {
    final Page page;
    volatile @Nullable Link next;

    Link(Page page) {
      this.page = page;
    }
  }

  /** The ledger as it was after a flush. */
  static final class Moment {
    private final @Nullable Link from;
    private final long end;
    private final long flush;

    private Moment(@Nullable Link from, long end, long flush) {
      this.from = from;
      this.end = end;
      this.flush = flush;
    }

    /** The elements that were held, counted from {@code first}. */
    long[] heldSince(long first) {
      long[] held = new long[16];
      int count = 0;
      for (Link link = from; link != null && link.page.first < end; link = link.next) {
        Page page = link.page;
        for (int i = 0; i < PAGE && page.first + i < end; i++) {
          if (page.flushes.getOpaque(i) > flush) {
            held = count == held.length ? Arrays.copyOf(held, 2 * count) : held;
            held[count++] = page.first + i - first;
          }
        }
      }
      return Arrays.copyOf(held, count);
    }
  }

  private static final long PAGE_BYTES =
      HeapLayout.array(PAGE, 8)
          + HeapLayout.object(HeapLayout.REFERENCE)
          + HeapLayout.object(HeapLayout.REFERENCE + 12)
          + HeapLayout.object(2L * HeapLayout.REFERENCE);

  private @Nullable Link oldest;
  private @Nullable Link newest;
  private int empty;
  private int pages;
  private long flush;

  /** What the ledger takes on the heap. */
  long bytes() {
    return pages * PAGE_BYTES;
  }

  /** Notes that an element is held; numbers ascend. */
  void hold(long number) {
    Link last = newest;
    if (last == null || number >= last.page.first + PAGE) {
      last = new Link(new Page(number));
      append(last);
      pages++;
      empty++;
    }
    Page page = last.page;
    page.flushes.setOpaque((int) (number - page.first), HELD);
    if (page.live++ == 0) {
      empty--;
    }
  }

  private void append(Link link) {
    if (newest == null) {
      oldest = link;
    } else {
      newest.next = link;
    }
    newest = link;
  }

  /** Lets the first {@code count} of these elements go, which ascend and are held, as one flush. */
  void flush(long[] numbers, int count) {
    flush++;
    Link link = oldest;
    for (int i = 0; i < count; i++) {
      while (link != null && numbers[i] >= link.page.first + PAGE) {
        link = link.next;
      }
      if (link == null) {
        throw new IllegalStateException("expected element " + numbers[i] + " to be held");
      }
      Page page = link.page;
      page.flushes.setOpaque((int) (numbers[i] - page.first), flush);
      if (--page.live == 0) {
        empty++;
      }
    }
    if (empty > FEW_EMPTY && 2 * empty > pages) {
      leaveOutEmptyPages();
    }
  }

  private void leaveOutEmptyPages() {
    Link link = oldest;
    oldest = null;
    newest = null;
    empty = 0;
    pages = 0;
    for (; link != null; link = link.next) {
      if (link.page.live > 0) {
        append(new Link(link.page));
        pages++;
      }
    }
  }

  /** The first element that is held, or {@code end} if there is none. */
  long oldest(long end) {
    for (Link link = oldest; link != null; link = link.next) {
      Page page = link.page;
      for (int i = 0; page.live > 0 && i < PAGE; i++) {
        if (page.flushes.getOpaque(i) == HELD) {
          return page.first + i;
        }
      }
    }
    return end;
  }

  /** This ledger as it is now, of the elements below {@code end}. */
  Moment now(long end) {
    return new Moment(oldest, end, flush);
  }
}
