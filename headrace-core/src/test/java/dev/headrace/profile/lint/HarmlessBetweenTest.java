package dev.headrace.profile.lint;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.profile.lint.HarmlessBetweenTest.Harmless.BATCH;
import static dev.headrace.profile.lint.HarmlessBetweenTest.Harmless.CACHE;
import static dev.headrace.profile.lint.HarmlessBetweenTest.Harmless.FILTER;
import static dev.headrace.profile.lint.HarmlessBetweenTest.Harmless.IGNORE_ERRORS;
import static dev.headrace.profile.lint.HarmlessBetweenTest.Harmless.MAP;
import static dev.headrace.profile.lint.HarmlessBetweenTest.Harmless.PREFETCH;
import static dev.headrace.profile.lint.HarmlessBetweenTest.Harmless.SHUFFLE;
import static dev.headrace.profile.lint.HarmlessBetweenTest.Harmless.TAKE;
import static dev.headrace.profile.lint.LintCases.SEED;
import static dev.headrace.profile.lint.LintCases.examples;
import static dev.headrace.profile.lint.LintCases.rows;
import static dev.headrace.profile.lint.LintCases.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.profile.Finding;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.Linter;
import dev.headrace.spi.Collator;
import dev.headrace.spi.ShardMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * For every rule a mistake and its healthy twin, with random harmless operators in between: the
 * rule finds the mistake through them, and says nothing of the twin.
 */
@Timeout(60)
final class HarmlessBetweenTest {
  private static final int VARIANTS = 25;
  private static final long MORE_THAN_ALL = 10_000_000;
  private static final double[] HALVES = {0.5, 0.5};

  @TempDir static Path folder;

  /** An operator that may stand between two others without changing what is wrong with them. */
  enum Harmless {
    PREFETCH,
    IGNORE_ERRORS,
    TAKE,
    TAKE_ALL,
    SKIP_NONE,
    REPEAT_ONCE,
    ONE_SHARD,
    MAP,
    FILTER,
    PLAIN_FILTER,
    CACHE,
    SHUFFLE,
    BATCH;

    /** Operators that pass every element on and call nothing. */
    static final Set<Harmless> IDLE =
        EnumSet.of(PREFETCH, IGNORE_ERRORS, TAKE, TAKE_ALL, SKIP_NONE, REPEAT_ONCE, ONE_SHARD);

    static final Set<Harmless> ONE_BY_ONE = and(IDLE, MAP, FILTER);

    /** Operators without threads. */
    static final Set<Harmless> ON_THE_SAME_THREAD =
        and(without(IDLE, PREFETCH), PLAIN_FILTER, BATCH);

    static Set<Harmless> and(Set<Harmless> some, Harmless... more) {
      Set<Harmless> all = EnumSet.copyOf(some);
      all.addAll(List.of(more));
      return all;
    }

    static Set<Harmless> without(Set<Harmless> some, Harmless... fewer) {
      Set<Harmless> left = EnumSet.copyOf(some);
      List.of(fewer).forEach(left::remove);
      return left;
    }

    @SuppressWarnings("unchecked") // batches are tensors where this is used
    <T> Dataset<T> after(Dataset<T> dataset) {
      return switch (this) {
        case PREFETCH -> dataset.prefetch(2);
        case IGNORE_ERRORS -> dataset.ignoreErrors();
        case TAKE -> dataset.take(MORE_THAN_ALL);
        case TAKE_ALL -> dataset.take(-1);
        case SKIP_NONE -> dataset.skip(0);
        case REPEAT_ONCE -> dataset.repeat(1);
        case ONE_SHARD -> dataset.shard(1, 0);
        case MAP -> dataset.map(x -> x, 4);
        case FILTER -> dataset.filter(x -> true, 4);
        case PLAIN_FILTER -> dataset.filter(x -> true);
        case CACHE -> dataset.cache();
        case SHUFFLE -> dataset.shuffle(50, SEED);
        case BATCH -> (Dataset<T>) dataset.batch(2, Collator.stack());
      };
    }
  }

  /** Puts harmless operators in: none, or up to three of a kind that the case allows. */
  private static final class Between {
    private final @Nullable Random random;

    Between(@Nullable Random random) {
      this.random = random;
    }

    <T> Dataset<T> put(Dataset<T> dataset, Set<Harmless> allowed) {
      if (random == null) {
        return dataset;
      }
      List<Harmless> kinds = List.copyOf(allowed);
      Dataset<T> longer = dataset;
      for (int left = random.nextInt(4); left > 0; left--) {
        longer = kinds.get(random.nextInt(kinds.size())).after(longer);
      }
      return longer;
    }
  }

  private record Case(
      String rule, Function<Between, Dataset<?>> mistake, Function<Between, Dataset<?>> twin) {}

  private static Dataset<Tensor> random(Dataset<Tensor> dataset) {
    return dataset.randomMap((x, r) -> x, SEED, AUTOTUNE);
  }

  private static List<Case> cases() throws IOException {
    Set<Harmless> oneByOne = Harmless.ONE_BY_ONE;
    Set<Harmless> mixed = Harmless.and(oneByOne, BATCH);
    Set<Harmless> endless = Harmless.without(mixed, TAKE);
    Set<Harmless> idle = Harmless.IDLE;
    Set<Harmless> inline = Harmless.ON_THE_SAME_THREAD;
    Path few = Files.createDirectories(folder.resolve("few"));
    Path many = Files.createDirectories(folder.resolve("many"));
    if (!Files.exists(few.resolve("0.txt"))) {
      write(few, "%d.txt", 3, 1);
      write(many, "%d.jpg", 2_100, 1);
    }
    return List.of(
        new Case(
            "cache-freezes-random-map",
            b -> b.put(b.put(random(examples(1000)), mixed).cache(), idle),
            b -> b.put(random(b.put(examples(1000).cache(), oneByOne)), idle)),
        new Case(
            "cache-freezes-order",
            b -> b.put(b.put(examples(1000).shuffle(100), mixed).cache(), oneByOne),
            b -> b.put(b.put(examples(1000).cache(), oneByOne).shuffle(100), oneByOne)),
        new Case(
            "cache-endless",
            b -> b.put(b.put(examples(1000).repeat(), endless).cache(), idle),
            b -> b.put(b.put(examples(1000), mixed).cache(), mixed).repeat()),
        new Case(
            "cache-after-repeat",
            b -> b.put(b.put(examples(1000).repeat(3), mixed).cache(), idle),
            b -> b.put(b.put(examples(1000).cache(), mixed).repeat(3), mixed)),
        new Case(
            "cache-never-filled",
            b -> b.put(examples(1000).cache(), Harmless.and(idle, MAP, BATCH)).take(9),
            b -> b.put(b.put(examples(1000), mixed).take(9), idle).cache()),
        new Case(
            "shuffle-after-batch",
            b -> b.put(examples(1000).batch(32), Harmless.and(oneByOne, CACHE)).shuffle(9),
            b -> b.put(b.put(examples(1000), oneByOne).shuffle(9), oneByOne).batch(32)),
        new Case(
            "repeat-before-shuffle",
            b -> b.put(examples(1000).repeat(), Harmless.and(endless, CACHE)).shuffle(9),
            b -> b.put(b.put(examples(1000), oneByOne).shuffle(9), mixed).repeat()),
        new Case(
            "shuffle-of-one",
            b -> b.put(b.put(examples(1000), oneByOne).shuffle(1), oneByOne),
            b -> b.put(b.put(examples(1000), oneByOne).shuffle(2), oneByOne)),
        new Case(
            "shuffle-before-split",
            b -> b.put(examples(1000).shuffle(100, SEED), mixed).skip(10),
            b -> b.put(examples(1000).shuffle(100, SEED, false), mixed).skip(10)),
        new Case(
            "shard-of-differing-orders",
            b -> b.put(Dataset.range(1000).shuffle(100), oneByOne).shard(2, 0),
            b -> b.put(Dataset.range(1000).shuffle(100, SEED), idle).shard(2, 0)),
        new Case(
            "shard-late",
            b -> b.put(examples(1000), Harmless.and(idle, CACHE, SHUFFLE)).shard(4, 1),
            b -> b.put(Dataset.range(1000).shard(4, 1), mixed).map(x -> x, 4)),
        new Case(
            "shard-late",
            b ->
                b.put(examples(1000), Harmless.and(mixed, CACHE, SHUFFLE))
                    .shardByRank(0, 4, ShardMode.DROP),
            b ->
                b.put(
                    b.put(Dataset.range(1000), Harmless.and(idle, FILTER))
                        .shardByRank(0, 4, ShardMode.DROP),
                    mixed)),
        new Case(
            "shard-empty",
            b -> b.put(Dataset.range(3), Harmless.and(mixed, CACHE)).shard(4, 0),
            b -> b.put(Dataset.range(4000), idle).shard(4, 0)),
        new Case(
            "never-reached",
            b -> b.put(examples(9).repeat(), endless).concatenate(examples(9)),
            b -> b.put(b.put(examples(9), oneByOne).concatenate(examples(9)), oneByOne).repeat()),
        new Case(
            "mix-drifts",
            b ->
                Dataset.sampleFrom(
                    List.of(
                        b.put(examples(9), oneByOne),
                        b.put(examples(9).repeat(), Harmless.without(oneByOne, TAKE))),
                    HALVES,
                    SEED,
                    false),
            b ->
                Dataset.sampleFrom(
                    List.of(
                        b.put(examples(9), oneByOne).repeat(),
                        b.put(examples(9), oneByOne).repeat()),
                    HALVES,
                    SEED,
                    false)),
        new Case(
            "batch-drops",
            b -> b.put(examples(50), Harmless.and(oneByOne, CACHE, SHUFFLE)).batch(64, true),
            b -> b.put(examples(5000), Harmless.and(oneByOne, CACHE, SHUFFLE)).batch(64, true)),
        new Case(
            "batch-undone",
            b ->
                b.put(examples(1000).batch(32), Harmless.and(Harmless.without(idle, TAKE), CACHE))
                    .unbatch(),
            b ->
                b.put(b.put(examples(1000).batch(32), oneByOne).map(x -> x, 4), oneByOne)
                    .unbatch()
                    .prefetch(2)),
        new Case(
            "batch-of-one",
            b -> b.put(b.put(examples(1000), oneByOne).batch(1), oneByOne),
            b -> b.put(b.put(examples(1000), oneByOne).batch(2), oneByOne)),
        new Case(
            "does-not-fit",
            b ->
                b.put(rows(100, 10_000), Harmless.without(idle, PREFETCH))
                    .shuffle(80, SEED)
                    .options(o -> o.heapBudget(500_000)),
            b ->
                b.put(rows(100, 10_000), Harmless.without(oneByOne, PREFETCH))
                    .shuffle(40, SEED)
                    .options(o -> o.heapBudget(500_000))),
        new Case(
            "work-after-prefetch",
            b -> b.put(b.put(examples(1000).prefetch(2), inline).map(LintCases::augmented), inline),
            b ->
                b.put(b.put(examples(1000).prefetch(2), inline).map(LintCases::augmented), inline)
                    .prefetch(2)),
        new Case(
            "no-prefetch",
            b -> b.put(Dataset.range(1000).map(LintCases::load), inline),
            b -> b.put(Dataset.range(1000).map(LintCases::load), inline).prefetch(2)),
        new Case(
            "prefetch-twice",
            b -> b.put(examples(1000).prefetch(2), idle).prefetch(2),
            b -> b.put(examples(1000), Harmless.without(idle, PREFETCH)).batch(8).prefetch(2)),
        new Case(
            "prefetch-many-batches",
            b ->
                b.put(examples(9_000_000).batch(2), Harmless.and(oneByOne, CACHE, SHUFFLE))
                    .prefetch(10_000),
            b -> b.put(examples(9_000_000).batch(2), oneByOne).prefetch(100)),
        new Case(
            "device-not-last",
            b -> b.put(examples(1000).append(LintCases.PrefetchToDeviceOp::new), idle).map(x -> x),
            b ->
                b.put(
                    b.put(examples(1000), mixed).append(LintCases.PrefetchToDeviceOp::new), idle)),
        new Case(
            "no-checkpoint",
            b ->
                b.put(Dataset.generator(() -> List.of(1L).iterator()), mixed)
                    .prefetch(2)
                    .options(o -> o.requireCheckpoint()),
            b ->
                b.put(Dataset.repeatableGenerator(() -> List.of(1L).iterator()), mixed)
                    .prefetch(2)
                    .options(o -> o.requireCheckpoint())),
        new Case(
            "errors-ignored-early",
            b ->
                b.put(
                        b.put(Dataset.range(1000), Harmless.and(idle, CACHE, SHUFFLE))
                            .ignoreErrors(),
                        Harmless.without(mixed, IGNORE_ERRORS))
                    .map(x -> x, 4),
            b -> b.put(b.put(examples(1000), mixed).ignoreErrors(), mixed)),
        new Case(
            "parser-on-one-thread",
            b ->
                b.put(
                        b.put(Dataset.tfRecords("x/*"), oneByOne)
                            .map(Example.parser(Feature.int64("label"))),
                        oneByOne)
                    .prefetch(2),
            b ->
                b.put(
                        b.put(Dataset.tfRecords("x/*"), oneByOne)
                            .map(Example.parser(Feature.int64("label")), AUTOTUNE),
                        oneByOne)
                    .prefetch(2)),
        new Case(
            "interleave-idle-threads",
            b -> b.put(Dataset.range(9), oneByOne).interleave(i -> Dataset.range(i), 2, 1, 16),
            b -> b.put(Dataset.range(9), oneByOne).interleave(i -> Dataset.range(i), 8, 1, 16)),
        new Case(
            "fewer-files-than-threads",
            b ->
                b.put(Dataset.listFiles(few + "/*.txt"), Harmless.and(oneByOne, CACHE, SHUFFLE))
                    .interleave(f -> Dataset.textLines(f), 8, 1, 8),
            b ->
                b.put(Dataset.listFiles(few + "/*.txt"), Harmless.and(oneByOne, CACHE, SHUFFLE))
                    .interleave(f -> Dataset.textLines(f), 8, 1, 3)),
        new Case(
            "many-small-files",
            b ->
                b.put(Dataset.listFiles(many + "/*.jpg"), Harmless.and(idle, CACHE, SHUFFLE))
                    .repeat()
                    .map(Files::readAllBytes, 4),
            b ->
                b.put(Dataset.listFiles(few + "/*.txt"), Harmless.and(idle, CACHE, SHUFFLE))
                    .repeat()
                    .map(Files::readAllBytes, 4)));
  }

  private static Stream<String> rules(Dataset<?> dataset) {
    return dataset.lint().stream().map(Finding::rule);
  }

  private static Stream<Between> variants(Case one) {
    boolean isSlow = one.rule.equals("many-small-files"); // it lists thousands of files
    return Stream.iterate(1, seed -> seed + 1)
        .limit(isSlow ? 5 : VARIANTS)
        .map(seed -> new Between(new Random(seed)));
  }

  @TestFactory
  Stream<DynamicTest> findsTheMistakeThroughHarmlessOperators() throws IOException {
    return cases().stream()
        .map(
            one ->
                DynamicTest.dynamicTest(
                    one.rule,
                    () ->
                        assertThat(variants(one).map(one.mistake))
                            .allSatisfy(
                                plan ->
                                    assertThat(rules(plan))
                                        .as(plan.explain())
                                        .contains(one.rule))));
  }

  @TestFactory
  Stream<DynamicTest> saysNothingOfTheHealthyTwin() throws IOException {
    return cases().stream()
        .map(
            one ->
                DynamicTest.dynamicTest(
                    one.rule,
                    () ->
                        assertThat(variants(one).map(one.twin))
                            .allSatisfy(
                                plan ->
                                    assertThat(rules(plan))
                                        .as(plan.explain())
                                        .doesNotContain(one.rule))));
  }

  @TestFactory
  Stream<DynamicTest> noRuleSpeaksOfThePlainTwin() throws IOException {
    return cases().stream()
        .map(
            one ->
                DynamicTest.dynamicTest(
                    one.rule,
                    () ->
                        assertThat(one.twin.apply(new Between(null)).lint())
                            .filteredOn(finding -> finding.severity() != Severity.NOTE)
                            .isEmpty()));
  }

  @Test
  void hasACaseForEveryRule() throws IOException {
    assertThat(cases().stream().map(Case::rule))
        .containsOnlyOnceElementsOf(
            Linter.rules().keySet().stream().filter(rule -> !rule.equals("shard-late")).toList())
        .contains("shard-late");
  }
}
