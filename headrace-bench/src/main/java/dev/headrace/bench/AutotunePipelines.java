package dev.headrace.bench;

import dev.headrace.bench.AutotunePart.Batching;
import dev.headrace.bench.AutotunePart.Batching.Of;
import dev.headrace.bench.AutotunePart.Keeping;
import dev.headrace.bench.AutotunePart.Opening;
import dev.headrace.bench.AutotunePart.ReadingAhead;
import dev.headrace.bench.AutotunePart.Sizing;
import dev.headrace.bench.AutotunePart.Working;
import dev.headrace.bench.AutotunePipeline.Step;
import dev.headrace.profile.KnobChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Twelve pipelines whose right settings differ. Costs are drawn by a seed; batches are so large
 * that the best setting gives about 150 of them a second, whatever the number of cores.
 */
public final class AutotunePipelines {
  /** Tables of costs have as many places as so many batches have elements. */
  private static final int CYCLE = 32;

  private final int cores;
  private final long seed;
  private final List<AutotunePipeline> all = new ArrayList<>();

  private AutotunePipelines(int cores, long seed) {
    this.cores = cores;
    this.seed = seed;
  }

  /** All twelve, for a machine with so many cores. */
  static List<AutotunePipeline> all(int cores, long seed) {
    AutotunePipelines pipelines = new AutotunePipelines(cores, seed);
    pipelines.make();
    return List.copyOf(pipelines.all);
  }

  private void make() {
    computing();
    waiting();
    waitingAndComputing();
    jitter();
    sequentialJitter();
    competing();
    waitingThenComputing();
    heavyTail();
    slowFiles();
    consumerBound();
    costlyBatches();
    uneven();
  }

  private void computing() {
    SplittableRandom random = random(1);
    Cost cpu = new Cost(random.nextInt(900, 1500));
    add(
        "01 computing map",
        Step.NONE,
        1,
        new Working("compute", Cost.NONE, cpu, computingLevels()),
        new Batching(6 * cores, Of.NUMBERS),
        new ReadingAhead(1, 2, 8));
  }

  private void waiting() {
    SplittableRandom random = random(2);
    Cost wait = new Cost(random.nextInt(20_000, 30_000));
    add(
        "02 waiting map",
        Step.NONE,
        1,
        new Working("load", wait, Cost.NONE, 32, 64, 128, 256, 512),
        new Batching(128, Of.NUMBERS),
        new ReadingAhead(2, 16));
  }

  private void waitingAndComputing() {
    SplittableRandom random = random(3);
    int wait = random.nextInt(4_000, 6_000);
    int cpu = random.nextInt(1_500, 2_500);
    int even = cores * (wait + cpu) / cpu;
    add(
        "03 map that waits and computes",
        Step.NONE,
        1,
        new Working(
            "load",
            new Cost(wait),
            new Cost(cpu),
            levels(cores, even, even * 3 / 2, even * 2, even * 4, even * 8)),
        new Batching(4 * cores, Of.NUMBERS),
        new ReadingAhead(2, 16));
  }

  private void jitter() {
    SplittableRandom random = random(4);
    int batch = 12;
    int step = random.nextInt(6_500, 7_500);
    int wait = random.nextInt(7_000, 9_000);
    int even = wait * batch / step;
    add(
        "04 waiting map, jitter 1.5",
        Step.waiting(step),
        CYCLE,
        new Working(
            "load",
            Cost.lognormal(wait, 1.5, batch * CYCLE, random),
            Cost.NONE,
            levels(even, even * 3 / 2, even * 2, even * 3, even * 4, even * 8)),
        new Batching(batch, Of.NUMBERS),
        new ReadingAhead(1, 4, 16));
  }

  /** Only a buffer helps: the function is not to be called concurrently. */
  private void sequentialJitter() {
    SplittableRandom random = random(5);
    int step = random.nextInt(6_000, 7_000);
    int cycle = 256;
    add(
        "05 sequential map, jitter 3",
        Step.waiting(step),
        cycle,
        new Working("load", Cost.lognormal(0.78 * step, 3, cycle, random), Cost.NONE),
        new ReadingAhead(1, 2, 8, 32, 64, 128, 256));
  }

  private void competing() {
    SplittableRandom random = random(6);
    Integer[] levels = levels(1, cores, 2 * cores);
    int first = random.nextInt(200, 400);
    int second = random.nextInt(700, 1_000);
    int third = random.nextInt(300, 600);
    add(
        "06 three computing maps",
        Step.NONE,
        1,
        new Working("parse", Cost.NONE, new Cost(first), levels),
        new Working("decode", Cost.NONE, new Cost(second), levels),
        new Working("augment", Cost.NONE, new Cost(third), levels),
        new Batching(4 * cores, Of.NUMBERS),
        new ReadingAhead(4));
  }

  private void waitingThenComputing() {
    SplittableRandom random = random(7);
    int wait = random.nextInt(8_000, 12_000);
    int cpu = random.nextInt(1_000, 1_400);
    int even = cores * wait / cpu;
    add(
        "07 waiting map, then computing",
        Step.NONE,
        1,
        new Working(
            "load",
            new Cost(wait),
            Cost.NONE,
            levels(even / 2, even, even * 3 / 2, even * 2, even * 4)),
        new Working("decode", Cost.NONE, new Cost(cpu), levels(1, cores, 2 * cores)),
        new Batching(6 * cores, Of.NUMBERS),
        new ReadingAhead(4));
  }

  private void heavyTail() {
    SplittableRandom random = random(8);
    int batch = 12 * cores;
    double each = random.nextDouble(3.5, 4.5);
    add(
        "08 heavy-tailed sizes",
        Step.NONE,
        CYCLE,
        new Sizing(
            "decode",
            Cost.pareto(120, 1.2, 1_000, batch * CYCLE, random),
            each,
            List.of(computingLevels())),
        new Batching(batch, Of.SIZES_THAT_DIFFER),
        new ReadingAhead(1, 4, 16));
  }

  private void slowFiles() {
    SplittableRandom random = random(9);
    int files = 64;
    int mean = 20;
    int batch = 128;
    add(
        "09 interleave of slow files",
        Step.NONE,
        files * mean / batch,
        new Opening(
            32,
            random.nextInt(25_000, 35_000),
            Cost.between(mean * 0.6, mean * 1.4, files, random),
            30,
            List.of(4, 8, 16, 24, 32)),
        new Batching(batch, Of.NUMBERS),
        new ReadingAhead(2, 16));
  }

  private void consumerBound() {
    SplittableRandom random = random(10);
    add(
        "10 slow consumer",
        Step.computing(random.nextInt(5_500, 6_500)),
        1,
        new Working("load", new Cost(2_000), Cost.NONE, 2, 4, 8, 16),
        new Working("decode", Cost.NONE, new Cost(random.nextInt(100, 200)), levels(1, cores)),
        new Batching(8, Of.NUMBERS),
        new ReadingAhead(1, 4));
  }

  private void costlyBatches() {
    SplittableRandom random = random(11);
    add(
        "11 cheap map, batch, costly map",
        Step.NONE,
        1,
        new Working(
            "parse", Cost.NONE, new Cost(random.nextInt(15, 25)), levels(1, cores, 2 * cores)),
        new Batching(32, Of.NUMBERS),
        new Working(
            "augment",
            Cost.NONE,
            new Cost(cores * random.nextInt(5_000, 7_000)),
            levels(1, cores, cores + 1, 2 * cores)),
        new ReadingAhead(4));
  }

  private void uneven() {
    SplittableRandom random = random(12);
    int batch = 5 * cores;
    add(
        "12 filter, uneven map, sequential map",
        Step.NONE,
        CYCLE,
        new Keeping(3, 20),
        new Working(
            "decode",
            Cost.NONE,
            Cost.between(200, 2_200, batch * CYCLE, random),
            computingLevels()),
        new Working("count", Cost.NONE, new Cost(random.nextInt(100, 200))),
        new Batching(batch, Of.NUMBERS),
        new ReadingAhead(1, 2, 8));
  }

  private SplittableRandom random(int number) {
    return new SplittableRandom(31 * seed + number);
  }

  private Integer[] computingLevels() {
    return levels(1, cores, cores + 1, 2 * cores, 4 * cores);
  }

  private static Integer[] levels(int... levels) {
    return IntStream.of(levels)
        .map(level -> Math.max(1, level))
        .distinct()
        .sorted()
        .boxed()
        .toArray(Integer[]::new);
  }

  private void add(String name, Step step, int cycle, AutotunePart... parts) {
    all.add(new AutotunePipeline(name, List.of(parts), step, cycle));
  }

  // ---- one at a time ----------------------------------------------------------------------------

  /**
   * Runs pipelines with every number left to the engine, and prints what it decided.
   *
   * <p>Arguments: a regular expression for the name, seconds (10), a setting instead of AUTOTUNE
   * (numbers with commas between).
   */
  public static void main(String[] arguments) {
    String wanted = arguments.length > 0 ? arguments[0] : ".*";
    double seconds = arguments.length > 1 ? Double.parseDouble(arguments[1]) : 10;
    Burn burn = Burn.calibrated();
    for (AutotunePipeline pipeline :
        all(
            Runtime.getRuntime().availableProcessors(),
            Long.getLong("headrace.autotune.seed", 1))) {
      if (!AutotuneBench.isWanted(pipeline.name(), wanted)) {
        continue;
      }
      AutotuneRun run =
          arguments.length > 2
              ? AutotuneRun.ofStatic(pipeline, burn, seconds, numbers(arguments[2]))
              : AutotuneRun.ofTuned(pipeline, burn, seconds);
      System.out.println(pipeline.name() + ": " + run);
      for (KnobChange change : run.decisions()) {
        System.out.printf(
            Locale.ROOT,
            "  %6.2f s %s %s %d -> %d: %s (predicted %.2f, measured %.2f, %s)%n",
            change.atNs() / 1e9,
            change.operator(),
            change.knob(),
            change.before(),
            change.after(),
            change.why(),
            change.predicted(),
            change.measured(),
            change.isKept() ? "kept" : "taken back");
      }
    }
  }

  static int[] numbers(String text) {
    return Stream.of(text.split(",")).mapToInt(one -> Integer.parseInt(one.strip())).toArray();
  }

  static String text(int... numbers) {
    return IntStream.of(numbers).mapToObj(Integer::toString).collect(Collectors.joining(","));
  }
}
