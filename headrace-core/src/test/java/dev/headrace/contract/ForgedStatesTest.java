package dev.headrace.contract;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Order;
import dev.headrace.spi.Packing;
import dev.headrace.spi.Scanned;
import dev.headrace.spi.ShardMode;
import dev.headrace.spi.State;
import dev.headrace.spi.Weights;
import dev.headrace.testing.NoLeftovers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Checkpoints that somebody has changed, with a right sum: they are refused by name, or a run
 * follows; never an index error, an endless loop or an allocation. More mutants: {@code
 * -Dheadrace.fuzz.states=100000}, other ones: {@code -Dheadrace.fuzz.seed=7}.
 */
@Timeout(300)
@ExtendWith(NoLeftovers.class)
class ForgedStatesTest {
  private static final int MUTANTS = Integer.getInteger("headrace.fuzz.states", 120);
  private static final long SEED = Long.getLong("headrace.fuzz.seed", 1);
  private static final int MOST_ELEMENTS = 5000;
  private static final Pattern NUMBER = Pattern.compile("(?<![\\w.\"])-?\\d+(?![\\w.\"])");
  private static final Pattern FLAG = Pattern.compile("\\b(true|false)\\b");
  private static final Pattern NAME = Pattern.compile("\"(\\w+)\": ");
  private static final Pattern LIST = Pattern.compile("\\[[-\\d,]*\\]");
  private static final Pattern VALUE = Pattern.compile("\"[A-Za-z0-9+/=]{4,}\"");
  private static final Pattern EMPTY = Pattern.compile("\\{\\}");

  private static final Map<String, Dataset<?>> PLANS = plans();

  @SuppressWarnings("unused") // by name
  private static final List<String> NAMES = List.copyOf(PLANS.keySet());

  private static Map<String, Dataset<?>> plans() {
    Dataset<Long> numbers = range(60);
    Map<String, Dataset<?>> plans = new LinkedHashMap<>();
    plans.put("range", numbers);
    plans.put("map", numbers.map(x -> x + 1).prefetch(2));
    plans.put("parallelMap", numbers.map(x -> x + 1, 2));
    plans.put("unorderedMap", numbers.map(x -> x + 1, 2, Order.UNORDERED).repeat(2));
    plans.put("filter", numbers.filter(x -> x % 3 != 0).prefetch(1));
    plans.put("take", numbers.take(40).skip(3));
    plans.put("takeWhile", numbers.takeWhile(x -> x < 50));
    plans.put("shard", numbers.shard(3, 1));
    plans.put("shardByRank", numbers.shardByRank(1, 4, ShardMode.PAD));
    plans.put("repeat", numbers.repeat(3));
    plans.put("shuffle", numbers.shuffle(16, Seed.of(1)));
    plans.put("shuffleOfFailures", numbers.map(x -> 10 / (x % 7)).shuffle(9, Seed.of(1)).repeat(2));
    plans.put("globalShuffle", numbers.globalShuffle(Seed.of(2)));
    plans.put("cache", numbers.map(x -> x + 1).cache().repeat(2).shuffle(5, Seed.of(3)));
    plans.put("batch", numbers.batch(4, Collator.toList()));
    plans.put("tensors", numbers.map(x -> Tensor.of(x, x)).batch(4).unbatch());
    plans.put("rebatch", numbers.map(x -> Tensor.of(x, x)).batch(4).rebatch(3));
    plans.put("window", numbers.window(5, 3, 1, false).flatMap(window -> window));
    plans.put("flatMap", numbers.flatMap(x -> range(x % 5)));
    plans.put("interleave", numbers.interleave(x -> range(x % 7), 4, 2));
    plans.put("parallelInterleave", numbers.interleave(x -> range(x % 7), 4, 2, 2));
    plans.put("zip", numbers.zip(numbers.shuffle(4, Seed.of(1))));
    plans.put("concatenate", numbers.concatenate(range(9).cache(), range(5)));
    plans.put(
        "sampleFrom",
        Dataset.sampleFrom(
            List.of(range(50), range(50)), new double[] {0.4, 0.6}, Seed.of(1), false));
    plans.put(
        "sampleFromChanging",
        Dataset.sampleFrom(List.of(range(50), range(50)), Weights.of(1, 2), Seed.of(1), false));
    plans.put(
        "chooseFrom",
        Dataset.chooseFrom(List.of(range(50), range(50)), numbers.map(x -> x % 2), false));
    plans.put("enumerate", numbers.enumerate(5));
    plans.put("scan", numbers.scan(new long[2], (s, x) -> new Scanned<>(s, x + s[0])));
    plans.put("unique", numbers.map(x -> x % 20).unique());
    plans.put("ignoreErrors", numbers.map(x -> 10 / (x % 7)).ignoreErrors());
    plans.put("random", Dataset.random(Seed.of(1), true).take(50));
    plans.put("randomMap", numbers.randomMap((x, random) -> x + random.nextInt(3), Seed.of(1)));
    plans.put("assertCardinality", numbers.assertCardinality(60));
    plans.put("padToCardinality", numbers.map(x -> Tensor.of(x)).padToCardinality(70));
    plans.put(
        "rejectionResample",
        numbers.rejectionResample(x -> x % 2, new double[] {0.8, 0.2}, Seed.of(1)));
    plans.put("pack", numbers.map(x -> Tensor.of(x, x, x)).pack(8, Packing.CONCAT_SPLIT));
    plans.put("packFit", numbers.map(x -> Tensor.of(x, x, x)).pack(8, Packing.FIRST_FIT));
    return plans;
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void aForgedStateIsRefusedOrGivesARun(String name) {
    Dataset<?> plan = PLANS.get(name);
    Random random = new Random(SEED + name.hashCode());
    List<String> real = checkpointsOf(plan);
    int refused = 0;
    for (int i = 0; i < MUTANTS; i++) {
      String mutant = mutated(real.get(random.nextInt(real.size())), random);
      refused += runsOrIsRefused(plan, mutant, name + ", mutant " + i) ? 0 : 1;
    }
    assertThat(refused).as("mutants that were refused").isPositive();
  }

  private static List<String> checkpointsOf(Dataset<?> plan) {
    List<String> texts = new ArrayList<>();
    try (Pipeline<?> pipeline = plan.open()) {
      Iterator<?> elements = pipeline.iterator();
      for (int i = 0; elements.hasNext(); i++) {
        if (i % 7 == 3) {
          texts.add(pipeline.checkpoint().toString());
        }
        try {
          elements.next();
        } catch (PipelineException expected) {
          assertThat(expected.isTerminal()).isFalse();
        }
      }
      texts.add(pipeline.checkpoint().toString());
    }
    return texts;
  }

  /** Changes a few places of the state, and makes the sum right again. */
  private static String mutated(String text, Random random) {
    String body = text.substring(0, text.lastIndexOf("\nsum "));
    int at = body.indexOf("\"state\": ") + "\"state\": ".length();
    String state = body.substring(at, body.length() - 1);
    for (int i = 0; i <= random.nextInt(3); i++) {
      state =
          switch (random.nextInt(12)) {
            case 0 -> replaced(state, FLAG, random, flag -> flag.equals("true") ? "false" : "true");
            case 1 -> replaced(state, NAME, random, key -> "\"other\": ");
            case 2 -> replaced(state, LIST, random, list -> "[]");
            case 3 -> replaced(state, LIST, random, list -> "[-1," + Long.MAX_VALUE + ",3]");
            case 4 -> replaced(state, VALUE, random, value -> "\"AAAA\"");
            case 5 -> replaced(state, EMPTY, random, none -> "{\"skip\": 7, \"from\": {}}");
            case 6 -> replaced(state, EMPTY, random, none -> "{\"position\": 3}");
            default -> replaced(state, NUMBER, random, number -> otherNumber(number, random));
          };
    }
    String forged = body.substring(0, at) + state + "}";
    CRC32C sum = new CRC32C();
    sum.update(forged.getBytes(StandardCharsets.UTF_8));
    return forged + "\nsum " + "%08x".formatted(sum.getValue()) + "\n";
  }

  private static String otherNumber(String number, Random random) {
    long before = Long.parseLong(number);
    long after =
        switch (random.nextInt(10)) {
          case 0 -> -1;
          case 1 -> Long.MAX_VALUE;
          case 2 -> Long.MIN_VALUE;
          case 3 -> Integer.MAX_VALUE;
          case 4 -> Long.MAX_VALUE / 4;
          case 5 -> before - 1;
          case 6 -> before + 1;
          case 7 -> before * 2 + 1;
          case 8 -> 1L << random.nextInt(63);
          default -> random.nextInt(100);
        };
    return Long.toString(after);
  }

  private static String replaced(
      String text, Pattern what, Random random, UnaryOperator<String> by) {
    List<MatchResult> found = what.matcher(text).results().toList();
    if (found.isEmpty()) {
      return text;
    }
    MatchResult one = found.get(random.nextInt(found.size()));
    return text.substring(0, one.start()) + by.apply(one.group()) + text.substring(one.end());
  }

  /** Whether a run followed; fails if it was refused by anything but a message. */
  private static boolean runsOrIsRefused(Dataset<?> plan, String text, String what) {
    try (Pipeline<?> pipeline = plan.open(Checkpoint.parse(text))) {
      Iterator<?> elements = pipeline.iterator();
      for (int i = 0; i < MOST_ELEMENTS && elements.hasNext(); i++) {
        try {
          elements.next();
        } catch (PipelineException e) {
          if (e.isTerminal()) {
            checkRefusal(e, text, what);
            return false;
          }
        }
      }
      return true;
    } catch (RuntimeException | Error e) {
      checkRefusal(e, text, what);
      return false;
    }
  }

  private static void checkRefusal(Throwable e, String text, String what) {
    Throwable cause = e;
    while (cause.getCause() != null && !(cause instanceof State.InvalidState)) {
      cause = cause.getCause();
    }
    boolean isNamed =
        (cause instanceof IllegalArgumentException || cause instanceof IllegalStateException)
            && cause.getMessage() != null
            && cause.getMessage().contains("expected");
    if (!isNamed) {
      throw new AssertionError(
          what + ": expected a refusal by name, but got " + cause + "\nfor " + text, e);
    }
  }
}
