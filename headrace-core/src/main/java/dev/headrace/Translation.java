package dev.headrace;

import dev.headrace.optimize.Optimised;
import dev.headrace.profile.Advice;
import dev.headrace.profile.Diagnosis;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Advice about the plan that ran, in terms of the plan that the user wrote. */
final class Translation {
  private Translation() {}

  static Diagnosis toWritten(Diagnosis diagnosis, Optimised optimised) {
    List<Advice> advice = new ArrayList<>();
    for (Advice each : diagnosis.advice()) {
      Advice translated = toWritten(each, optimised);
      if (translated != null) {
        advice.add(translated);
      }
    }
    return diagnosis.withAdvice(advice);
  }

  static @Nullable Advice toWritten(Advice advice, Optimised optimised) {
    if (advice.key().isEmpty()) {
      return advice; // about the end of the plan
    }
    List<String> places = optimised.writtenPlaces(advice.key());
    if (places.isEmpty()) {
      // The user did not write it, so there is nothing to take out or for the engine to change.
      return advice.action() == Advice.Action.REMOVE ? null : advice.at("").forTheUser();
    }
    // A cache goes behind the last of several; threads are for all of them.
    boolean isAboutOne = advice.action() == Advice.Action.CACHE;
    return advice.at(isAboutOne ? places.getFirst() : String.join(",", places));
  }
}
