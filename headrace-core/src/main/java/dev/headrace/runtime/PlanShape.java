package dev.headrace.runtime;

import dev.headrace.spi.Deferral;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A plan as text, for people.
 *
 * @param explained one line for each operator, indented
 * @param rewrites what the engine does otherwise than it was written, with the same result
 */
public record PlanShape(List<String> explained, List<String> rewrites) {

  /** Reads a plan. */
  public static PlanShape of(Op op) {
    return of(op, UnaryOperator.identity());
  }

  /**
   * Reads a plan that was rewritten.
   *
   * @param origins gives the user's operator that an operator carries out
   */
  public static PlanShape of(Op op, UnaryOperator<Op> origins) {
    List<String> explained = new ArrayList<>();
    walk(op, "", explained);
    List<String> rewrites = new ArrayList<>();
    rewrites(op, origins, rewrites);
    return new PlanShape(List.copyOf(explained), List.copyOf(rewrites));
  }

  private static void walk(Op op, String indent, List<String> explained) {
    String site = op.site().toString();
    String name = op.site().name();
    explained.add(
        indent
            + (indent.isEmpty() ? "" : "← ")
            + OpShape.of(op.getClass()).describe(op)
            + (name == null ? "" : " '" + name + "'")
            + (site.isEmpty() ? "" : "   (" + site + ")"));
    for (Op input : op.inputs()) {
      walk(input, indent + "  ", explained);
    }
  }

  /** The plan for people. */
  public String explain() {
    return String.join("\n", explained)
        + (rewrites.isEmpty() ? "" : "\nrewrites:\n  " + String.join("\n  ", rewrites));
  }

  private static void rewrites(Op op, UnaryOperator<Op> origins, List<String> into) {
    Deferring deferring = op.traits().deferring();
    if ((deferring == Deferring.PLACES || deferring == Deferring.CASTS) && !op.inputs().isEmpty()) {
      Op input = op.inputs().getFirst();
      for (Op maker : Deferral.makersOf(input)) {
        into.add(
            (deferring == Deferring.PLACES
                    ? "tensors that %s leaves deferred are computed straight into the memory of"
                        + " %s%s"
                    : "tensors that %s only casts, and makes larger, are cast by %s, after it has"
                        + " copied them%s")
                .formatted(
                    OpenContext.pathOf(origins.apply(maker)),
                    OpenContext.pathOf(op),
                    held(input, origins)));
      }
    }
    for (Op input : op.inputs()) { // no stream, in all that calls itself: plans are deep
      rewrites(input, origins, into);
    }
  }

  /** The operators between that hold elements, which then hold what is not yet computed. */
  private static String held(Op from, UnaryOperator<Op> origins) {
    StringBuilder text = new StringBuilder();
    for (Op at = from; at.traits().deferring() == Deferring.CARRIES; at = at.inputs().getFirst()) {
      boolean isWritten = origins.apply(at).getClass() == at.getClass();
      if (Deferral.isHeldBy(at) && isWritten) {
        text.append("; ")
            .append(OpenContext.pathOf(at))
            .append(" holds what they are computed from, where that is smaller");
      }
    }
    return text.toString();
  }

  /**
   * A number for an operator's place in the user's plan: how many shaping operators lie below it,
   * and which branches lead to it. Operators that shape nothing do not move it.
   */
  static long placeNumber(Op op, String branches) {
    return new Id(new Id(null, branches.hashCode()), shapingBelow(op)).mixed();
  }

  private static long shapingBelow(Op op) {
    long count = op.traits().shapesNothing() ? 0 : 1;
    for (Op input : op.inputs()) {
      count += shapingBelow(input);
    }
    return count;
  }
}
