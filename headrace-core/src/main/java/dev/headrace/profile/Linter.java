package dev.headrace.profile;

import dev.headrace.profile.lint.BatchRules;
import dev.headrace.profile.lint.CacheRules;
import dev.headrace.profile.lint.FileRules;
import dev.headrace.profile.lint.FunctionRules;
import dev.headrace.profile.lint.MemoryRules;
import dev.headrace.profile.lint.MixingRules;
import dev.headrace.profile.lint.Node;
import dev.headrace.profile.lint.PrefetchRules;
import dev.headrace.profile.lint.Rule;
import dev.headrace.profile.lint.ShardRules;
import dev.headrace.profile.lint.ShuffleRules;
import dev.headrace.spi.Op;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds mistakes in a plan without running it.
 *
 * <p>A rule speaks only where a pattern does harm whatever the functions do; a finding for a
 * harmless pattern is a bug. {@code docs/reference/linter.md} has all rules.
 */
public final class Linter {
  /** All rules; findings of the same severity come in this order. */
  static final List<Rule> RULES =
      Stream.of(
              CacheRules.ALL,
              ShuffleRules.ALL,
              ShardRules.ALL,
              MixingRules.ALL,
              BatchRules.ALL,
              MemoryRules.ALL,
              PrefetchRules.ALL,
              FunctionRules.ALL,
              FileRules.ALL)
          .flatMap(List::stream)
          .toList();

  private Linter() {}

  /** The name of each rule, and the pattern that it looks for. */
  public static Map<String, String> rules() {
    Map<String, String> rules = new LinkedHashMap<>();
    RULES.forEach(rule -> rules.put(rule.id(), rule.what()));
    return rules;
  }

  /**
   * What is wrong with a plan, the most serious first, and from the last operator to the sources.
   */
  public static List<Finding> lint(Op plan, LintSettings settings) {
    Node last = new Node(plan, null, settings);
    Set<Finding> findings = new LinkedHashSet<>(); // a plan may hold an operator twice
    for (Rule rule : RULES) {
      Stream.concat(Stream.of(last), last.below())
          .forEach(node -> rule.find(node).ifPresent(findings::add));
    }
    return findings.stream().sorted(Comparator.comparing(Finding::severity)).toList();
  }
}
