package dev.headrace.op;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Order;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class MapOpTest {

  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n -> range(50).map(x -> Outcomes.refusing(20, x), n).map(x -> "<" + x + ">", n))
        .check();
    PipelineContract.of(n -> range(30).map(x -> x + 1).map(x -> "" + x)).check();
    PipelineContract.of(n -> range(40).map(x -> Outcomes.refusing(20, x), n, Order.UNORDERED))
        .unordered()
        .check();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, AUTOTUNE})
  void parallelCallsKeepOrder(int parallelism) {
    assertThat(range(5000).map(x -> x * 3, parallelism).toList())
        .isEqualTo(LongStream.range(0, 5000).map(x -> x * 3).boxed().toList());
  }

  @Test
  void unorderedCallsLoseNothing() {
    assertThat(range(5000).map(x -> x * 3, 4, Order.UNORDERED).toList())
        .containsExactlyInAnyOrderElementsOf(
            LongStream.range(0, 5000).map(x -> x * 3).boxed().toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void elementsMayChangeTheirType(int parallelism) {
    assertThat(
            range(6)
                .<Object>map(x -> x % 2 == 0 ? x : "odd " + x, parallelism)
                .<Object>map(x -> x instanceof Long n ? n + 1 : x, parallelism)
                .toList())
        .containsExactly(1L, "odd 1", 3L, "odd 3", 5L, "odd 5");
    assertThat(range(4).map(x -> "" + x, parallelism).map(Long::parseLong, parallelism).toList())
        .containsExactly(0L, 1L, 2L, 3L);
  }

  @Test
  void mapsNothingToNothing() {
    assertThat(range(0).map(x -> Outcomes.refusing(x, x)).toList()).isEmpty();
    assertThat(range(0).map(x -> Outcomes.refusing(x, x), 4).toList()).isEmpty();
    assertThat(range(7).map(x -> x).cardinality()).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4})
  void aFailedElementIsThrownOnceAndTheRestFollows(int parallelism) {
    Fn<Long, Long> refusesThree =
        x -> {
          if (x == 3) {
            throw new IOException("cannot load 3");
          }
          return x;
        };
    try (Pipeline<Long> pipeline =
        (parallelism == 0 ? range(6).map(refusesThree) : range(6).map(refusesThree, parallelism))
            .open()) {
      Iterator<Long> epoch = pipeline.iterator();
      assertThat(epoch.next()).isEqualTo(0);
      assertThat(epoch.next()).isEqualTo(1);
      assertThat(epoch.next()).isEqualTo(2);
      assertThat(epoch.hasNext()).isTrue();
      assertThatThrownBy(epoch::next)
          .isInstanceOfSatisfying(
              PipelineException.class,
              e -> {
                assertThat(e.path()).matches("map \\(MapOpTest\\.java:\\d+\\) ← range");
                assertThat(e.element()).isEqualTo("3");
                assertThat(e.epoch()).isZero();
                assertThat(e.isTerminal()).isFalse();
                assertThat(e).hasCauseInstanceOf(IOException.class);
              })
          .message()
          .matches(
              "map \\(MapOpTest\\.java:\\d+\\) ← range: element 3 of epoch 0 failed:"
                  + " java\\.io\\.IOException: cannot load 3");
      assertThat(epoch.next()).isEqualTo(4);
      assertThat(epoch.next()).isEqualTo(5);
      assertThat(epoch.hasNext()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void aNullResultIsAFailure(int parallelism) {
    Fn<Long, Long> nullForOdd = x -> x % 2 == 1 ? null : x;
    assertThat(Outcomes.of(range(4).map(nullForOdd, parallelism)))
        .containsExactly("int64[] [0]", "error", "int64[] [2]", "error", "end");
    Fn<Object, Object> nullForText = x -> x.equals("1") ? null : x;
    List<PipelineException> errors =
        Outcomes.errors(range(3).map(x -> "" + x).map(nullForText, parallelism));
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst())
        .hasMessageContaining(
            "expected the function to return an element, but it returned null; use filter to drop"
                + " elements");
  }

  @Test
  void errorsThatAreNotExceptionsCostTheirElementOnly() {
    assertThat(
            Outcomes.of(
                range(3)
                    .map(
                        x -> {
                          if (x == 1) {
                            throw new AssertionError("no");
                          }
                          return x;
                        },
                        2)))
        .containsExactly("int64[] [0]", "error", "int64[] [2]", "end");
  }

  @Test
  void anErrorOfTheMachineEndsThePipeline() {
    List<PipelineException> errors =
        Outcomes.errors(
            range(3)
                .map(
                    x -> {
                      throw new OutOfMemoryError("a test");
                    }));
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().isTerminal()).isTrue();
    assertThat(errors.getFirst()).hasMessageContaining("the pipeline cannot go on");
  }

  @Test
  void failuresPassThroughLaterMaps() {
    AtomicInteger calls = new AtomicInteger();
    assertThat(
            Outcomes.of(
                range(4)
                    .map(x -> 6 / (x - 1))
                    .map(
                        x -> {
                          calls.incrementAndGet();
                          return x + 100;
                        },
                        2)))
        .containsExactly("int64[] [94]", "error", "int64[] [106]", "int64[] [103]", "end");
    assertThat(calls).hasValue(3);
  }

  @Test
  void aSequentialFunctionIsNeverCalledConcurrently() {
    AtomicBoolean inside = new AtomicBoolean();
    AtomicBoolean overlapped = new AtomicBoolean();
    range(2000)
        .map(x -> x, 4)
        .map(
            x -> {
              if (!inside.compareAndSet(false, true)) {
                overlapped.set(true);
              }
              Thread.onSpinWait();
              inside.set(false);
              return x;
            })
        .prefetch(8)
        .map(x -> x, 4)
        .count();
    assertThat(overlapped).isFalse();
  }

  @Test
  void aSynchronousMapReadsNothingAhead() {
    List<Long> called = new ArrayList<>();
    try (Pipeline<Long> pipeline =
        range(100)
            .map(
                x -> {
                  called.add(x);
                  return x;
                })
            .synchronous()
            .open()) {
      Iterator<Long> epoch = pipeline.iterator();
      assertThat(called).isEmpty();
      for (long i = 0; i < 20; i++) {
        assertThat(epoch.next()).isEqualTo(i);
        assertThat(called).hasSize((int) i + 1);
      }
    }
  }

  @Test
  void synchronousFollowsASequentialMapOnly() {
    assertThatThrownBy(() -> range(3).map(x -> x, 2).synchronous())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("synchronous: expected to follow map(f) without parallelism, but follows map");
    assertThatThrownBy(() -> range(3).synchronous())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "synchronous: expected to follow map(f) without parallelism, but follows range");
  }

  @Test
  void refusesANullFunction() {
    Fn<Long, Long> none = null;
    assertThatThrownBy(() -> range(3).map(none))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("map: expected a function, but got null");
    assertThatThrownBy(() -> range(3).map(none, 2))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("map: expected a function, but got null");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -2})
  void refusesAParallelismBelowOne(int parallelism) {
    assertThatThrownBy(() -> range(3).map(x -> x, parallelism))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "map: expected a parallelism of at least 1 or AUTOTUNE, but got "
                + parallelism
                + "; leave it out to call the function from one thread at a time");
  }
}
