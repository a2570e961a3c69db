package dev.headrace.examples;

import static dev.headrace.examples.Shown.SHORT;
import static dev.headrace.examples.Shown.nothing;
import static dev.headrace.examples.Shown.shown;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.examples.Comparison.Looks;
import dev.headrace.profile.Finding;
import dev.headrace.profile.Verdict.Kind;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples of training loops, as {@link ExamplesTest} has the others. */
@Timeout(120)
class LoopExamplesTest {
  @Test
  void naiveLoop() {
    var shown = shown(() -> NaiveLoop.show(0.6));
    assertThat(shown.text()).contains(".prefetch(AUTOTUNE)", "So: without prefetching the loop");
    assertThat(shown.result().before().profile().operators()).allMatch(op -> op.crew() == null);
    assertThat(shown.result().after().profile().operators()).anyMatch(op -> op.crew() != null);
    assertThat(NaiveLoop.dataset().lint()).extracting(Finding::rule).containsExactly("no-prefetch");
  }

  @Test
  void prefetchedLoop() {
    Shown<Comparison.Result> shown = shown(() -> PrefetchedLoop.show(new Looks(1, 2)));
    assertThat(shown.text()).contains("So: for batches that take 6 ms to load");
    assertThat(shown.result().of("step of 1 ms, prefetched").verdict().kind())
        .isEqualTo(Kind.SERIAL_BOUND);
  }

  @Test
  void bufferSizes() {
    Shown<Comparison.Result> shown = shown(() -> BufferSizes.show(new Looks(1, 2.5)));
    assertThat(shown.text()).contains("So: against none, a buffer of 1 is");
    assertThat(shown.result().of("prefetch(1)").megabytes()).isLessThan(4);
    assertThat(shown.result().of("prefetch(8)").megabytes()).isLessThan(11);
  }

  @Test
  void combinedOptimizations() {
    Shown<Comparison.Result> shown = shown(() -> CombinedOptimizations.show(new Looks(1, 3)));
    assertThat(shown.text()).contains("So: against the naive pipeline");
    assertThat(shown.result().of("prefetch").verdict().kind()).isEqualTo(Kind.SERIAL_BOUND);
  }

  @Test
  void cpuAndAccelerator() {
    assertThat(shown(() -> CpuAndAccelerator.show(SHORT)).text())
        .contains("So: with an accelerator, prefetching is");
  }

  @Test
  void nothingToHide() {
    assertThat(NothingToHide.batches().toList()).hasSize(128);
    assertThat(shown(() -> NothingToHide.show(SHORT)).text())
        .contains("So: for data that is there at once");
  }

  @Test
  void aCacheSavesLoadsAndABufferDoesNot() {
    assertThat(shown(() -> nothing(() -> CacheIsNotPrefetch.show(20))).text())
        .contains("So: prefetch: 60 loads in 3 epochs of 20")
        .contains("So: cache: 20 loads in 3 epochs of 20")
        .contains("So: cache and prefetch: 20 loads in 3 epochs of 20");
  }

  @Test
  void workersShareData() {
    List<List<Long>> all = shown(WorkersShareData::share).result();
    assertThat(all).hasSize(WorkersShareData.WORKERS).allMatch(each -> each.size() == 250);
    Set<Long> different = new HashSet<>();
    all.forEach(different::addAll);
    assertThat(different).hasSize(1000);
    assertThat(shown(() -> nothing(() -> WorkersShareData.main(new String[0]))).text())
        .contains("got 1,000 elements, 0 of them twice");
  }

  @Test
  void fitWithPrefetch() {
    assertThat(shown(() -> nothing(() -> FitWithPrefetch.show(64, 2))).text())
        .contains("completed after 4 steps", "So: prefetching alone makes this training")
        .contains("All three learn the same");
  }

  @Test
  void aHugeBufferStaysWithinTheBudget() {
    Shown<Comparison.Result> shown = shown(() -> HugeBuffer.show(SHORT));
    assertThat(shown.text()).contains("It asks for 10,000 batches ahead");
    assertThat(shown.result().of("prefetch(10_000)").megabytes())
        .isLessThan(1.1 * HugeBuffer.BUDGET / 1e6); // 10,000 would be 20 GB
  }

  @Test
  void prefetchingInTheCallIsTheSamePlan() {
    assertThat(PrefetchInTheCall.plan(PrefetchInTheCall.wrong()))
        .isEqualTo(PrefetchInTheCall.plan(PrefetchInTheCall.correct()))
        .isNotEqualTo(PrefetchInTheCall.plan(PrefetchInTheCall.thrownAway()));
    assertThat(PrefetchInTheCall.wrong().toList().toString())
        .isEqualTo(PrefetchInTheCall.correct().toList().toString());
    assertThat(shown(() -> PrefetchInTheCall.show(SHORT)).text())
        .contains("So: the plans of the 'wrong' and the 'correct' form are equal");
  }
}
