package dev.headrace.optimize;

import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.PureFunction;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * What a rule may know of an operator beside what lies below it.
 *
 * @param goals how the pipeline is to be run
 * @param above the operators that pull from it, nearest first, as they are before this change; to
 *     be read while the rule is asked
 * @param origins gives the user's operator that an operator of the plan carries out
 * @param recurs whether every pass over an operator of the plan gives the same elements in the same
 *     order
 * @param readsNothingAhead whether the user asked for that somewhere in the plan ({@code
 *     synchronous()}), so that no operator may be given threads that were not asked for
 */
public record Surroundings(
    Goals goals,
    List<Op> above,
    UnaryOperator<Op> origins,
    Predicate<Op> recurs,
    boolean readsNothingAhead) {

  public Surroundings {
    above = Collections.unmodifiableList(above); // a copy for each operator would cost its depth
  }

  /** Whether the consumer pulls from it. */
  public boolean isLast() {
    return above.isEmpty();
  }

  /** Whether an operator gives its results in the order of its input. */
  public boolean keepsOrder(Op op) {
    Order wish = OpShape.of(op.getClass()).part(op, Order.class).orElse(Order.ORDERED);
    return op.parallelism() == Parallelism.SEQUENTIAL || goals.keepsOrder(wish);
  }

  /**
   * Whether no one can tell how often the functions of an operator are called, and for which
   * elements: they were declared pure, are the library's, or all are assumed to be.
   */
  public boolean isPure(Op op) {
    return goals.assumePure() || PureFunction.areAllOf(op);
  }

  /** Whether the user wrote an operator; not, if it was added. */
  public boolean isWritten(Op op) {
    return written(op).getClass() == op.getClass();
  }

  /** The user's operator that an operator of the plan carries out. */
  public Op written(Op op) {
    return origins.apply(op);
  }
}
