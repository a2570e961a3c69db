package dev.headrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Pipeline;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class AutotunePipelinesTest {
  private static final List<AutotunePipeline> ALL = AutotunePipelines.all(2, 1);

  @Test
  void thereAreTwelveWithNamesOfTheirOwn() {
    assertThat(ALL).hasSize(12);
    assertThat(ALL).extracting(AutotunePipeline::name).doesNotHaveDuplicates();
  }

  @Test
  void eachRunsWithEveryNumberLeftToTheEngineAndWithNumbersOfTheGrid() {
    Burn burn = Burn.calibrated();
    for (AutotunePipeline pipeline : ALL) {
      int[] setting = pipeline.grid().getLast();
      try (Pipeline<?> tuned = pipeline.tuned(burn).open();
          Pipeline<?> fixed = pipeline.dataset(burn, setting).open()) {
        Iterator<?> batches = tuned.iterator();
        Iterator<?> others = fixed.iterator();
        for (int i = 0; i < 2; i++) {
          assertThat(batches.next()).as(pipeline.name()).isNotNull();
          assertThat(others.next()).as(pipeline.name()).isNotNull();
        }
      }
    }
  }

  @Test
  void theGridHasEveryCombination() {
    AutotunePipeline three =
        ALL.stream().filter(p -> p.name().startsWith("06")).findFirst().orElseThrow();
    assertThat(three.grid()).hasSize(27).doesNotHaveDuplicates();
    assertThat(three.words(three.grid().getFirst()))
        .isEqualTo("parse 1, decode 1, augment 1, buffer 4");
    assertThat(three.words(three.grid().getLast()))
        .isEqualTo("parse 4, decode 4, augment 4, buffer 4");
  }

  @Test
  void mapsThatWaitCannotBeSaidInTfData() {
    assertThat(ALL)
        .filteredOn(pipeline -> pipeline.toJson() == null)
        .extracting(pipeline -> pipeline.name().substring(0, 2))
        .containsExactly("02", "03", "04", "05", "07", "10");
    for (AutotunePipeline pipeline : ALL) {
      if (pipeline.toJson() != null) {
        assertThat(Json.write(pipeline.toJson())).contains("\"op\":\"prefetch\"");
      }
    }
  }

  @Test
  void aRecoveryCountsFromWhereTheRestIsFastEnough() {
    AutotuneSteps.Times times = new AutotuneSteps.Times(1);
    long ns = 0;
    times.came(0, ns);
    for (int i = 0; i < 50; i++) { // what was in the buffer: as fast as ever
      times.came(0, ns += 4_000_000);
    }
    for (int i = 0; i < 100; i++) { // then a second at less than half of it
      times.came(0, ns += 10_000_000);
    }
    long recovered = ns;
    for (int i = 0; i < 900; i++) {
      times.came(0, ns += 4_100_000);
    }
    assertThat(times.secondsUntil(0, 4.0)).isBetween(0.8, recovered / 1e9);
    assertThat(times.secondsUntil(0, 2.0)).isEqualTo(ns / 1e9);
    assertThat(times.msAtTheEnd(0)).isBetween(4.09, 4.11);
  }
}
