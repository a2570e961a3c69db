package dev.headrace.spi;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * How many operators of a plan may follow each other.
 *
 * <p>A plan is opened, pulled and saved by calls that go down from operator to operator, so that a
 * thread's stack must hold as many as the plan is deep. {@link #MOST} fits half a stack of 512 KB,
 * the smallest that is in use, even while nothing is compiled yet; the other half is left to the
 * functions of the user.
 */
public final class PlanDepth {
  /** The most operators on the way from the last one to a source. */
  public static final int MOST = 256;

  private PlanDepth() {}

  /**
   * Refuses a plan that is too deep, at the operator that was put on top.
   *
   * @throws IllegalArgumentException naming the operator and its line
   */
  public static void check(Op plan) {
    int depth = of(plan);
    if (depth > MOST) {
      throw new IllegalArgumentException(
          "%s: expected at most %d operators one after the other, but this is number %d; do several steps in one function, or join many datasets in one concatenate(…)"
              .formatted(plan.title(), MOST, depth));
    }
  }

  /** How many operators lie on the longest way from the last one to a source. */
  public static int of(Op plan) {
    int chain = 1;
    Op at = plan;
    List<Op> inputs = at.inputs();
    while (inputs.size() == 1) {
      at = inputs.getFirst();
      inputs = at.inputs();
      chain++;
    }
    return inputs.isEmpty() ? chain : chain - 1 + ofTree(at);
  }

  /** The same where ways part; each operator is looked at once, and no call is nested. */
  private static int ofTree(Op plan) {
    Map<Op, Integer> known = new IdentityHashMap<>();
    Deque<Op> open = new ArrayDeque<>(List.of(plan));
    while (!open.isEmpty()) {
      Op op = open.peek();
      int deepest = 0;
      boolean isKnown = true;
      for (Op input : op.inputs()) {
        Integer below = known.get(input);
        if (below == null) {
          open.push(input);
          isKnown = false;
        } else {
          deepest = Math.max(deepest, below);
        }
      }
      if (isKnown) {
        known.put(op, deepest + 1);
        open.pop();
      }
    }
    return known.getOrDefault(plan, 0);
  }
}
