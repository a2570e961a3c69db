package dev.headrace.optimize;

import dev.headrace.spi.Order;
import java.util.Set;

/**
 * What the optimizer has to know of how a pipeline is to be run.
 *
 * @param mayRewrite whether anything may be changed at all
 * @param assumePure whether every function may be called by any thread, in any order
 * @param deterministic what operators without a wish of their own do about order
 * @param epochs how many will be read; 0 where that is not known
 * @param rulesOff the names of rules that are not to be applied
 */
public record Goals(
    boolean mayRewrite,
    boolean assumePure,
    boolean deterministic,
    long epochs,
    Set<String> rulesOff) {

  /** Of a pipeline nothing is known of. */
  public static final Goals USUAL = new Goals(true, false, true, 0, Set.of());

  /** Whether an operator with such a wish gives its elements in order. */
  public boolean keepsOrder(Order wish) {
    return wish == Order.ORDERED || (wish == Order.DEFAULT && deterministic);
  }

  /** The same with every function said to be pure. */
  public Goals assumingPure() {
    return new Goals(mayRewrite, true, deterministic, epochs, rulesOff);
  }

  /** The same without some rules. */
  public Goals without(Set<String> rules) {
    return new Goals(mayRewrite, assumePure, deterministic, epochs, rules);
  }

  /** The same for so many epochs. */
  public Goals ofEpochs(long count) {
    return new Goals(mayRewrite, assumePure, deterministic, count, rulesOff);
  }
}
