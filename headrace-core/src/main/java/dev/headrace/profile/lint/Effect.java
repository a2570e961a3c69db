package dev.headrace.profile.lint;

import dev.headrace.spi.Collator;
import dev.headrace.spi.Op;
import dev.headrace.spi.Recurring;
import dev.headrace.spi.Traits;
import java.util.EnumSet;
import java.util.Set;

/**
 * One thing that an operator does to the elements on their way, as its traits say.
 *
 * <p>A rule names the effects that are harmless between the two operators that it is about, and
 * looks through every operator that has no other ({@link Node#behind}). {@code prefetch} has none,
 * so every rule looks through it.
 */
enum Effect {
  /** Each element becomes another one. */
  CHANGES,
  /** A function of the user is called for each element. */
  COMPUTES,
  /** Some elements are dropped. */
  DROPS,
  /** It ends before its input does. */
  ENDS,
  /** Elements come in another order. */
  REORDERS,
  /** Elements come more than once in a pass. */
  REPEATS,
  /** Several elements become one. */
  GROUPS,
  /** One element becomes several, or none. */
  EXPANDS,
  /** What the first pass gave is kept for the others. */
  HOLDS,
  /** Each pass gives something else. */
  VARIES,
  /** Its traits do not say what it does. */
  UNKNOWN;

  static Set<Effect> of(Op op) {
    Traits traits = op.traits();
    Set<Effect> effects = EnumSet.noneOf(Effect.class);
    switch (traits.passing()) {
      case ALL -> {}
      case REORDERED -> effects.add(REORDERS);
      case SOME -> effects.add(DROPS);
      case FIRST -> {
        effects.add(DROPS);
        effects.add(ENDS);
      }
      case REPEATED -> effects.add(REPEATS);
      case GROUPED -> effects.add(GROUPS);
      case EXPANDED -> effects.add(EXPANDS);
      case UNKNOWN -> effects.add(traits.oneToOne() ? CHANGES : UNKNOWN);
    }
    if (callsFunction(op)) {
      effects.add(COMPUTES);
    }
    if (Node.isCache(op) || traits.recurring() == Recurring.HOLDS) {
      effects.add(HOLDS);
    }
    if (traits.recurring() == Recurring.VARIES) {
      effects.add(VARIES);
    }
    return effects;
  }

  /** Whether it calls a function of the user for each element; collators work on whole batches. */
  private static boolean callsFunction(Op op) {
    return op.calledFunctions().stream().anyMatch(function -> !(function instanceof Collator));
  }
}
