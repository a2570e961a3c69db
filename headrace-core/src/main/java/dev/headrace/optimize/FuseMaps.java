package dev.headrace.optimize;

import dev.headrace.op.FusedMapOp;
import dev.headrace.op.MapOp;
import dev.headrace.spi.Op;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes maps that follow each other one operator.
 *
 * <pre>
 * map(g, parallelism=if it helps) ← map(f, parallelism=if it helps) ← range
 *     becomes   map(f, g, parallelism=if it helps) ← range
 * </pre>
 *
 * <p>Not where numbers of threads were given: they are how many calls of each function may be in
 * flight, so that two maps with four have eight threads, and one has four. Not where each was given
 * AUTOTUNE: one that waits deserves many threads and one that computes a few, and in one operator
 * the many would compute, too, in everybody's way. Not where both have no threads: passing one
 * operator more costs nothing that could be measured, and each keeps a meter of its own.
 */
final class FuseMaps implements Rule {

  @Override
  public String name() {
    return "fuse-maps";
  }

  @Override
  public String what() {
    return "Makes maps that follow each other one operator, if both have threads that nobody asked"
        + " for.";
  }

  @Override
  public @Nullable Change apply(Op op, Surroundings around) {
    if (op.inputs().size() != 1) {
      return null;
    }
    Op before = op.inputs().getFirst();
    if (!mayBeFused(op) || !mayBeFused(before) || !runAlike(op, before, around)) {
      return null;
    }
    List<FusedMapOp.Part> parts = new ArrayList<>(partsOf(before, around));
    parts.addAll(partsOf(op, around));
    FusedMapOp one =
        new FusedMapOp(
            before.inputs().getFirst(), parts, op.parallelism(), Order.ORDERED, op.site());
    return new Change(
        one,
        Change.carrying(one, List.of(op, before)),
        "and " + before.title() + " become one",
        "elements are then handed from thread to thread once less");
  }

  private static boolean mayBeFused(Op op) {
    return (op instanceof MapOp || op instanceof FusedMapOp)
        && op.parallelism() == Parallelism.IF_IT_HELPS;
  }

  /**
   * Also as the user wrote them: what the one leaves deferred may then wait for the other, as in
   * the user's plan.
   */
  private static boolean runAlike(Op op, Op before, Surroundings around) {
    return around.written(op).parallelism() == around.written(before).parallelism();
  }

  private static List<FusedMapOp.Part> partsOf(Op op, Surroundings around) {
    return op instanceof FusedMapOp fused
        ? fused.parts()
        : List.of(partOf((MapOp) op, around, false));
  }

  /** A map as a part of one operator. */
  static FusedMapOp.Part partOf(MapOp map, Surroundings around, boolean computesAtOnce) {
    Op written = around.written(map);
    return new FusedMapOp.Part(map.function(), written.title(), written.route(), computesAtOnce);
  }
}
