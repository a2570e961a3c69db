package dev.headrace.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Elements, order, cardinality and errors are those that the tf.data runtime was recorded with. */
@Timeout(120)
class PipelinesGoldenTest {
  private static final GoldenPipelines OURS = new GoldenPipelines();
  private static final Map<String, GoldenCase> RECORDED = recorded();

  private static Map<String, GoldenCase> recorded() {
    Map<String, GoldenCase> cases = new LinkedHashMap<>();
    GoldenCase.all().forEach(golden -> cases.put(golden.name(), golden));
    return cases;
  }

  static Stream<GoldenCase> cases() {
    return RECORDED.values().stream().filter(c -> OURS.variants().containsKey(c.name()));
  }

  static Stream<GoldenCase> runnable() {
    return cases().filter(golden -> !golden.isRefused());
  }

  @Test
  void everyRecordedCaseIsRunOrLeftOutForAReason() {
    assertThat(RECORDED).hasSize(128);
    TreeSet<String> accounted = new TreeSet<>(OURS.absent().keySet());
    RECORDED.keySet().stream().filter(OURS.variants()::containsKey).forEach(accounted::add);
    accounted.addAll(OURS.valueCalls().keySet());
    assertThat(accounted).isEqualTo(new TreeSet<>(RECORDED.keySet()));
    assertThat(OURS.absent().keySet()).doesNotContainAnyElementsOf(OURS.variants().keySet());
    assertThat(cases()).hasSize(RECORDED.size() - OURS.absent().size() - OURS.valueCalls().size());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void givesWhatWasRecorded(GoldenCase golden) {
    for (Supplier<Dataset<?>> variant : variants(golden)) {
      if (golden.isRefused()) {
        assertThatThrownBy(variant::get)
            .satisfies(
                e -> assertThat(ErrorKind.of(e)).isEqualTo(GoldenPipelines.errorCode(golden)));
        continue;
      }
      Dataset<?> dataset = variant.get();
      assertThat(dataset.cardinality()).as(dataset.explain()).isEqualTo(golden.cardinality());
      assertThat(Outcomes.ofEpochs(dataset, golden.iterations().size()))
          .as(dataset.explain())
          .isEqualTo(golden.iterations());
      assertThat(ErrorKind.of(Outcomes.errors(dataset)))
          .as(dataset.explain())
          .isEqualTo(GoldenPipelines.errorCodes(golden));
    }
  }

  /** Without the filter that makes cardinalities comparable. */
  @Test
  void plainWindowsGiveWhatWasRecorded() {
    assertThat(OURS.plainWindows()).hasSize(6);
    OURS.plainWindows()
        .forEach(
            (name, dataset) ->
                assertThat(Outcomes.of(dataset.get()))
                    .as(name)
                    .isEqualTo(Objects.requireNonNull(RECORDED.get(name)).iterations().getFirst()));
  }

  @Test
  void callsGiveTheValuesThatWereRecorded() {
    OURS.valueCalls()
        .forEach(
            (name, call) ->
                assertThat(outcome(call))
                    .as(name)
                    .isEqualTo(outcome(Objects.requireNonNull(RECORDED.get(name)))));
  }

  private static String outcome(GoldenCase golden) {
    return golden.output().equals(Outcomes.ERROR)
        ? GoldenPipelines.errorCode(golden)
        : golden.output();
  }

  private static String outcome(Supplier<?> call) {
    try {
      return Outcomes.text(call.get());
    } catch (RuntimeException e) {
      return ErrorKind.of(e);
    }
  }

  @ParameterizedTest
  @MethodSource("runnable")
  void givesTheRestWhenResumedFromEveryPosition(GoldenCase golden) {
    List<Supplier<Dataset<?>>> variants = variants(golden);
    for (int i = 0; i < variants.size(); i++) {
      Dataset<?> dataset = variants.get(i).get();
      List<List<Checkpoint>> positions = checkpoints(dataset);
      Dataset<?> another = another(variants, i, positions.getFirst().getFirst());
      assertThat(positions).hasSize(golden.iterations().getFirst().size());
      for (int position = 0; position < positions.size(); position++) {
        for (Checkpoint checkpoint : positions.get(position)) {
          assertRest(golden, position, dataset, checkpoint);
        }
        assertRest(golden, position, another, positions.get(position).getLast());
      }
    }
  }

  /** The order of three repetitions is the order of three epochs, where nothing is fused. */
  @Test
  void epochsAreShuffledAsRepetitionsAre() {
    List<String> epochs = new ArrayList<>();
    for (List<String> epoch : Outcomes.ofEpochs(Dataset.range(10).shuffle(3, Seed.of(42)), 3)) {
      epochs.addAll(epoch.subList(0, epoch.size() - 1));
    }
    epochs.add(Outcomes.END);
    assertThat(epochs)
        .isEqualTo(
            Objects.requireNonNull(RECORDED.get("shuffle3_repeat_noopt")).iterations().getFirst());
  }

  private static List<Supplier<Dataset<?>>> variants(GoldenCase golden) {
    return Objects.requireNonNull(OURS.variants().get(golden.name()));
  }

  /** The next way to write the case that is the same plan with other threads or buffers. */
  private static Dataset<?> another(
      List<Supplier<Dataset<?>>> variants, int index, Checkpoint checkpoint) {
    for (int step = 1; step < variants.size(); step++) {
      Dataset<?> candidate = variants.get((index + step) % variants.size()).get();
      try (Pipeline<?> opened = candidate.open(checkpoint)) {
        assertThat(opened.epoch()).isEqualTo(-1);
        return candidate;
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageContaining("expected the plan it was taken from");
      }
    }
    return variants.get(index).get();
  }

  /** By position in the first epoch: before the next element was asked for, and after. */
  private static List<List<Checkpoint>> checkpoints(Dataset<?> dataset) {
    List<List<Checkpoint>> all = new ArrayList<>();
    try (Pipeline<?> pipeline = dataset.open()) {
      List<Checkpoint> here = new ArrayList<>();
      here.add(copy(pipeline.checkpoint()));
      Iterator<?> epoch = pipeline.iterator();
      for (; ; ) {
        here.add(copy(pipeline.checkpoint()));
        all.add(here);
        if (!epoch.hasNext()) {
          return all;
        }
        here.add(copy(pipeline.checkpoint()));
        try {
          epoch.next();
        } catch (PipelineException e) {
          if (e.isTerminal()) {
            return all;
          }
        }
        here = new ArrayList<>();
      }
    }
  }

  private static Checkpoint copy(Checkpoint checkpoint) {
    return Checkpoint.parse(checkpoint.toString());
  }

  private static void assertRest(
      GoldenCase golden, int position, Dataset<?> dataset, Checkpoint checkpoint) {
    List<List<String>> expected = new ArrayList<>(golden.iterations());
    List<String> first = expected.removeFirst();
    expected.addFirst(first.subList(position, first.size()));
    List<List<String>> actual = new ArrayList<>();
    try (Pipeline<?> pipeline = dataset.open(checkpoint)) {
      for (int epoch = 0; epoch < expected.size(); epoch++) {
        actual.add(Outcomes.of(pipeline.iterator()));
      }
    }
    assertThat(actual)
        .as(() -> "from position " + position + " of " + dataset.explain() + " at " + checkpoint)
        .isEqualTo(expected);
  }
}
