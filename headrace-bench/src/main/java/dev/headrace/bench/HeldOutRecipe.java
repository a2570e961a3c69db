package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.TrainingStep;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Plan;
import dev.headrace.spi.Scanned;
import dev.headrace.testing.SyntheticStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A held-out pipeline as a list of parts, from which it can be built with the cost of some parts
 * left out.
 *
 * @param step the time of a training step in microseconds
 * @param stepJitter the ratio of its standard deviation to its mean
 */
record HeldOutRecipe(
    int number, List<Part> parts, int step, boolean stepComputes, double stepJitter) {
  /** The suspect that is no part. */
  static final String CONSUMER = "consumer";

  private static final long LONG = 100_000_000;

  /** What a part does beside what it costs. */
  enum Verb {
    /** The source: numbers, without cost. */
    RANGE,
    /** The source: numbers, one call after another. */
    GENERATOR,
    /** The source: {@code size} datasets that take turns, each with the cost of its own calls. */
    INTERLEAVE,
    MAP,
    /** Keeps one of {@code size}. */
    FILTER,
    /** Makes {@code size} of each. */
    FLAT_MAP,
    SCAN,
    SHUFFLE,
    BATCH,
    PREFETCH
  }

  /**
   * One operator.
   *
   * @param size of a batch, buffer or group; what the verb makes of it
   * @param parallelism 0 for one call after another, −1 for AUTOTUNE
   */
  record Part(Verb verb, HeldOutWork work, int size, int parallelism) {
    static Part of(Verb verb, int size) {
      return new Part(verb, HeldOutWork.NONE, size, 0);
    }

    Part free() {
      return new Part(verb, HeldOutWork.NONE, size, parallelism);
    }

    Part withTimes(double factor) {
      return new Part(verb, work.withTimes(factor), size, parallelism);
    }

    boolean isSerial() {
      return parallelism == 0;
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder(verb.name().toLowerCase(Locale.ROOT));
      if (size != 0) {
        text.append('(').append(size == -1 ? "AUTOTUNE" : Integer.toString(size)).append(')');
      }
      if (!work.isNone()) {
        text.append('[').append(work);
        text.append(parallelism == 0 ? "" : parallelism < 0 ? ", AUTOTUNE" : ", " + parallelism);
        text.append(']');
      }
      return text.toString();
    }
  }

  /** The name of a part, in plans and verdicts. */
  static String nameOf(int part) {
    return "part" + part;
  }

  /** Everything whose cost can be left out: parts by their names, and the consumer. */
  List<String> suspects() {
    List<String> suspects = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      if (!parts.get(i).work.isNone()) {
        suspects.add(nameOf(i));
      }
    }
    if (step > 0) {
      suspects.add(CONSUMER);
    }
    return suspects;
  }

  /** The part of a name. */
  Part part(String name) {
    return parts.get(Integer.parseInt(name.substring("part".length())));
  }

  /** The same without the cost of a suspect. */
  HeldOutRecipe without(String suspect) {
    if (suspect.equals(CONSUMER)) {
      return new HeldOutRecipe(number, parts, 0, stepComputes, stepJitter);
    }
    List<Part> changed = new ArrayList<>(parts);
    int index = Integer.parseInt(suspect.substring("part".length()));
    changed.set(index, parts.get(index).free());
    return new HeldOutRecipe(number, List.copyOf(changed), step, stepComputes, stepJitter);
  }

  /** The same with buffers that bound nothing. */
  HeldOutRecipe withLargeBuffers() {
    List<Part> changed = new ArrayList<>();
    for (Part part : parts) {
      boolean isSmall = part.verb == Verb.PREFETCH && part.size >= 0;
      changed.add(isSmall ? Part.of(Verb.PREFETCH, 64 * part.size) : part);
    }
    return new HeldOutRecipe(number, List.copyOf(changed), step, stepComputes, stepJitter);
  }

  boolean hasFixedBuffers() {
    return parts.stream().anyMatch(part -> part.verb == Verb.PREFETCH && part.size > 0);
  }

  TrainingStep<Object> trainingStep() {
    Duration time = Duration.ofNanos(step * 1_000L);
    SyntheticStep plain =
        stepComputes ? SyntheticStep.computing(time) : SyntheticStep.waiting(time);
    return stepJitter == 0 ? plain : plain.withJitter(stepJitter, Seed.of(number));
  }

  Dataset<Object> dataset(Burn burn) {
    Dataset<Object> dataset = source(parts.getFirst(), burn).named(nameOf(0));
    for (int i = 1; i < parts.size(); i++) {
      dataset = after(dataset, parts.get(i), burn).named(nameOf(i));
    }
    return dataset;
  }

  private static Dataset<Object> source(Part part, Burn burn) {
    return switch (part.verb) {
      case GENERATOR -> Dataset.generator(() -> numbers(part.work, burn));
      case INTERLEAVE -> turns(part, burn);
      default -> asObjects(Dataset.range(LONG));
    };
  }

  @SuppressWarnings("unchecked") // datasets only give elements
  private static Dataset<Object> asObjects(Dataset<?> dataset) {
    return (Dataset<Object>) dataset;
  }

  private static Dataset<Object> turns(Part part, Burn burn) {
    ReentrantLock lock = new ReentrantLock();
    return Dataset.range(part.size)
        .interleave(
            file ->
                (Plan<Object>)
                    Dataset.range(LONG / 100)
                        .map(x -> (Object) part.work.spend(burn, lock, file * 7 + x)),
            part.size,
            1,
            part.size);
  }

  private static Iterator<Object> numbers(HeldOutWork work, Burn burn) {
    ReentrantLock lock = new ReentrantLock();
    return new Iterator<>() {
      private long next;

      @Override
      public boolean hasNext() {
        return true;
      }

      @Override
      public Object next() {
        return work.spend(burn, lock, next++);
      }
    };
  }

  private static Dataset<Object> after(Dataset<Object> input, Part part, Burn burn) {
    ReentrantLock lock = new ReentrantLock();
    HeldOutWork work = part.work;
    return switch (part.verb) {
      case RANGE, GENERATOR, INTERLEAVE ->
          throw new IllegalStateException("a source comes first: " + part);
      case MAP ->
          part.isSerial()
              ? input.map(x -> spent(x, work, burn, lock))
              : input.map(x -> spent(x, work, burn, lock), part.parallelism);
      case FILTER ->
          part.isSerial()
              ? input.filter(x -> isKept(spent(x, work, burn, lock), part.size))
              : input.filter(x -> isKept(spent(x, work, burn, lock), part.size), part.parallelism);
      case FLAT_MAP ->
          input.flatMap(
              x -> {
                long first = part.size * numberOf(spent(x, work, burn, lock));
                return (Plan<Object>)
                    Dataset.range(part.size).map(offset -> (Object) (first + offset));
              });
      case SCAN -> input.scan(0L, (sum, x) -> new Scanned<>(sum + 1, spent(x, work, burn, lock)));
      case SHUFFLE -> input.shuffle(part.size, Seed.of(1));
      case BATCH -> asObjects(input.batch(part.size, Collator.stack()));
      case PREFETCH -> input.prefetch(part.size);
    };
  }

  private static Object spent(Object element, HeldOutWork work, Burn burn, ReentrantLock lock) {
    long same = work.spend(burn, lock, numberOf(element));
    return same == Long.MIN_VALUE ? same : element;
  }

  private static long numberOf(Object element) {
    return element instanceof Tensor batch ? batch.longAt(0) : (Long) element;
  }

  private static boolean isKept(Object element, int oneOf) {
    return Math.floorMod(numberOf(element) * 0x9E3779B97F4A7C15L >>> 33, oneOf) == 0;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < parts.size(); i++) {
      text.append(i == 0 ? "" : ".").append(parts.get(i));
    }
    return text
        + "; step "
        + (stepComputes ? "computes " : "waits ")
        + step
        + " us"
        + (stepJitter == 0 ? "" : ", varying by %.1f".formatted(stepJitter));
  }
}
