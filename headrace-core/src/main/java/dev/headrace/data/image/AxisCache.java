package dev.headrace.data.image;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The weights of the axes used lately, so that images of common sizes do not compute them again.
 *
 * <p>A fixed number of places, each for whatever was stored there last.
 *
 * <p><b>Threading:</b> any number of threads; two may compute the same weights at once.
 */
final class AxisCache {
  private static final int PLACES = 256;

  /** Longer axes are rare, and would make the cache large. */
  private static final int MOST_OUTPUTS = 4096;

  /** So are those that shrink by much: all together they stay below 64 MB. */
  private static final int MOST_WEIGHTS = 1 << 16;

  private static final AtomicReferenceArray<@Nullable Entry> ENTRIES =
      new AtomicReferenceArray<>(PLACES);

  /** A negative stride stands for the reversed order, none for weights without one. */
  private record Entry(Axis axis, int stride, Object weights) {}

  private AxisCache() {}

  /** The weights of a linear axis, its inputs multiplied by {@code stride}. */
  static Lerp lerp(Axis axis, int stride) {
    return (Lerp) entry(axis, stride, () -> Lerp.of(axis, stride)).weights;
  }

  /** The same, from the last output to the first. */
  static Lerp reversedLerp(Axis axis, int stride) {
    return (Lerp) entry(axis, -stride, () -> Lerp.of(axis, stride).reversed()).weights;
  }

  /** The weights of any axis. */
  static Taps taps(Axis axis) {
    return (Taps) entry(axis, 0, () -> Taps.of(axis)).weights;
  }

  private static Entry entry(Axis axis, int stride, Supplier<Object> weights) {
    int hash = axis.hashCode() * 31 + stride;
    int place = (hash ^ hash >>> 16) & PLACES - 1;
    Entry known = ENTRIES.get(place);
    if (known != null && known.stride == stride && known.axis.equals(axis)) {
      return known;
    }
    Entry made = new Entry(axis, stride, weights.get());
    boolean isLarge = made.weights instanceof Taps taps && taps.weights().length > MOST_WEIGHTS;
    if (axis.outputs() <= MOST_OUTPUTS && !isLarge) {
      ENTRIES.set(place, made);
    }
    return made;
  }
}
