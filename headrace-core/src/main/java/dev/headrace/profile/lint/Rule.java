package dev.headrace.profile.lint;

import dev.headrace.profile.Finding;
import dev.headrace.profile.Finding.Severity;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One thing the linter looks for.
 *
 * @param id a short name that stays the same
 * @param severity at most; a rule that is less sure says so in what it found
 * @param what the pattern, for the table in {@code docs/reference/linter.md}
 * @param why what is bad about it
 * @param instead what to write
 */
public record Rule(
    String id, Severity severity, String what, String why, String instead, Check check) {

  /** Looks at one operator and those around it. */
  @FunctionalInterface
  public interface Check {
    /** What was found at this operator, or null. */
    @Nullable Found at(Node node);
  }

  /**
   * What a rule found at an operator.
   *
   * @param severity null for the rule's own
   */
  public record Found(
      @Nullable Severity severity, String message, List<String> evidence, String advice) {

    static Found of(String message, List<String> evidence, String advice) {
      return new Found(null, message, evidence, advice);
    }

    /** The same, less grave than the rule's worst case. */
    Found as(Severity milder) {
      return new Found(milder, message, evidence, advice);
    }
  }

  /** Applies the rule to one operator. */
  public Optional<Finding> find(Node node) {
    Found found = check.at(node);
    if (found == null) {
      return Optional.empty();
    }
    Severity own = found.severity();
    return Optional.of(
        new Finding(
            own == null ? severity : own,
            id,
            node.title(),
            found.message(),
            found.evidence(),
            found.advice()));
  }
}
