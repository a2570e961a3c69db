package dev.headrace.optimize;

/**
 * One change that was made to a plan, for {@code explain()}.
 *
 * @param rule the name of the rule that made it
 * @param where the user's operator it was made at, with its line
 * @param what was done, in plain words
 * @param why that is faster, or at least not slower
 */
public record Rewrite(String rule, String where, String what, String why) {

  /** {@code prefetch-last: batch (Train.java:9) is read ahead, because …}. */
  @Override
  public String toString() {
    return "%s: %s %s, because %s".formatted(rule, where, what, why);
  }
}
