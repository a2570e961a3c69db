package dev.headrace.data;

import java.util.List;
import java.util.stream.Collectors;

/** A slab pool was closed while batches were out; the message names each and its owner. */
public final class LeakException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  LeakException(List<Lease> leaked) {
    super(
        "slab pool: expected every batch back at close, but "
            + leaked.size()
            + (leaked.size() == 1 ? " is" : " are")
            + " still out: "
            + leaked.stream().map(Lease::toString).collect(Collectors.joining(", "))
            + "; give each back, or keep() it");
  }
}
