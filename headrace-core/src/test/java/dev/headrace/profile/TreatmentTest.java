package dev.headrace.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** What is told of changes of which some did not help. */
class TreatmentTest {
  private static final Offset<Double> EXACT = Offset.offset(1e-9);

  private static Diagnosis at(double rate, Advice... advice) {
    Profile profile =
        new Profile(
            10,
            (long) (10 * rate),
            0,
            10,
            1,
            new Profile.Consumer(1, 0, 1, 0, 0, new double[0], new double[0]),
            new Profile.Machine(2, 0, 1, 0, 0, 1, 1),
            new Profile.Memory(0, 0, 1, 0, 0, 1, 1),
            List.of(),
            List.of());
    Verdict verdict =
        new Verdict(Verdict.Kind.INPUT_BOUND, -1, "", "at " + rate, List.of(), 0.5, 0.5);
    return new Diagnosis(verdict, List.of(advice), List.of(), profile, "");
  }

  private static Advice advice(Advice.Action action) {
    return new Advice(action, 0, "0", "map", action.name(), "", 2, 1, "", 0, true, List.of());
  }

  private static Trial trial(Advice.Action action, Diagnosis before, Diagnosis after) {
    return new Trial(advice(action), before, after);
  }

  /** What did not help is not tried again until something else has helped. */
  @Test
  void theNextChangeIsTheFirstThatWasNotTriedInVain() {
    Advice threads = advice(Advice.Action.PARALLELISE);
    Advice prefetch = advice(Advice.Action.PREFETCH);
    Advice heap = advice(Advice.Action.ENLARGE_HEAP).forTheUser();
    Diagnosis start = at(100, heap, threads, prefetch);
    Treatment none = Treatment.of(start);
    assertThat(none.next()).contains(threads);

    Treatment one = none.with(new Trial(threads, start, at(90)));
    assertThat(one.next()).contains(prefetch);

    Diagnosis better = at(150, threads);
    Treatment two = one.with(new Trial(prefetch, start, better));
    assertThat(two.next()).contains(threads);
    assertThat(two.with(new Trial(threads, better, at(140))).next()).isEmpty();
  }

  @Test
  void eightChangesAreEnough() {
    Diagnosis same = at(100, advice(Advice.Action.PREFETCH));
    Treatment treatment = Treatment.of(same);
    for (int i = 0; i < 8; i++) {
      Advice next = treatment.next().orElseThrow();
      Diagnosis faster = at(200 << i, next);
      treatment = treatment.with(new Trial(next, treatment.after(), faster));
    }
    assertThat(treatment.next()).isEmpty();
  }

  @Test
  void whatWasTakenBackIsNotCounted() {
    Diagnosis start = at(100);
    Diagnosis better = at(130);
    Treatment treatment =
        new Treatment(
            start,
            List.of(
                trial(Advice.Action.CACHE, start, at(60)),
                trial(Advice.Action.PARALLELISE, start, better),
                trial(Advice.Action.PREFETCH, better, at(65))));

    assertThat(treatment.gain()).isCloseTo(1.3, EXACT);
    assertThat(treatment.after()).isEqualTo(better);
    assertThat(treatment.kept())
        .extracting(each -> each.advice().title())
        .containsExactly("PARALLELISE");
    assertThat(treatment.summary())
        .isEqualTo("1 of 3 changes helped and was kept; the others were taken back");
  }

  @Test
  void whereNothingHelpedAllIsAsBefore() {
    Diagnosis start = at(100);
    Treatment treatment =
        new Treatment(start, List.of(trial(Advice.Action.PARALLELISE, start, at(80))));
    assertThat(treatment.gain()).isEqualTo(1);
    assertThat(treatment.after()).isEqualTo(start);
    assertThat(treatment.summary()).isEqualTo("it did not help, and was taken back");
  }

  @Test
  void aChangeThatBringsNothingDoesNotHelpUnlessItTakesSomethingOut() {
    Diagnosis start = at(100);
    assertThat(trial(Advice.Action.PREFETCH, start, at(101)).helped()).isFalse();
    assertThat(trial(Advice.Action.REMOVE, start, at(99)).helped()).isTrue();
    assertThat(trial(Advice.Action.REMOVE, start, at(95)).helped()).isFalse();
  }
}
