package dev.headrace.data;

import java.util.ArrayList;
import java.util.List;

/**
 * How elements are sorted into buckets by their length, and batched within each.
 *
 * <p>Bucket <em>i</em> takes lengths from boundary <em>i − 1</em> to below boundary <em>i</em>; the
 * last one all that are longer.
 *
 * <pre>{@code
 * Buckets.below(32, 64, 128).batches(64, 32, 16, 8).padding(Padding.zeros().value(-1))
 * }</pre>
 *
 * @param boundaries of the lengths, ascending
 * @param batchSizes of the buckets, one more than boundaries
 * @param padsToBoundary whether the first dimension is filled up to the longest length a bucket
 *     takes instead of the longest in the batch, so that each bucket has one shape
 * @param pads whether elements are padded; otherwise those of a batch must be alike
 * @param dropsRemainder whether batches that are not full at the end are dropped
 */
public record Buckets(
    List<Integer> boundaries,
    List<Integer> batchSizes,
    boolean padsToBoundary,
    boolean pads,
    boolean dropsRemainder,
    Padding padding) {

  private static final String WORD = "bucketBySequenceLength";

  public Buckets {
    boundaries = List.copyOf(boundaries);
    batchSizes = List.copyOf(batchSizes);
    for (int i = 1; i < boundaries.size(); i++) {
      if (boundaries.get(i - 1) >= boundaries.get(i)) {
        throw new IllegalArgumentException(
            WORD + ": expected boundaries that ascend, but got " + boundaries);
      }
    }
    if (batchSizes.size() != boundaries.size() + 1) {
      throw new IllegalArgumentException(
          "%s: expected one batch size more than boundaries, but got %s for boundaries %s"
              .formatted(WORD, batchSizes, boundaries));
    }
    for (int size : batchSizes) {
      if (size < 1) {
        throw new IllegalArgumentException(
            WORD + ": expected batch sizes of at least 1, but got " + batchSizes);
      }
    }
    if (padsToBoundary && !pads) {
      throw new IllegalArgumentException(
          WORD + ": expected either padding to the boundary or none, but got both; leave one out");
    }
  }

  /** Buckets between these boundaries; say the {@link Boundaries#batches sizes of batches} next. */
  public static Boundaries below(int... boundaries) {
    return new Boundaries(boxed(boundaries));
  }

  /** Boundaries that have no batch sizes yet. */
  public record Boundaries(List<Integer> boundaries) {
    /** Batches of these sizes, one for each bucket: one more than boundaries. */
    public Buckets batches(int... sizes) {
      return new Buckets(boundaries, boxed(sizes), false, true, false, Padding.zeros());
    }
  }

  private static List<Integer> boxed(int[] numbers) {
    List<Integer> list = new ArrayList<>();
    for (int number : numbers) {
      list.add(number);
    }
    return List.copyOf(list);
  }

  /** Fills the first dimension of every leaf up to the boundary − 1, unless a shape fixes it. */
  public Buckets padToBoundary() {
    return new Buckets(boundaries, batchSizes, true, pads, dropsRemainder, padding);
  }

  /** Pads nothing: the elements of a batch must be alike. */
  public Buckets noPadding() {
    return new Buckets(boundaries, batchSizes, padsToBoundary, false, dropsRemainder, padding);
  }

  /** Drops batches that are not full at the end. */
  public Buckets dropRemainder() {
    return new Buckets(boundaries, batchSizes, padsToBoundary, pads, true, padding);
  }

  /** Pads in this way. */
  public Buckets padding(Padding newPadding) {
    return new Buckets(boundaries, batchSizes, padsToBoundary, pads, dropsRemainder, newPadding);
  }

  /** The bucket of a length. */
  public int bucketOf(long length) {
    int bucket = 0;
    while (bucket < boundaries.size() && length >= boundaries.get(bucket)) {
      bucket++;
    }
    return bucket;
  }
}
