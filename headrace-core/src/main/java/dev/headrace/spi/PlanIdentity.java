package dev.headrace.spi;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Everything that shapes the elements of a plan and their order.
 *
 * @param structure one line for each operator, the last one first
 * @param functions names and hashes of the functions
 * @param fingerprint a hash of all of it by content, as far as it can be read
 * @param missing what of it cannot be read, where and why; null if everything can
 */
public record PlanIdentity(
    List<String> structure, List<String> functions, String fingerprint, @Nullable String missing) {
  private static final int FINGERPRINT_DIGITS = 32;

  /**
   * The identity of a plan.
   *
   * @param deterministic what operators without a wish of their own do about order
   * @param known functions that were read before, by identity
   */
  public static PlanIdentity of(
      Op last, boolean deterministic, Map<Object, FunctionIdentity> known) {
    Map<Object, FunctionIdentity> read = new IdentityHashMap<>();
    List<String> structure = new ArrayList<>();
    List<String> functions = new ArrayList<>();
    ArrayDeque<At> left = new ArrayDeque<>();
    left.push(new At(last, 0));
    while (!left.isEmpty()) {
      At at = left.pop();
      Op op = at.op;
      boolean shapes = !op.traits().shapesNothing();
      if (shapes) {
        OpShape shape = OpShape.of(op.getClass());
        structure.add("  ".repeat(at.depth) + shape.structure(op, deterministic));
        for (Object function : shape.functions(op)) {
          if (op.site().version() != null) {
            functions.add("%s version %d".formatted(op.site().name(), op.site().version()));
          } else {
            FunctionIdentity itsOwn =
                known.containsKey(function)
                    ? known.get(function)
                    : read.computeIfAbsent(function, FunctionIdentity::of);
            read.put(function, itsOwn);
            functions.add(itsOwn.label() + " " + itsOwn.hash());
          }
        }
      }
      for (Op input : op.inputs().reversed()) {
        left.push(new At(input, shapes ? at.depth + 1 : at.depth));
      }
    }
    ContentIdentity content = ContentDigest.ofPlan(last, deterministic, read);
    return new PlanIdentity(
        List.copyOf(structure),
        List.copyOf(functions),
        content.hash().substring(0, FINGERPRINT_DIGITS),
        content.missing());
  }

  private record At(Op op, int depth) {}

  /** The functions of a plan that were read, for the identities of its parts. */
  public static Map<Object, FunctionIdentity> functionsOf(Op last) {
    Map<Object, FunctionIdentity> known = new IdentityHashMap<>();
    ArrayDeque<Op> left = new ArrayDeque<>();
    left.push(last);
    while (!left.isEmpty()) {
      Op op = left.pop();
      if (op.site().version() == null) {
        OpShape.of(op.getClass())
            .functions(op)
            .forEach(function -> known.computeIfAbsent(function, FunctionIdentity::of));
      }
      op.inputs().forEach(left::push);
    }
    return known;
  }

  /** The same functions, where those are read again that may have changed. */
  public static Map<Object, FunctionIdentity> readAgain(Map<Object, FunctionIdentity> known) {
    Map<Object, FunctionIdentity> now = new IdentityHashMap<>(known);
    now.replaceAll(
        (function, before) -> before.content().isFixed() ? before : FunctionIdentity.of(function));
    return now;
  }

  /** The same, under a fingerprint that no other run has. */
  public PlanIdentity ofThisRunOnly() {
    return new PlanIdentity(structure, functions, UUID.randomUUID().toString(), missing);
  }

  /** As part of the facts that a file tells of itself. */
  public Map<String, Object> toFacts() {
    return Map.of("structure", structure, "functions", functions, "fingerprint", fingerprint);
  }

  /** Why the plan that a file tells of is another one; null if it is the same. */
  public @Nullable String differenceFrom(@Nullable Object facts) {
    if (!(facts instanceof Map<?, ?> map)
        || !(map.get("structure") instanceof List<?> oldStructure)
        || !(map.get("functions") instanceof List<?> oldFunctions)
        || !(map.get("fingerprint") instanceof String oldFingerprint)) {
      return "it does not tell its plan";
    }
    if (oldFingerprint.equals(fingerprint)) {
      return null;
    }
    String operator = firstDifference("operator", oldStructure, structure);
    String function =
        operator == null ? firstDifference("function", oldFunctions, functions) : operator;
    return function == null ? "a value in it is another one" : function;
  }

  private static @Nullable String firstDifference(String what, List<?> was, List<String> is) {
    for (int i = 0; i < Math.max(was.size(), is.size()); i++) {
      String before = i < was.size() ? String.valueOf(was.get(i)).strip() : "none";
      String now = i < is.size() ? is.get(i).strip() : "none";
      if (!before.equals(now)) {
        return "%s %s is now %s".formatted(what, before, now);
      }
    }
    return null;
  }
}
