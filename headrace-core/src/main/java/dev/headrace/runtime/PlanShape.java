package dev.headrace.runtime;

import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.PlanIdentity;
import java.util.ArrayList;
import java.util.List;

/**
 * A plan as text: for people, and as identity.
 *
 * @param structure one line for each operator that shapes elements or order, sources last
 * @param functions the identities of the functions, in the same order
 * @param explained one line for each operator, indented
 */
public record PlanShape(List<String> structure, List<String> functions, List<String> explained) {

  /**
   * Reads a plan.
   *
   * @param deterministic what operators without a wish of their own do about order
   */
  public static PlanShape of(Op op, boolean deterministic) {
    List<String> structure = new ArrayList<>();
    List<String> functions = new ArrayList<>();
    List<String> explained = new ArrayList<>();
    walk(op, deterministic, 0, "", structure, functions, explained);
    return new PlanShape(List.copyOf(structure), List.copyOf(functions), List.copyOf(explained));
  }

  private static void walk(
      Op op,
      boolean deterministic,
      int depth,
      String indent,
      List<String> structure,
      List<String> functions,
      List<String> explained) {
    OpShape shape = OpShape.of(op.getClass());
    String site = op.site().toString();
    String name = op.site().name();
    explained.add(
        indent
            + (indent.isEmpty() ? "" : "← ")
            + shape.describe(op)
            + (name == null ? "" : " '" + name + "'")
            + (site.isEmpty() ? "" : "   (" + site + ")"));
    boolean shapes = !op.traits().shapesNothing();
    if (shapes) {
      structure.add("  ".repeat(depth) + shape.structure(op, deterministic));
      shape.functions(op).forEach(f -> functions.add(f.label() + " " + f.hash()));
    }
    for (Op input : op.inputs()) {
      walk(
          input,
          deterministic,
          shapes ? depth + 1 : depth,
          indent + "  ",
          structure,
          functions,
          explained);
    }
  }

  /** The plan for people. */
  public String explain() {
    return String.join("\n", explained);
  }

  /** A hash of everything that shapes elements and order: functions and structure. */
  public String fingerprint() {
    return identity().fingerprint();
  }

  /** Everything that shapes elements and order. */
  public PlanIdentity identity() {
    return new PlanIdentity(structure, functions);
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
