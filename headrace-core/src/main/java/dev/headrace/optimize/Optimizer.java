package dev.headrace.optimize;

import dev.headrace.spi.Op;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Rewrites plans by an ordered list of rules, from the sources upwards, until none has anything to
 * change.
 *
 * <p>{@code docs/inside/optimizer.md} has all rules with examples.
 */
public final class Optimizer {
  /*
   * The order matters. What takes operators out or moves them comes first, so that those that
   * become neighbours by it are seen as such; threads are given before maps are fused, because only
   * maps with the same threads are; and what is read ahead, or kept, is decided about the operators
   * that are left.
   */
  private static final List<Rule> RULES =
      List.of(
          new RemoveNoOps(),
          new LimitEarly(),
          new FilterFirst(),
          new Vectorise(),
          new Parallelise(),
          new FuseMaps(),
          new KeepElements(),
          new PrefetchBeforeWaiting(),
          new PrefetchLast());

  private Optimizer() {}

  /** The name of each rule and what it does, in the order in which they are applied. */
  public static Map<String, String> rules() {
    Map<String, String> rules = new LinkedHashMap<>();
    RULES.forEach(rule -> rules.put(rule.name(), rule.what()));
    return rules;
  }

  /** Refuses names that are none of a rule's. */
  public static void checkNames(Set<String> names) {
    Set<String> unknown = new TreeSet<>(names);
    unknown.removeAll(rules().keySet());
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "withoutRules: expected names of rules, but got %s; the rules are %s"
              .formatted(String.join(", ", unknown), String.join(", ", rules().keySet())));
    }
  }

  /** The plan to run instead of the one that the user wrote. */
  public static Optimised optimise(Op plan, Goals goals) {
    List<Rule> rules =
        RULES.stream().filter(rule -> !goals.rulesOff().contains(rule.name())).toList();
    return optimise(plan, goals, rules);
  }

  static Optimised optimise(Op plan, Goals goals, List<Rule> rules) {
    return goals.mayRewrite() ? new Rewriting(plan, goals).run(rules) : Optimised.asWritten(plan);
  }
}
