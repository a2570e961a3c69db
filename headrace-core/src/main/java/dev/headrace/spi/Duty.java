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
  /** It copies to a device (prefetchToDevice). */
  COPIES,
  /** Its elements are the names of files (listFiles). */
  LISTS_FILES
}
