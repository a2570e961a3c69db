package dev.headrace.spi;

/** How {@code pack} puts sequences of different lengths into rows of one length. */
public enum Packing {
  /** Whole sequences; each goes into the first open row that has room for it. */
  FIRST_FIT,
  /** Whole sequences; each goes into the open row that it leaves the least room in. */
  BEST_FIT,
  /** One sequence after the other without a gap, cut wherever a row is full. */
  CONCAT_SPLIT
}
