package dev.headrace.optimize;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.op.AutoCacheOp;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Op;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeepElementsTest {
  private static final Seed SEED = Seed.of(1);
  private static final Goals PURE = Goals.USUAL.assumingPure();

  private static Optimised optimised(Dataset<?> dataset, Goals goals) {
    return Optimizer.optimise(dataset.op(), goals, List.of(new KeepElements()));
  }

  /** The words of the operators whose elements may be kept, nearest to the consumer first. */
  private static List<String> places(Dataset<?> dataset, Goals goals) {
    List<String> places = new ArrayList<>();
    caches(optimised(dataset, goals).plan(), places);
    return places;
  }

  private static List<String> places(Dataset<?> dataset) {
    return places(dataset, PURE);
  }

  private static void caches(Op op, List<String> into) {
    if (op instanceof AutoCacheOp) {
      into.add(op.inputs().getFirst().word());
    }
    op.inputs().forEach(input -> caches(input, into));
  }

  private static AutoCacheOp first(Dataset<?> dataset, Goals goals) {
    Op at = optimised(dataset, goals).plan();
    while (!(at instanceof AutoCacheOp)) {
      at = at.inputs().getFirst();
    }
    return (AutoCacheOp) at;
  }

  @Test
  void onlyWhatIsSaidToBePureIsKept() {
    assertThat(places(range(9).map(x -> x), Goals.USUAL)).isEmpty();
    assertThat(places(range(9).map(x -> x))).containsExactly("map");
    assertThat(places(range(9).map(x -> x).synchronous())).isEmpty();
  }

  @Test
  void elementsAreKeptWhereTheyWereMade() {
    assertThat(places(range(9))).isEmpty();
    assertThat(places(range(9).batch(3, Collator.stack()))).isEmpty();
    assertThat(places(Dataset.listFiles("*.jpg"))).isEmpty();
    assertThat(places(Dataset.textLines(Path.of("a.txt")))).containsExactly("textLines");
    assertThat(places(range(9).map(x -> Tensor.scalar(x)).filter(x -> true).prefetch(2).batch(3)))
        .containsExactly("filter", "map");
    assertThat(places(range(9).interleave(x -> range(x), 2, 1))).containsExactly("interleave");
  }

  @Test
  void nothingAfterARandomOperatorIsKept() {
    assertThat(places(range(9).map(x -> x).shuffle(3, SEED).map(x -> x))).containsExactly("map");
    assertThat(places(range(9).randomMap((x, random) -> x, SEED).map(x -> x))).isEmpty();
    assertThat(places(range(9).map(x -> x, 2), new Goals(true, true, false, 0, PURE.rulesOff())))
        .as("in no order")
        .isEmpty();
    assertThat(places(Dataset.generator(() -> List.of(1).iterator()).map(x -> x))).isEmpty();
    assertThat(places(Dataset.counter(0, 1).map(x -> x))).as("without end").isEmpty();
  }

  @Test
  void whatIsLeftOutNeedNotBeKept() {
    assertThat(places(range(9).map(x -> x).skip(1).take(3).shard(2, 0))).containsExactly("shard");
  }

  @Test
  void whatIsReadOnceOrNotInOrderIsNotKept() {
    assertThat(places(range(9).map(x -> x).cache())).isEmpty();
    assertThat(places(range(9).map(x -> x).cache(Path.of("x")))).isEmpty();
    assertThat(places(range(9).map(x -> x).globalShuffle(SEED))).isEmpty();
    assertThat(places(range(9).shuffle(3).cache().map(x -> x))).containsExactly("map");
  }

  @Test
  void onlyTheLastPlacesAreTried() {
    Dataset<Long> dataset =
        range(9)
            .map(x -> x)
            .filter(x -> true)
            .flatMap(x -> range(2))
            .scan(0L, (s, x) -> new dev.headrace.spi.Scanned<>(s, x))
            .takeWhile(x -> true);
    assertThat(places(dataset)).containsExactly("takeWhile", "scan", "flatMap");
  }

  @Test
  void itIsKnownHowOftenTheyAreNeeded() {
    Dataset<Long> map = range(9).map(x -> x);
    assertThat(first(map, PURE).passes()).isEqualTo(1);
    assertThat(first(map, PURE.ofEpochs(5)).passes()).isEqualTo(5);
    assertThat(first(map.repeat(3).batch(2, Collator.stack()).repeat(2), PURE).passes())
        .isEqualTo(6);
    assertThat(first(map.repeat(3), PURE.ofEpochs(5)).passes()).isEqualTo(15);
    assertThat(first(map.repeat(), PURE.ofEpochs(5)).passes()).isEqualTo(Op.INFINITE);
    assertThat(first(map.repeat(Long.MAX_VALUE), PURE.ofEpochs(5)).passes()).isEqualTo(Op.INFINITE);
    assertThat(places(map, PURE.ofEpochs(1))).as("once").isEmpty();
    assertThat(places(map.repeat(2), PURE.ofEpochs(1))).containsExactly("map");
  }

  @Test
  void itIsKnownWhoGetsThem() {
    Dataset<Long> map = range(9).map(x -> x);
    assertThat(first(map.repeat(2).prefetch(1), PURE).isDelivered()).isTrue();
    assertThat(first(map.batch(2, Collator.stack()), PURE).isDelivered()).isFalse();
  }

  @Test
  void itSaysWhatItDoes() {
    Optimised plan =
        optimised(range(9).map(x -> x).named("decode").batch(3, Collator.stack()), PURE);
    assertThat(plan.rewrites()).hasSize(1);
    assertThat(plan.rewrites().getFirst().toString())
        .startsWith("cache: map 'decode' (KeepElementsTest.java:")
        .endsWith(
            "may have its elements kept in memory for later epochs, if they fit and take longer to"
                + " make than to keep, because assumePure() says that every epoch would make the"
                + " same ones again");
    assertThat(plan.writtenPlaces("0.0")).as("nobody wrote it").isEmpty();
    assertThat(plan.writtenPlaces("0.0.0")).containsExactly("0.0");
  }
}
