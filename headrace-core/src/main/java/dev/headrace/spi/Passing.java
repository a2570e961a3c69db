package dev.headrace.spi;

/** What becomes of the elements of its inputs in an operator. */
public enum Passing {
  /** Nothing is promised. */
  UNKNOWN,
  /** All pass as they are, each once and in order (prefetch, cache). */
  ALL,
  /** All pass as they are, each once, in another order (shuffle). */
  REORDERED,
  /** Some pass as they are, none twice and in order; it ends when its input ends (filter). */
  SOME,
  /** The first ones pass as they are; it may end before its input (take). */
  FIRST,
  /** All pass as they are, again and again (repeat). */
  REPEATED,
  /** Each of its elements is put together from several; it ends when its input ends (batch). */
  GROUPED,
  /** Each becomes none, one or several others; it ends when its input ends (flatMap). */
  EXPANDED
}
