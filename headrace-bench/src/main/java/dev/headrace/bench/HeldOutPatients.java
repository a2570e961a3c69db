package dev.headrace.bench;

import dev.headrace.bench.HeldOutRecipe.Part;
import dev.headrace.bench.HeldOutRecipe.Verb;
import dev.headrace.bench.HeldOutWork.Kind;
import dev.headrace.bench.HeldOutWork.Spread;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Puts pipelines together at random. What is wrong with them is not known until it is measured.
 *
 * <p>They are held out: they judge the diagnosis, and it must not be improved by looking at them.
 * {@link Patients} are for that. The seeds are in {@code held-out-seeds.txt}.
 */
final class HeldOutPatients {
  private static final String SEEDS = "held-out-seeds.txt";
  private static final int AUTOTUNE = -1;
  private static final double MOST_BATCH_MICROS = 10_000;
  private static final double MOST_STEP_MICROS = 12_000;

  private final SplittableRandom random;

  HeldOutPatients(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** The seeds by the numbers of their sets. */
  static Map<Integer, Long> seeds() throws IOException {
    InputStream stored = HeldOutPatients.class.getResourceAsStream(SEEDS);
    if (stored == null) {
      throw new IOException(SEEDS + ": expected it beside the classes, but it is not there");
    }
    Map<Integer, Long> seeds = new LinkedHashMap<>();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stored, StandardCharsets.UTF_8))) {
      for (String line : lines.lines().filter(text -> !text.startsWith("#")).toList()) {
        String[] words = line.strip().split(" ");
        seeds.put(Integer.valueOf(words[0]), Long.valueOf(words[1]));
      }
    }
    return seeds;
  }

  List<HeldOutRecipe> make(int count) {
    List<HeldOutRecipe> recipes = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      recipes.add(recipe(i));
    }
    return recipes;
  }

  private HeldOutRecipe recipe(int number) {
    List<Part> parts = new ArrayList<>();
    parts.add(source());
    int working = between(1, 3);
    for (int i = 0; i < working; i++) {
      if (chance(0.15)) {
        parts.add(Part.of(Verb.PREFETCH, oneOf(1, 2, 8, AUTOTUNE)));
      }
      if (chance(0.1)) {
        parts.add(Part.of(Verb.SHUFFLE, between(8, 64)));
      }
      parts.add(worker());
    }
    int batch = chance(0.75) ? between(2, 12) : 1;
    if (batch > 1) {
      parts.add(Part.of(Verb.BATCH, batch));
      if (chance(0.2)) {
        parts.add(new Part(Verb.MAP, work(100 * batch), 0, oneOf(0, 0, 2, 4, AUTOTUNE)));
      }
    }
    if (chance(0.65)) {
      parts.add(Part.of(Verb.PREFETCH, oneOf(1, 2, 4, 8, AUTOTUNE, AUTOTUNE)));
    }
    List<Part> bounded = bounded(parts);
    // About as long as the slowest part would take for a batch, from a tenth of it to thrice.
    double times = Math.exp(between(-2.3, 1.1));
    int step = chance(0.1) ? 0 : (int) Math.min(MOST_STEP_MICROS, slowest(bounded) * times);
    double jitter = chance(0.3) ? between(0.3, 1.2) : 0;
    return new HeldOutRecipe(number, bounded, step, chance(0.15), jitter);
  }

  /** The same with shorter calls where a batch would take too long for a short look. */
  private static List<Part> bounded(List<Part> parts) {
    double factor = Math.min(1, MOST_BATCH_MICROS / slowest(parts));
    return parts.stream().map(part -> part.withTimes(factor)).toList();
  }

  /** About how long the slowest part takes for a batch, on workers that do not disturb others. */
  private static double slowest(List<Part> parts) {
    double slowest = 100;
    double calls = 1; // of this part for one delivered element
    for (Part part : parts.reversed()) {
      switch (part.verb()) {
        case BATCH, FILTER -> calls *= part.size();
        case FLAT_MAP -> calls /= part.size();
        default -> {}
      }
      double workers = part.isSerial() ? 1 : part.parallelism() < 0 ? 6 : part.parallelism();
      double share = Math.max(1 / workers, part.work().lockShare());
      slowest = Math.max(slowest, calls * part.work().micros() * share);
    }
    return slowest;
  }

  private Part source() {
    double which = random.nextDouble();
    if (which < 0.55) {
      return Part.of(Verb.RANGE, 0);
    }
    return which < 0.8
        ? new Part(Verb.GENERATOR, work(400), 0, 0)
        : new Part(Verb.INTERLEAVE, waiting(1_500), between(2, 6), 1);
  }

  private Part worker() {
    double which = random.nextDouble();
    if (which < 0.62) {
      return new Part(Verb.MAP, work(800), 0, oneOf(0, 0, 0, 2, 3, 4, 8, AUTOTUNE, AUTOTUNE));
    }
    if (which < 0.72) {
      return new Part(Verb.MAP, locking(), 0, oneOf(2, 4, 8, AUTOTUNE));
    }
    if (which < 0.82) {
      return new Part(Verb.FILTER, work(300), between(2, 4), oneOf(0, 0, 4, AUTOTUNE));
    }
    return which < 0.91
        ? new Part(Verb.FLAT_MAP, work(900), between(2, 4), 0)
        : new Part(Verb.SCAN, work(500), 0, 0);
  }

  private HeldOutWork work(int aboutMicros) {
    Kind kind = oneOf(Kind.values());
    int micros = (int) (aboutMicros * Math.exp(between(-1.5, 1.5)));
    if (kind != Kind.COMPUTES) {
      micros = Math.max(400, 2 * micros); // a shorter sleep is mostly waking
    }
    int bytes = chance(0.12) ? between(50_000, 400_000) : 0;
    return new HeldOutWork(kind, spread(), micros, 0, bytes, random.nextLong());
  }

  private HeldOutWork waiting(int aboutMicros) {
    int micros = (int) Math.max(400, aboutMicros * Math.exp(between(-1.0, 1.0)));
    return new HeldOutWork(Kind.SLEEPS, spread(), micros, 0, 0, random.nextLong());
  }

  private HeldOutWork locking() {
    HeldOutWork work = work(800);
    return new HeldOutWork(
        work.kind(), work.spread(), work.micros(), between(0.3, 0.9), 0, work.seed());
  }

  private Spread spread() {
    return chance(0.35) ? Spread.CONSTANT : oneOf(Spread.values());
  }

  // ---- drawing ----------------------------------------------------------------------------------

  private boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  private int between(int low, int high) {
    return random.nextInt(low, high + 1);
  }

  private double between(double low, double high) {
    return random.nextDouble(low, high);
  }

  private int oneOf(int... values) {
    return values[random.nextInt(values.length)];
  }

  private <E extends Enum<E>> E oneOf(E[] values) {
    return values[random.nextInt(values.length)];
  }
}
