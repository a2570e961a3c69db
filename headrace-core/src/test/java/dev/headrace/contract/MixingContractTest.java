package dev.headrace.contract;

import static dev.headrace.contract.ContractChecks.check;
import static dev.headrace.contract.ContractChecks.failsOnSevens;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Packing;
import dev.headrace.spi.Reducer;
import dev.headrace.spi.Scanned;
import dev.headrace.spi.Weights;
import dev.headrace.testing.NoLeftovers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract on operators that carry state, mix datasets or pack sequences. */
@ExtendWith(NoLeftovers.class)
class MixingContractTest {
  private record Pair(Tensor number, Tensor square) {}

  @Test
  void scan() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> failsOnSevens(x), n)
                .scan(0L, (sum, x) -> new Scanned<>(sum + x, sum + failsOnSevens(x))));
  }

  @Test
  void scanWithAStateThatIsAStructure() {
    check(
        n ->
            Dataset.range(30)
                .map(x -> failsOnSevens(x), n)
                .scan(
                    new Pair(Tensor.scalar(0L), Tensor.scalar(1L)),
                    (pair, x) ->
                        new Scanned<>(
                            new Pair(Tensor.scalar(pair.number().longValue() + x), pair.number()),
                            pair.number().longValue()))
                .prefetch(2));
  }

  @Test
  void unique() {
    check(n -> Dataset.range(60).map(x -> failsOnSevens(x) % 30, n).unique());
    check(n -> Dataset.range(60).map(x -> "" + x, n).unique(x -> failsOnSevens(x.charAt(0))));
  }

  @Test
  void groupByReducer() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> failsOnSevens(x), n)
                .groupByReducer(
                    x -> x % 10,
                    new Reducer<Long, Long, Long, Long>(
                        key -> key, (sum, x) -> sum + failsOnSevens(x), s -> failsOnSevens(s))));
  }

  @Test
  void sampleFrom() {
    for (boolean stop : new boolean[] {true, false}) {
      check(
          n ->
              Dataset.sampleFrom(
                  List.of(
                      Dataset.range(30).map(x -> failsOnSevens(x), n),
                      Dataset.range(100, 140),
                      Dataset.range(200, 210).prefetch(n)),
                  new double[] {0.3, 0.5, 0.2},
                  Seed.of(4),
                  stop));
    }
  }

  @Test
  void sampleFromWithWeightsThatMayChange() {
    check(
        n ->
            Dataset.sampleFrom(
                    List.of(Dataset.range(20).map(x -> failsOnSevens(x), n), Dataset.range(90, 99)),
                    Weights.of(0.7, 0.3),
                    Seed.of(4),
                    false)
                .repeat(2)
                .shuffle(5, Seed.of(1))
                .prefetch(n));
  }

  @Test
  void chooseFrom() {
    for (boolean stop : new boolean[] {true, false}) {
      check(
          n ->
              Dataset.chooseFrom(
                  List.of(Dataset.range(12), Dataset.range(100, 105).map(x -> failsOnSevens(x), n)),
                  Dataset.range(30).map(x -> failsOnSevens(x) % 5 / 2, n),
                  stop));
    }
  }

  @Test
  void rejectionResample() {
    check(
        n ->
            Dataset.range(60)
                .map(x -> failsOnSevens(x), n)
                .rejectionResample(
                    x -> failsOnSevens(x + 1) % 3, new double[] {0.6, 0.2, 0.2}, Seed.of(8)));
  }

  @Test
  void pack() {
    for (Packing packing : Packing.values()) {
      check(
          n ->
              Dataset.range(40)
                  .map(x -> failsOnSevens(x), n)
                  .map(x -> Tensor.full(Shape.of(x * 7 % 13), x))
                  .pack(10, packing, 3, -1)
                  .map(row -> List.of(row.tokens(), row.segmentIds(), row.positions())));
    }
  }
}
