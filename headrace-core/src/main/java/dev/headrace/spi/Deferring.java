package dev.headrace.spi;

/** What an operator does about tensors in its input's elements that are not computed yet. */
public enum Deferring {
  /** It needs them: they are computed where they were made. */
  NEEDS,
  /** It never looks into an element, and hands it on. */
  CARRIES,
  /** It gives them to a function, which may build on them and leave its result deferred, too. */
  COMPOSES,
  /** It gives them to a function, which may build on them, and computes the result. */
  COMPUTES,
  /**
   * It computes those that are larger casts of others where they are needed, and needs the rest.
   */
  CASTS,
  /** It computes each one straight into its place in the result. */
  PLACES
}
