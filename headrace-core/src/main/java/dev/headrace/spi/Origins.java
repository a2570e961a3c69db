package dev.headrace.spi;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * What the operators of a plan that was rewritten were in the plan the user wrote.
 *
 * <p>Everything that must not depend on rewriting asks for the user's operator: the place that
 * random operators draw by, the identity that caches on disk are kept under, when deferred tensors
 * are computed, what an advice speaks of.
 */
public final class Origins {
  /** Of a plan that is run as it was written. */
  public static final Origins AS_WRITTEN = new Origins(Map.of());

  private final Map<Op, Op> written = new IdentityHashMap<>();

  /**
   * Makes them.
   *
   * @param written for each operator that the user did not write the user's one whose elements it
   *     gives; by identity
   */
  public Origins(Map<Op, Op> written) {
    this.written.putAll(written);
  }

  /**
   * The operator of the user's plan that gives the same elements in the same order; {@code op}
   * itself where the user wrote it.
   */
  public Op of(Op op) {
    return written.getOrDefault(op, op);
  }
}
