package dev.headrace.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that shapes the elements of a plan and their order.
 *
 * @param structure one line for each operator, the last one first
 * @param functions names and hashes of the functions
 */
public record PlanIdentity(List<String> structure, List<String> functions) {

  /** A hash of all of it. */
  public String fingerprint() {
    List<String> all = new ArrayList<>(structure);
    all.addAll(functions);
    return FunctionIdentity.digest(all.toArray(String[]::new));
  }

  /** As part of the facts that a file tells of itself. */
  public Map<String, Object> toFacts() {
    return Map.of("structure", structure, "functions", functions);
  }

  /** Why the plan that a file tells of is another one; null if it is the same. */
  public @Nullable String differenceFrom(@Nullable Object facts) {
    if (!(facts instanceof Map<?, ?> map)
        || !(map.get("structure") instanceof List<?> oldStructure)
        || !(map.get("functions") instanceof List<?> oldFunctions)) {
      return "it does not tell its plan";
    }
    String operator = firstDifference("operator", oldStructure, structure);
    return operator == null ? firstDifference("function", oldFunctions, functions) : operator;
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
