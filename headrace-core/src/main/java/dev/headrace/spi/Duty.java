package dev.headrace.spi;

/** What an operator is there for, besides its elements: what a diagnosis has to know of it. */
public enum Duty {
  /** Nothing but its elements. */
  NONE,
  /** It reads ahead (prefetch). */
  READS_AHEAD,
  /** It keeps elements, or will if that helps, so that later passes need not make them (cache). */
  KEEPS,
  /** It opens a dataset for each element and reads it (flatMap, interleave). */
  OPENS,
  /** Its elements are on a device: it copies them there, or works on them there. */
  ON_DEVICE,
  /** Its elements are the names of files (listFiles). */
  LISTS_FILES
}
