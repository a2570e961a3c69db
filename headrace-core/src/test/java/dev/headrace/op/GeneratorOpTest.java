package dev.headrace.op;

import static dev.headrace.Dataset.generator;
import static dev.headrace.Dataset.range;
import static dev.headrace.Dataset.repeatableGenerator;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Generator;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class GeneratorOpTest {

  /** Counts to a limit, throws on the way, and notes when it is closed. */
  private static final class Numbers implements Iterator<Integer>, AutoCloseable {
    private final int limit;
    private final int refused;
    private final AtomicInteger closed;
    private int next;

    Numbers(int limit, int refused, AtomicInteger closed) {
      this.limit = limit;
      this.refused = refused;
      this.closed = closed;
    }

    @Override
    public boolean hasNext() {
      return next < limit;
    }

    @Override
    public Integer next() {
      int given = next++;
      if (given == refused) {
        throw new IllegalStateException("refuses " + given);
      }
      return given;
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  private final AtomicInteger closed = new AtomicInteger();

  @Test
  void aRepeatableOneKeepsTheContract() {
    PipelineContract.of(
            n -> repeatableGenerator(() -> new Numbers(25, 11, closed)).map(x -> x * x, n))
        .check();
    PipelineContract.of(n -> repeatableGenerator(() -> List.of(1, 2, 3).iterator()).repeat(2))
        .check();
  }

  @Test
  void whatClosingTheIteratorThrowsCostsNoElement() {
    class Unclosable implements Iterator<Integer>, AutoCloseable {
      private int next;

      @Override
      public boolean hasNext() {
        return next < 9;
      }

      @Override
      public Integer next() {
        return next++;
      }

      @Override
      public void close() {
        throw new StackOverflowError("closing");
      }
    }
    assertThat(generator(Unclosable::new).toList()).hasSize(9);
    assertThat(generator(Unclosable::new).prefetch(1).take(3).toList()).hasSize(3);
  }

  @Test
  void everyPassMakesAnIterator() {
    AtomicInteger made = new AtomicInteger();
    Dataset<Integer> dataset = generator(() -> List.of(made.incrementAndGet()).iterator());
    assertThat(dataset.cardinality()).isEqualTo(Dataset.UNKNOWN);
    assertThat(made).hasValue(0);
    assertThat(dataset.repeat(3).toList()).containsExactly(1, 2, 3);
  }

  @Test
  void anExceptionIsTheFailureOfItsElement() {
    List<PipelineException> errors =
        Outcomes.errors(generator(() -> new Numbers(5, 2, closed)).prefetch(1));
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst())
        .hasMessageContaining("generator (GeneratorOpTest.java:")
        .hasMessageContaining("element 2 of epoch 0 failed")
        .hasRootCauseMessage("refuses 2");
    assertThat(Outcomes.of(generator(() -> new Numbers(5, 2, closed))))
        .containsExactly("0", "1", "error", "3", "4", "end");
  }

  @Test
  void whatFailsWhileItIsMadeIsTheEnd() {
    Dataset<Object> refused =
        generator(
            () -> {
              throw new IOException("no connection");
            });
    try (Pipeline<Object> pipeline = refused.open()) {
      Iterator<Object> epoch = pipeline.iterator();
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(epoch::next)
            .isInstanceOfSatisfying(
                PipelineException.class, e -> assertThat(e.isTerminal()).isTrue())
            .hasRootCauseMessage("no connection");
      }
    }
    assertThat(Outcomes.errors(generator(() -> null)).getFirst())
        .hasRootCauseMessage("expected the function to return an iterator, but it returned null");
  }

  @Test
  void anIteratorThatCannotSayWhetherItHasMoreIsAskedOnceMore() {
    Iterator<Integer> broken =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            throw new IllegalStateException("broken");
          }

          @Override
          public Integer next() {
            return 1;
          }
        };
    List<PipelineException> errors = Outcomes.errors(generator(() -> broken));
    assertThat(errors).hasSize(2);
    assertThat(errors.get(0).isTerminal()).isFalse();
    assertThat(errors.get(1).isTerminal()).isTrue();
  }

  @Test
  void nullIsNoElement() {
    List<PipelineException> errors =
        Outcomes.errors(generator(() -> Arrays.asList(1, null, 3).iterator()));
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst())
        .hasRootCauseMessage("expected an element, but the iterator gave null; leave it out");
  }

  @Test
  void iteratorsAreClosedAtTheirEndAndWithThePipeline() {
    assertThat(generator(() -> new Numbers(3, -1, closed)).repeat(2).count()).isEqualTo(6);
    assertThat(closed).hasValue(2);
    try (Pipeline<Integer> pipeline = generator(() -> new Numbers(100, -1, closed)).open()) {
      pipeline.iterator().next();
      assertThat(closed).hasValue(2);
    }
    assertThat(closed).hasValue(3);
  }

  @Test
  void aStreamIsClosedToo() {
    List<String> events = new ArrayList<>();
    Dataset<String> lines =
        generator(() -> Generator.over(Stream.of("a", "b").onClose(() -> events.add("closed"))));
    assertThat(lines.toList()).containsExactly("a", "b");
    assertThat(events).containsExactly("closed");
  }

  @Test
  void noMoreIsAskedThanNeeded() {
    AtomicInteger given = new AtomicInteger();
    Iterator<Integer> counting = Stream.iterate(0, x -> given.incrementAndGet()).iterator();
    assertThat(generator(() -> counting).take(5).toList()).containsExactly(0, 1, 2, 3, 4);
    assertThat(given).hasValue(4);
  }

  @Test
  void hasNoCheckpointsUnlessRepeatable() {
    try (Pipeline<Integer> pipeline = generator(() -> new Numbers(9, -1, closed)).open()) {
      pipeline.iterator().next();
      assertThatThrownBy(pipeline::checkpoint)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(
              "checkpoint: expected operators whose position can be told, but generator"
                  + " (GeneratorOpTest.java:")
          .hasMessageContaining("declare its source repeatable");
    }
  }

  @Test
  void hasNoCheckpointsInsideAFunctionEither() {
    try (Pipeline<Integer> pipeline =
        range(3).interleave(x -> generator(() -> new Numbers(9, -1, closed)), 1, 1).open()) {
      pipeline.iterator().next();
      assertThatThrownBy(() -> pipeline.checkpoint().toString())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("checkpoint: expected sources that can be read again, but")
          .hasMessageContaining("was not declared repeatable; use repeatableGenerator");
    }
  }

  @Test
  void sayWhenItWasNotRepeatableAfterAll() {
    AtomicInteger size = new AtomicInteger(9);
    Dataset<Integer> dataset =
        repeatableGenerator(() -> new Numbers(size.getAndSet(2), -1, closed));
    Checkpoint checkpoint;
    try (Pipeline<Integer> pipeline = dataset.open()) {
      Iterator<Integer> epoch = pipeline.iterator();
      for (int i = 0; i < 9; i++) {
        epoch.next();
      }
      checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
    }
    try (Pipeline<Integer> resumed = dataset.open(checkpoint)) {
      assertThatThrownBy(() -> resumed.iterator().next())
          .hasMessageContaining("elements again, but it ended after 2; is it repeatable?");
    }
  }

  @Test
  void refusesNull() {
    assertThatThrownBy(() -> generator(null))
        .hasMessage("generator: expected a function that makes an iterator, but got null");
  }
}
