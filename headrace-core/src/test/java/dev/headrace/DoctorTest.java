package dev.headrace;

import static dev.headrace.Dataset.pure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.optimize.Goals;
import dev.headrace.optimize.Optimised;
import dev.headrace.optimize.Optimizer;
import dev.headrace.profile.Advice;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Trial;
import dev.headrace.spi.Collator;
import dev.headrace.testing.NoLeftovers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(NoLeftovers.class)
class DoctorTest {
  private static Dataset<?> slow() {
    return Dataset.range(100_000)
        .map(
            x -> {
              Thread.sleep(3);
              return x;
            })
        .named("slow")
        .batch(4, Collator.stack());
  }

  @Test
  void findsTheOnlyOperatorThatTakesTime() throws Exception {
    Diagnosis diagnosis = Doctor.of(slow()).seconds(1.5).examine();
    assertThat(diagnosis.verdict().where()).contains("map 'slow' (DoctorTest.java:");
    assertThat(diagnosis.advice().getFirst().action()).isEqualTo(Advice.Action.PARALLELISE);
    assertThat(diagnosis.profile().operators()).hasSize(3);
    assertThat(diagnosis.toString()).contains("What to change:", "AUTOTUNE");
  }

  @Test
  void makesTheChangeAndMeasuresAgain() throws Exception {
    Trial trial = Doctor.of(slow()).seconds(1.5).treat().orElseThrow();
    assertThat(trial.advice().action()).isEqualTo(Advice.Action.PARALLELISE);
    assertThat(trial.after().plan()).contains("parallelism=AUTOTUNE");
    assertThat(trial.measured()).isGreaterThan(1); // sleeps overlap
    assertThat(trial.helped()).isTrue();
  }

  @Test
  void manySmallFilesAreToBePacked(@TempDir Path folder) throws Exception {
    for (int i = 0; i < 20; i++) {
      Files.write(folder.resolve("file-" + i), new byte[2_000]);
    }
    Dataset<byte[]> files =
        Dataset.listFiles(folder + "/*")
            .repeat()
            .map(
                file -> {
                  Thread.sleep(2);
                  return Files.readAllBytes(file);
                });
    Diagnosis diagnosis = Doctor.of(files).seconds(0.4).examine();
    assertThat(diagnosis.advice())
        .anySatisfy(
            advice -> {
              assertThat(advice.action()).isEqualTo(Advice.Action.PACK_FILES);
              assertThat(advice.isApplicable()).isFalse();
              assertThat(advice.code()).contains("writeTfRecords");
            });
  }

  @Test
  void changesThePlanOnlyWhereItIsAdvised() {
    Dataset<Long> dataset =
        Dataset.range(10).map(x -> x + 1).prefetch(3).map(x -> x * 2).options(o -> o.asWritten());
    assertThat(dataset.with(advice(Advice.Action.PREFETCH, "", true)).explain())
        .startsWith("prefetch(buffer=AUTOTUNE)");
    assertThat(dataset.with(advice(Advice.Action.PARALLELISE, "0.0.0", true)).explain().lines())
        .filteredOn(line -> line.contains("AUTOTUNE"))
        .singleElement()
        .asString()
        .startsWith("    ← map");
    assertThat(dataset.with(advice(Advice.Action.CACHE, "0.0.0", true)).explain())
        .contains("cache()");
    assertThat(dataset.with(advice(Advice.Action.REMOVE, "0.0", true)).explain())
        .doesNotContain("prefetch");
    assertThat(dataset.with(advice(Advice.Action.ENLARGE_BUFFER, "0.0", true)).explain())
        .contains("prefetch(buffer=64)");
    for (Advice.Action action :
        List.of(Advice.Action.PREFETCH, Advice.Action.CACHE, Advice.Action.PARALLELISE)) {
      assertThat(dataset.with(advice(action, "0.0.0", true)).toList()).isEqualTo(dataset.toList());
    }
  }

  @Test
  void whatRanIsTranslatedToWhatWasWritten() {
    Dataset<Long> dataset =
        Dataset.range(10).map(pure(x -> x + 1)).take(-1).map(pure(x -> x * 2)).shuffle(3);
    // prefetch ← shuffle ← map (both) ← range
    Optimised optimised = Optimizer.optimise(dataset.op(), Goals.USUAL);
    Advice ofBoth =
        Translation.toWritten(advice(Advice.Action.PARALLELISE, "0.0.0", true), optimised);
    assertThat(ofBoth).isNotNull();
    assertThat(ofBoth.key()).isEqualTo("0.0,0.0.0.0");
    assertThat(dataset.options(o -> o.asWritten()).with(ofBoth).explain().lines())
        .filteredOn(line -> line.contains("map(") && line.contains("AUTOTUNE"))
        .hasSize(2);
    assertThat(Translation.toWritten(advice(Advice.Action.CACHE, "0.0.0", true), optimised))
        .isEqualTo(advice(Advice.Action.CACHE, "0.0", true));
    assertThat(Translation.toWritten(advice(Advice.Action.PREFETCH, "", true), optimised))
        .isEqualTo(advice(Advice.Action.PREFETCH, "", true));
    assertThat(Translation.toWritten(advice(Advice.Action.ENLARGE_BUFFER, "0", true), optimised))
        .isEqualTo(advice(Advice.Action.ENLARGE_BUFFER, "", false));
    assertThat(Translation.toWritten(advice(Advice.Action.REMOVE, "0", true), optimised)).isNull();
  }

  @Test
  void refusesWhatItCannotDo() {
    Dataset<Long> dataset = Dataset.range(10);
    assertThatThrownBy(() -> dataset.with(advice(Advice.Action.ENLARGE_HEAP, "", false)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("this is for you to make");
    assertThatThrownBy(() -> dataset.with(advice(Advice.Action.CACHE, "0.0.0", true)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected advice about this dataset");
    assertThatThrownBy(() -> Doctor.of(dataset).seconds(0))
        .hasMessageContaining("expected more than 0 seconds");
  }

  private static Advice advice(Advice.Action action, String key, boolean applicable) {
    return new Advice(
        action, 0, key, "there", "a change", "code", 2, 1, "", 0, applicable, List.of());
  }

  @Test
  void watchersSeePipelinesBeforeTheyClose() throws Exception {
    List<Long> seen = new ArrayList<>();
    try (AutoCloseable _ = Pipeline.watchAll(pipeline -> seen.add(pipeline.stats().elements()))) {
      Dataset.range(5).forEach(x -> {});
    }
    Dataset.range(7).forEach(x -> {});
    assertThat(seen).containsExactly(5L);
  }

  @Test
  void aPipelineThatGaveNothingHasADiagnosis() {
    try (Pipeline<Long> pipeline = Dataset.range(3).open()) {
      assertThat(pipeline.diagnose().verdict().sentence()).contains("Nothing has been delivered");
    }
  }
}
