package dev.headrace.op;

import dev.headrace.data.Account;
import dev.headrace.data.Plural;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The places of one pipeline where elements could be kept in memory, and which of them do.
 *
 * <p>All of them keep their first elements until it is known what an element takes there and what
 * it costs to make one. Then the last place of the plan at which all of them fit keeps its
 * elements, and those before it let go of theirs.
 *
 * <p><b>Threading:</b> guarded by itself; makes no calls to others while locked, so that memory can
 * be asked back from anywhere. <b>Ownership:</b> owns the kept elements and what was reserved for
 * them.
 */
final class KeepingPlaces implements Account.SpareHolder, AutoCloseable {
  /** What others leave free is shared by halves: read-ahead and shuffles may need more later. */
  private static final int SHARE = 2;

  /** What keeping an element costs: its entry, and the collector that has to look at its memory. */
  private static final double KEEPING_NS = 1000;

  private static final double KEEPING_NS_PER_BYTE = 0.5;

  /** Below this, no one would notice that a pass need not make its elements. */
  private static final double LEAST_PASS_NS = 10e6;

  private static final int ID_BYTES = 8;

  private final Account heap;
  private final List<Place> places = new ArrayList<>();
  private long held;

  KeepingPlaces(Account heap) {
    this.heap = heap;
    heap.addSpareHolder(this);
  }

  /** Takes up a place for the elements of {@code input}. */
  synchronized Place add(Op input) {
    Place place = new Place(input);
    places.add(place);
    return place;
  }

  @Override
  public synchronized void giveBack(long bytes) {
    long before = held;
    for (Place place : places) {
      if (before - held >= bytes) {
        return;
      }
      place.giveUp("no longer kept in memory: what others hold needed it");
    }
  }

  @Override
  public synchronized long spareBytes() {
    return held;
  }

  @Override
  public synchronized void close() {
    places.forEach(Place::letGo);
    heap.removeSpareHolder(this);
  }

  /** How many bytes may be held in all. */
  private long allowance() {
    return Math.max(0, (heap.limitBytes() - (heap.usedBytes() - held)) / SHARE);
  }

  private boolean reserve(long bytes) {
    if (held + bytes > allowance() || !heap.tryReserveSpare(bytes)) {
      return false;
    }
    held += bytes;
    return true;
  }

  /** Whether it pays to keep elements that take so much memory and so long to make. */
  static boolean isWorth(double makingNs, double bytes, long elements) {
    return makingNs >= KEEPING_NS + KEEPING_NS_PER_BYTE * bytes
        && makingNs * elements >= LEAST_PASS_NS;
  }

  /** One place of the plan. */
  final class Place {
    private enum Standing {
      /** It may come to keep its elements. */
      OPEN,
      /** It keeps them, as soon as it has all. */
      CHOSEN,
      /** It will not keep any. */
      OUT
    }

    private final Op input;
    private Standing standing = Standing.OPEN;
    private @Nullable KeptElements growing;
    private @Nullable KeptElements whole;
    private @Nullable Context context;

    /** How many elements a pass has, once one came to its end; negative before. */
    private long counted = Op.UNKNOWN;

    private Place(Op input) {
      this.input = input;
    }

    // ---- filling --------------------------------------------------------------------------------

    /** What a pass that begins may add its elements to; null if they are not wanted. */
    @Nullable KeptElements begin(Context itsContext) {
      synchronized (KeepingPlaces.this) {
        if (standing == Standing.OUT || growing != null || whole != null) {
          return null;
        }
        for (Place other : places) {
          if (other.standing == Standing.CHOSEN && other.isAfter(this)) {
            return null;
          }
        }
        context = itsContext;
        growing = new KeptElements(itsContext.prefix());
        return growing;
      }
    }

    /** Adds elements; false if they are no longer wanted, or do not fit. */
    boolean add(KeptElements to, Chunk chunk, long itsBytes, @Nullable State before) {
      synchronized (KeepingPlaces.this) {
        if (to.isDropped()) {
          return false;
        }
        long bytes = itsBytes + (long) chunk.size() * ID_BYTES;
        if (!reserve(bytes) && !reserveInsteadOfThoseBefore(bytes, to)) {
          if (isWaitedFor()) {
            letGo(); // one after it may still fit
          } else {
            giveUp(
                tooLarge(
                    Math.max(expectedBytes(to), to.bytes + bytes),
                    Math.max(expected(), to.size())));
          }
          return false;
        }
        to.bytes += bytes;
        to.add(chunk, before);
        return true;
      }
    }

    /**
     * Decides with what is known so far.
     *
     * @param makingNs what it takes to make an element; infinite where they are kept anyway
     * @return whether elements are still wanted
     */
    boolean judge(KeptElements so, double makingNs) {
      synchronized (KeepingPlaces.this) {
        return judge(so, makingNs, expected() < 0 ? Long.MAX_VALUE : expected());
      }
    }

    private boolean judge(KeptElements so, double makingNs, long elements) {
      if (so.isDropped()) {
        return false;
      }
      double bytes = (double) so.bytes / Math.max(1, so.size());
      if (!isWorth(makingNs, bytes, elements)) {
        giveUp(
            "not kept in memory: making an element takes %s, and keeping them would hardly save more than it costs"
                .formatted(time(makingNs)));
        return false;
      }
      if (expectedBytes(so) > allowance()) {
        giveUp(tooLarge(expectedBytes(so), Math.max(expected(), so.size())));
        return false;
      }
      if (!isWaitedFor()) {
        standing = Standing.CHOSEN;
        letGoBefore();
        remark(
            "keeps the elements of %s in memory for later epochs%s"
                .formatted(name(), made(makingNs)));
      }
      return true;
    }

    /** Keeps what a pass has added, which is all there is. */
    void finish(KeptElements all, boolean sawEnd, double makingNs) {
      synchronized (KeepingPlaces.this) {
        counted = all.isDropped() ? counted : all.size();
        if (all.size() == 0) {
          abandon(all);
          return;
        }
        if (!judge(all, makingNs, all.size())) {
          return;
        }
        all.isAll = sawEnd;
        whole = all;
        growing = null;
        remark(
            "keeps %s (%s) of %s in memory, so that later epochs need not make them again%s"
                .formatted(
                    Plural.of(all.size(), "element"), bytes(all.bytes), name(), made(makingNs)));
      }
    }

    /**
     * Takes note of a pass that came to its end.
     *
     * @param added what it has added, if anything
     */
    void cameToItsEnd(long elements, @Nullable KeptElements added) {
      synchronized (KeepingPlaces.this) {
        counted = elements;
        if (added != null && added.size() == elements) {
          added.isAll = true;
        }
      }
    }

    /** Whether a pass has come to its end. */
    boolean hasSeenPass() {
      synchronized (KeepingPlaces.this) {
        return counted >= 0;
      }
    }

    /** Whether {@link #add} has a use for the input's position. */
    boolean wantsPosition(KeptElements growing) {
      synchronized (KeepingPlaces.this) {
        return growing.wantsPosition();
      }
    }

    /** Forgets what a pass has added that will not go on. */
    void abandon(KeptElements broken) {
      synchronized (KeepingPlaces.this) {
        if (growing == broken) {
          letGo();
        }
      }
    }

    /** Forgets everything, for good. */
    void giveUp(String why) {
      synchronized (KeepingPlaces.this) {
        if (standing != Standing.OUT) {
          standing = Standing.OUT;
          remark(why);
        }
        letGo();
      }
    }

    boolean isOut() {
      synchronized (KeepingPlaces.this) {
        return standing == Standing.OUT;
      }
    }

    // ---- giving ---------------------------------------------------------------------------------

    /** The elements of a pass, if they are here. */
    @Nullable KeptElements whole() {
      synchronized (KeepingPlaces.this) {
        return whole;
      }
    }

    /** Gives some elements, or none if there are no more; false if they are gone. */
    boolean give(KeptElements from, Chunk out, long at, int most, @Nullable Id under) {
      synchronized (KeepingPlaces.this) {
        if (from.isDropped()) {
          return false;
        }
        from.give(out, at, most, under);
        return !out.isEmpty() || from.isAll;
      }
    }

    /** The input's position at a place; by skipping from its start if the elements are gone. */
    State position(KeptElements in, long at, State start) {
      synchronized (KeepingPlaces.this) {
        return in.position(at, start);
      }
    }

    // ---- under the lock -------------------------------------------------------------------------

    private void letGo() {
      drop(growing);
      drop(whole);
      growing = null;
      whole = null;
    }

    private void drop(@Nullable KeptElements kept) {
      if (kept != null) {
        heap.release(kept.bytes);
        held -= kept.bytes;
        kept.drop();
      }
    }

    /** Has others let go for this one, if it fits then. */
    private boolean reserveInsteadOfThoseBefore(long bytes, KeptElements to) {
      long theirs = 0;
      for (Place other : places) {
        theirs += isAfter(other) ? other.heldBytes() : 0;
      }
      if (isWaitedFor()
          || theirs == 0
          || held - theirs + bytes > allowance()
          || expectedBytes(to) > allowance()) {
        return false;
      }
      letGoBefore();
      return reserve(bytes);
    }

    private long heldBytes() {
      return (growing == null ? 0 : growing.bytes) + (whole == null ? 0 : whole.bytes);
    }

    /** Makes places whose elements this one's are made from let go. */
    private void letGoBefore() {
      for (Place other : places) {
        if (isAfter(other) && (other.growing != null || other.whole != null)) {
          other.letGo();
          other.remark("not kept here: what is made of its elements is, after " + name());
        }
      }
    }

    /** Whether a place after this one may still come to keep its elements instead. */
    private boolean isWaitedFor() {
      for (Place other : places) {
        if (other.growing != null && other.isAfter(this)) {
          return true;
        }
      }
      return false;
    }

    /** Whether the elements here are made from those at another place. */
    private boolean isAfter(Place other) {
      return input != other.input && isBelow(other.input, input);
    }

    private static boolean isBelow(Op wanted, Op at) {
      return at == wanted || at.anyInput(below -> isBelow(wanted, below));
    }

    /** How many elements a pass has, or a negative number. */
    private long expected() {
      return input.cardinality() >= 0 ? input.cardinality() : counted;
    }

    private long expectedBytes(KeptElements so) {
      double each = (double) so.bytes / Math.max(1, so.size());
      return Math.round(each * Math.max(expected(), so.size()));
    }

    // ---- words ----------------------------------------------------------------------------------

    private void remark(String text) {
      if (context != null) {
        context.remark(text);
      }
    }

    private String name() {
      return context == null ? input.title() : context.pathOfInput(input);
    }

    private String tooLarge(long bytes, long elements) {
      return "not kept in memory: %s%s %s about %s, and there is room for %s (half of what is free of the heap budget of %s)"
          .formatted(
              expected() < 0 ? "more than " : "",
              Plural.of(elements, "element"),
              elements == 1 ? "takes" : "take",
              bytes(bytes),
              bytes(allowance()),
              bytes(heap.limitBytes()));
    }

    private static String made(double makingNs) {
      return Double.isInfinite(makingNs) ? "" : ": making one takes " + time(makingNs);
    }
  }

  private static String bytes(double bytes) {
    return scaled(bytes, "bytes", "kB", "MB", "GB", "TB");
  }

  private static String time(double ns) {
    return scaled(ns, "ns", "µs", "ms", "s");
  }

  private static String scaled(double value, String... units) {
    int unit = 0;
    double scaled = value;
    while (scaled >= 1000 && unit + 1 < units.length) {
      scaled /= 1000;
      unit++;
    }
    return String.format(
        Locale.ROOT, scaled < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", scaled, units[unit]);
  }
}
