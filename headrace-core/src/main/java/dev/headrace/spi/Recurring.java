package dev.headrace.spi;

import java.util.function.Predicate;

/** How what an operator gives in one pass compares to what it gives in another one. */
public enum Recurring {
  /** It is the same, if that of its inputs is. */
  FOLLOWS,
  /** Other elements, or another order: it draws again, or nothing promises that it comes again. */
  VARIES,
  /** It is the same even if that of its inputs is not: what the first pass gave is held. */
  HOLDS;

  /**
   * Whether every pass over a plan gives the same elements in the same order, provided that its
   * functions are pure. Plans that functions return are not known to it.
   *
   * @param keepsOrder whether an operator with such a wish gives its elements in order
   */
  public static boolean isTheSameInEveryPass(Op plan, Predicate<Order> keepsOrder) {
    return isTheSameInEveryPass(plan, keepsOrder, input -> isTheSameInEveryPass(input, keepsOrder));
  }

  /**
   * As {@link #isTheSameInEveryPass(Op, Predicate)}, where that is known of its inputs.
   *
   * @param recurs whether it is so of an input
   */
  public static boolean isTheSameInEveryPass(
      Op plan, Predicate<Order> keepsOrder, Predicate<Op> recurs) {
    return switch (plan.traits().recurring()) {
      case VARIES -> false;
      case HOLDS -> true;
      case FOLLOWS ->
          OpShape.of(plan.getClass()).part(plan, Order.class).filter(keepsOrder.negate()).isEmpty()
              && !plan.anyInput(recurs.negate());
    };
  }

  /** Whether an operator of the plan holds what its first pass gave, so that others are cheaper. */
  public static boolean isHeldIn(Op plan) {
    return plan.traits().recurring() == HOLDS || plan.anyInput(Recurring::isHeldIn);
  }
}
