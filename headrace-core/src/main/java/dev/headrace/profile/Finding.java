package dev.headrace.profile;

import java.util.List;

/**
 * One line of a diagnosis or of the linter: what was found, what speaks for it, what to do.
 *
 * @param rule a short name that stays the same, to look it up or to leave it out
 * @param operator the operator with its name and line, as users see it
 * @param message what was found, in one sentence that needs no knowledge of the engine
 * @param evidence the numbers under it, a line each
 * @param advice the change to make
 */
public record Finding(
    Severity severity,
    String rule,
    String operator,
    String message,
    List<String> evidence,
    String advice) {

  public Finding {
    evidence = List.copyOf(evidence);
  }

  /** How much it matters. */
  public enum Severity {
    /** It costs time or gives other results than meant. */
    PROBLEM,
    /** Probably not meant. */
    HINT,
    /** Good to know. */
    NOTE
  }
}
