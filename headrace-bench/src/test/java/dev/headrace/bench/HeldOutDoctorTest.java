package dev.headrace.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headrace.bench.HeldOutRecipe.Part;
import dev.headrace.bench.HeldOutRecipe.Verb;
import dev.headrace.bench.HeldOutWork.Kind;
import dev.headrace.bench.HeldOutWork.Spread;
import dev.headrace.profile.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The held-out pipelines and how they are judged; whether the diagnosis is right is measured. */
@Timeout(60)
final class HeldOutDoctorTest {
  private static HeldOutWork work(Kind kind, Spread spread) {
    return new HeldOutWork(kind, spread, 500, 0, 0, 7);
  }

  /** A serial computing map, a parallel sleeping one, and a consumer. */
  private static HeldOutRecipe recipe() {
    return new HeldOutRecipe(
        1,
        List.of(
            Part.of(Verb.RANGE, 0),
            new Part(Verb.MAP, work(Kind.COMPUTES, Spread.CONSTANT), 0, 0),
            new Part(Verb.MAP, work(Kind.SLEEPS, Spread.CONSTANT), 0, 4)),
        100,
        false,
        0);
  }

  private static boolean isRight(Verdict.Kind kind, String where, Map<String, Double> gains) {
    Verdict verdict = new Verdict(kind, 1, where, "", List.of(), 0.5, 0.5);
    return HeldOutTrial.isRight(recipe(), verdict, gains);
  }

  @Test
  void theSameSeedMakesTheSamePipelinesAndSetsDiffer() throws IOException {
    List<String> firsts = new ArrayList<>();
    for (long seed : HeldOutPatients.seeds().values()) {
      List<HeldOutRecipe> made = new HeldOutPatients(seed).make(90);
      assertThat(made).isEqualTo(new HeldOutPatients(seed).make(90));
      firsts.add(made.toString());
    }
    assertThat(firsts).hasSizeGreaterThan(3).doesNotHaveDuplicates();
    assertThat(HeldOutDoctor.seedSets()).startsWith(1, 2, 3);
  }

  @Test
  void pipelinesAreOfManyKinds() {
    List<HeldOutRecipe> made = new HeldOutPatients(3).make(300);
    List<Part> parts = made.stream().flatMap(each -> each.parts().stream()).toList();

    assertThat(parts.stream().map(Part::verb).collect(Collectors.toSet()))
        .isEqualTo(EnumSet.allOf(Verb.class));
    assertThat(parts.stream().map(part -> part.work().kind()).collect(Collectors.toSet()))
        .isEqualTo(EnumSet.allOf(Kind.class));
    assertThat(parts.stream().map(part -> part.work().spread()).collect(Collectors.toSet()))
        .isEqualTo(EnumSet.allOf(Spread.class));
    assertThat(parts).anyMatch(part -> part.work().locks());
    assertThat(parts).anyMatch(part -> part.work().bytes() > 0);
    assertThat(made).anyMatch(HeldOutRecipe::stepComputes).anyMatch(each -> each.step() == 0);
    assertThat(made).allSatisfy(each -> assertThat(each.suspects()).isNotEmpty());
  }

  @Test
  void everySpreadHasTheSameMean() {
    for (Spread spread : Spread.values()) {
      HeldOutWork work = work(Kind.COMPUTES, spread);
      assertThat(LongStream.range(0, 64_000).mapToDouble(work::factor).average().orElse(0))
          .as(spread.toString())
          .isCloseTo(1, within(0.05));
    }
  }

  @Test
  void leavingOutACostLeavesTheElements() {
    Burn burn = Burn.calibrated();
    for (HeldOutRecipe recipe : new HeldOutPatients(5).make(5)) {
      List<String> expected = firstOf(recipe, burn);
      for (String suspect : recipe.suspects()) {
        HeldOutRecipe without = recipe.without(suspect);
        assertThat(without.suspects()).isEqualTo(other(recipe.suspects(), suspect));
        assertThat(firstOf(without, burn)).as(recipe.toString()).isEqualTo(expected);
      }
    }
  }

  private static List<String> firstOf(HeldOutRecipe recipe, Burn burn) {
    return recipe.dataset(burn).take(3).toList().stream().map(Object::toString).toList();
  }

  private static List<String> other(List<String> suspects, String suspect) {
    return suspects.stream().filter(each -> !each.equals(suspect)).toList();
  }

  /** One of the elements takes ten times as long as the others; one run got further than it. */
  @Test
  void runsAreComparedOverTheElementsThatBothGotTo() {
    long[] slow = LongStream.range(0, 60).map(i -> 100 * i + (i >= 40 ? 900 : 0)).toArray();
    long[] quick = LongStream.range(0, 80).map(i -> 50 * i + (i >= 40 ? 450 : 0)).toArray();
    HeldOutTrial.Run base = new HeldOutTrial.Run(slow, 10);
    HeldOutTrial.Run twice = new HeldOutTrial.Run(quick, 35);
    assertThat(twice.gainOver(base)).isCloseTo(2, within(1e-9));
    assertThat(twice.gainOver(base, base)).isCloseTo(2, within(1e-9));

    long[] far = LongStream.range(0, 400).map(i -> 10 * i).toArray();
    HeldOutTrial.Run apart = new HeldOutTrial.Run(far, 200);
    assertThat(apart.gainOver(new HeldOutTrial.Run(slow, 41))).isCloseTo(10, within(1e-9));
  }

  @Test
  void aVerdictIsRightWhereLeavingOutItsSuspectGainsAsMuchAsAny() {
    Map<String, Double> gains = Map.of("part1", 2.0, "part2", 1.1, "consumer", 1.2);

    assertThat(isRight(Verdict.Kind.SERIAL_BOUND, "map 'part1' (X.java:1)", gains)).isTrue();
    assertThat(isRight(Verdict.Kind.INPUT_BOUND, "map 'part2' (X.java:1)", gains)).isFalse();
    assertThat(isRight(Verdict.Kind.CONSUMER_BOUND, "the training step", gains)).isFalse();
    assertThat(isRight(Verdict.Kind.BALANCED, "", gains)).isFalse();
    assertThat(isRight(Verdict.Kind.STARTUP_BOUND, "", gains)).isFalse();

    Map<String, Double> close = Map.of("part1", 1.6, "part2", 1.05, "consumer", 1.5);
    assertThat(isRight(Verdict.Kind.SERIAL_BOUND, "map 'part1' (X.java:1)", close)).isTrue();
    assertThat(isRight(Verdict.Kind.CONSUMER_BOUND, "the training step", close)).isTrue();
    assertThat(isRight(Verdict.Kind.BALANCED, "", close)).isTrue();
  }

  @Test
  void workersAreNotCalledSerialAndBuffersMustHelp() {
    Map<String, Double> gains = Map.of("part1", 1.0, "part2", 3.0, "consumer", 1.0);

    assertThat(isRight(Verdict.Kind.INPUT_BOUND, "map 'part2' (X.java:1)", gains)).isTrue();
    assertThat(isRight(Verdict.Kind.SERIAL_BOUND, "map 'part2' (X.java:1)", gains)).isFalse();
    assertThat(isRight(Verdict.Kind.BUFFER_BOUND, "prefetch 'part3'", gains)).isFalse();
    assertThat(isRight(Verdict.Kind.BUFFER_BOUND, "prefetch", Map.of("part2", 3.0, "buffers", 1.3)))
        .isTrue();
  }

  @Test
  void aTrialTellsWhatWasSaidAndWhatWasMeasured() throws Exception {
    HeldOutTrial trial = HeldOutTrial.of(recipe(), Burn.calibrated(), 0.1);

    assertThat(trial.gains().keySet()).isEqualTo(new HashSet<>(recipe().suspects()));
    assertThat(trial.gains().values()).allMatch(gain -> gain > 0);
    assertThat(trial.line())
        .matches("(right|WRONG|unknown): .*; without part1 .* part2 .* consumer .*");
  }

  @Test
  void rowsCountOnlyWhatIsKnown() {
    List<Row> rows =
        HeldOutDoctor.rows(
            List.of(
                new HeldOutTrial(recipe(), "", Map.of(), true, 2, 1.6, 1.1),
                new HeldOutTrial(recipe(), "", Map.of(), false, 1, Double.NaN, 1.2),
                new HeldOutTrial(recipe(), "", Map.of(), false, 9, 1, 1.9)));

    assertThat(rows)
        .extracting(Row::name)
        .containsExactly(
            "held out: right verdicts of 2",
            "held out: prediction off by, median of 1",
            "held out: prediction off by, P90 of 1");
    assertThat(rows).extracting(row -> row.ours().median()).containsExactly(50.0, 25.0, 25.0);
  }
}
