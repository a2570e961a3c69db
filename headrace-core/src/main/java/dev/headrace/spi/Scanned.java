package dev.headrace.spi;

import java.util.Objects;

/**
 * What a function of {@code scan} returns: the state for the next element, and this one's result.
 */
public record Scanned<S, R>(S state, R result) {

  public Scanned {
    Objects.requireNonNull(state, "scan: expected a state, but the function gave null");
    Objects.requireNonNull(result, "scan: expected a result, but the function gave null");
  }
}
