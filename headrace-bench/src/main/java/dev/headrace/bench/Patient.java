package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.TrainingStep;
import dev.headrace.profile.Advice;
import dev.headrace.profile.Verdict;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline with an illness that is known.
 *
 * @param illness what was done to it
 * @param dataset the pipeline, and {@code step} its training step
 * @param verdicts which of them are right
 * @param operator the name of the operator that the verdict must be about, if about any
 * @param mustFind a finding that must be among the others, if any
 * @param cures for changes that the engine cannot make itself: the pipeline with the change made
 */
record Patient(
    String illness,
    String name,
    Supplier<Dataset<?>> dataset,
    Supplier<TrainingStep<Object>> step,
    Set<Verdict.Kind> verdicts,
    @Nullable String operator,
    @Nullable String mustFind,
    Map<Advice.Action, Supplier<Dataset<?>>> cures) {

  static Patient of(
      String illness,
      String name,
      Supplier<Dataset<?>> dataset,
      Supplier<TrainingStep<Object>> step,
      Verdict.Kind verdict,
      @Nullable String operator) {
    return new Patient(illness, name, dataset, step, Set.of(verdict), operator, null, Map.of());
  }

  Patient curedBy(Advice.Action action, Supplier<Dataset<?>> cure) {
    Map<Advice.Action, Supplier<Dataset<?>>> all = new EnumMap<>(Advice.Action.class);
    all.putAll(cures);
    all.put(action, cure);
    return new Patient(illness, name, dataset, step, verdicts, operator, mustFind, all);
  }

  Patient alsoRight(Verdict.Kind... kinds) {
    Set<Verdict.Kind> all = new java.util.HashSet<>(verdicts);
    all.addAll(Set.of(kinds));
    return new Patient(illness, name, dataset, step, all, operator, mustFind, cures);
  }

  Patient mustFind(String rule) {
    return new Patient(illness, name, dataset, step, verdicts, operator, rule, cures);
  }
}
