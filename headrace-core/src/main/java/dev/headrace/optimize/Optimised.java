package dev.headrace.optimize;

import dev.headrace.spi.Op;
import dev.headrace.spi.Origins;
import java.util.List;
import java.util.Map;

/**
 * A plan as it is run, and how it came from the one that the user wrote.
 *
 * @param plan what is run
 * @param origins the user's operators that its operators carry out
 * @param rewrites what was changed, in the order in which it was
 * @param places for each place of {@code plan} ("0" the last operator, "0.1" its second input) the
 *     places in the user's plan that it carries out: several where some became one, none where it
 *     was added
 */
public record Optimised(
    Op plan, Origins origins, List<Rewrite> rewrites, Map<String, List<String>> places) {

  public Optimised {
    rewrites = List.copyOf(rewrites);
    places = Map.copyOf(places);
  }

  /** A plan that is run as it was written. */
  public static Optimised asWritten(Op plan) {
    return new Optimised(plan, Origins.AS_WRITTEN, List.of(), Map.of());
  }

  public boolean isAsWritten() {
    return rewrites.isEmpty();
  }

  /** The places in the user's plan that a place of the plan that is run carries out. */
  public List<String> writtenPlaces(String place) {
    return isAsWritten() ? List.of(place) : places.getOrDefault(place, List.of());
  }
}
