package dev.headrace.spi;

/**
 * A function that gives the same result for the same element, no matter which thread calls it and
 * when, and has no other visible effect. The engine may call it on several threads at once, call it
 * for elements that are never asked for, and keep what it returned.
 *
 * <p>The library's own functions are; a function of the user is if it says so, see {@link PureFn}.
 */
public interface PureFunction extends UserFunction {

  /**
   * Whether every function that an operator calls is known to be pure, so that no one can tell how
   * often it was called, and for which elements.
   */
  static boolean areAllOf(Op op) {
    return op.calledFunctions().stream().allMatch(PureFunction.class::isInstance);
  }
}
