package dev.headrace.contract;

import static dev.headrace.contract.ContractChecks.check;
import static dev.headrace.contract.ContractChecks.failsOnSevens;

import dev.headrace.Dataset;
import dev.headrace.data.Buckets;
import dev.headrace.data.Padding;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import dev.headrace.testing.NoLeftovers;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract on batches, windows and groups of all kinds. */
@ExtendWith(NoLeftovers.class)
class BatchingContractTest {
  private record Pair(Tensor number, Tensor square) {}

  private static Tensor filled(long x) {
    return Tensor.full(Shape.of(failsOnSevens(x) % 5), x);
  }

  @Test
  void paddedBatch() {
    check(
        n ->
            Dataset.range(40)
                .map(
                    x -> Map.of("a", filled(x), "b", Tensor.full(Shape.of(2, x % 3), (float) x)), n)
                .paddedBatch(4, Padding.zeros().value(7).shape("a", Shape.of(3))));
  }

  @Test
  void paddedBatchInSlabs() {
    check(
        n ->
            Dataset.range(24)
                .map(x -> Tensor.full(Shape.of(2, 300 + 7 * failsOnSevens(x)), (float) x), n)
                .paddedBatch(5, Padding.zeros().value(-1))
                .prefetch(2));
  }

  @Test
  void raggedBatch() {
    check(n -> Dataset.range(40).map(x -> filled(x), n).raggedBatch(4));
  }

  @Test
  void sparseBatch() {
    check(n -> Dataset.range(40).map(x -> filled(x), n).sparseBatch(4, Shape.of(3)).prefetch(1));
  }

  @Test
  void unbatch() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> new Pair(filled(x), Tensor.full(Shape.of(x % 3 * 2), x)), n)
                .unbatch());
  }

  @Test
  void unbatchOfLists() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> failsOnSevens(x), n)
                .batch(4, Collator.toList())
                .unbatch(list -> list.getFirst() % 3 == 0 ? null : list));
  }

  @Test
  void rebatch() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> filled(x), n)
                .map(x -> new Pair(x, x))
                .prefetch(1)
                .rebatch(3, 1, 4)
                .take(20));
  }

  @Test
  void rebatchInSlabs() {
    check(
        n ->
            Dataset.range(23)
                .map(x -> Tensor.full(Shape.of(failsOnSevens(x) % 4, 300), (float) x), n)
                .rebatch(4, true)
                .prefetch(2));
  }

  @Test
  void window() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> failsOnSevens(x), n)
                .window(4, 2, 2, false)
                .interleave(w -> w.batch(3, Collator.stack()), 1, 1));
  }

  @Test
  void windowsWithGaps() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> failsOnSevens(x), n)
                .window(2, 5, 1, true)
                .prefetch(2)
                .interleave(w -> w.map(x -> failsOnSevens(x)), 2, 1));
  }

  @Test
  void groupByWindow() {
    check(
        n ->
            Dataset.range(50)
                .map(x -> failsOnSevens(x), n)
                .groupByWindow(
                    x -> failsOnSevens(x) % 11,
                    (key, w) -> w.map(x -> failsOnSevens(x + key)).batch(2, Collator.stack()),
                    key -> key == 4 ? 0 : key % 3 + 2));
  }

  @Test
  void groupByWindowOfShuffledElements() {
    check(
        n ->
            Dataset.range(40)
                .shuffle(10, Seed.of(3))
                .map(x -> failsOnSevens(x), n)
                .groupByWindow(x -> x % 3, (key, w) -> w.shuffle(5, Seed.of(4)), 4)
                .prefetch(2));
  }

  @Test
  void bucketBySequenceLength() {
    check(
        n ->
            Dataset.range(50)
                .map(x -> filled(x), n)
                .bucketBySequenceLength(
                    x -> x.elements(), Buckets.below(2, 4).batches(3, 4, 2).padToBoundary())
                .take(9));
  }

  @Test
  void bucketsInSlabs() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> Tensor.full(Shape.of(300 * (failsOnSevens(x) % 5)), (float) x), n)
                .bucketBySequenceLength(
                    x -> x.elements(), Buckets.below(400, 1000).batches(3, 4, 2).dropRemainder())
                .prefetch(2));
  }
}
