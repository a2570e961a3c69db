package dev.headrace.optimize;

import dev.headrace.spi.Op;
import org.jspecify.annotations.Nullable;

/**
 * One way to rewrite a plan so that it gives the same elements sooner.
 *
 * <p>The same means: elements, order, ids and errors, and the form of positions. A checkpoint of
 * the rewritten plan is one of the plan as it was written. So a rule may add, take out and move
 * operators whose position <i>is</i> their input's, and may replace others only by some with the
 * same positions.
 *
 * <p>What is added without being asked for is added with {@link
 * dev.headrace.spi.Parallelism#IF_IT_HELPS}: it costs nothing until it was measured to help.
 */
public interface Rule {

  /** A short name that stays the same; users turn the rule off by it. */
  String name();

  /** What it does and when, one sentence for {@code docs/inside/optimizer.md}. */
  String what();

  /**
   * The change to make at an operator, whose inputs were rewritten already, or null for none. It is
   * asked again and again, until no rule has anything to change.
   */
  @Nullable Change apply(Op op, Surroundings around);
}
