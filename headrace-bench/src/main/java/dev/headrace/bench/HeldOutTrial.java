package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Doctor;
import dev.headrace.Pipeline;
import dev.headrace.TrainingStep;
import dev.headrace.profile.Advice;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Verdict;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What was said of a held-out pipeline, and what was measured of it.
 *
 * <p>The truth about the verdict: the cost of each suspect is left out in turn, and the one whose
 * loss makes the pipeline fastest is what limits it. The truth about a prediction: the change is
 * made, and measured. Neither asks the model. Two runs are compared over the same elements, because
 * some cost many times as much as others.
 *
 * @param gains how many times as fast it is without each suspect
 * @param isRight whether the verdict names a suspect that limits as much as any
 * @param predicted how many times as fast the first advice would make it; 1 where there was none
 * @param measured how many times as fast it did; NaN where it could not be tried
 * @param unrest how much two measurements of the pipeline as it is differed, before and after the
 *     others, as a ratio of 1 or more
 */
record HeldOutTrial(
    HeldOutRecipe recipe,
    String said,
    Map<String, Double> gains,
    boolean isRight,
    double predicted,
    double measured,
    double unrest) {

  /** Two measurements of the same differ by as much. */
  private static final double CHANCE = 0.05;

  /** A suspect limits as much as another one if it brings so much of the other's gain. */
  private static final double AS_MUCH = 0.7;

  /** Less is no gain. */
  private static final double LEAST_GAIN = 1.1;

  /** A gain of this is missed where no advice is given. */
  private static final double WORTH_SAYING = 1.3;

  /** Where the machine changed by more between two measurements, nothing is known. */
  private static final double MOST_UNREST = 1.25;

  private static final String BUFFERS = "buffers";

  /** Whether the machine was quiet enough to tell what is true. */
  boolean isKnown() {
    return unrest <= MOST_UNREST;
  }

  /** How far off the prediction was, as {@link dev.headrace.profile.Trial#error} says. */
  double error() {
    return predicted / measured - 1;
  }

  static HeldOutTrial of(HeldOutRecipe recipe, Burn burn, double seconds) throws Exception {
    Diagnosis diagnosis =
        Doctor.of(recipe.dataset(burn)).step(recipe.trainingStep()).seconds(seconds).examine();
    Run before = run(recipe, burn, 0.4 * seconds);
    Map<String, Run> runs = new LinkedHashMap<>();
    for (String suspect : recipe.suspects()) {
      runs.put(suspect, run(recipe.without(suspect), burn, 0.35 * seconds));
    }
    if (diagnosis.verdict().kind() == Verdict.Kind.BUFFER_BOUND) {
      runs.put(BUFFERS, run(recipe.withLargeBuffers(), burn, 0.5 * seconds));
    }
    Run after = run(recipe, burn, 0.7 * seconds);
    Map<String, Double> gains = new LinkedHashMap<>();
    runs.forEach((suspect, run) -> gains.put(suspect, run.gainOver(before, after)));
    Advice first = diagnosis.advice().isEmpty() ? null : diagnosis.advice().getFirst();
    double measured = Double.NaN;
    if (first == null) {
      measured = missed(recipe, gains, burn, before, after, seconds);
    } else if (first.isApplicable()) {
      Dataset<Object> changed = recipe.dataset(burn).with(first);
      measured = run(changed, recipe.trainingStep(), 0.75 * seconds).gainOver(before, after);
    }
    double changed = after.gainOver(before);
    return new HeldOutTrial(
        recipe,
        said(diagnosis, first),
        gains,
        isRight(recipe, diagnosis.verdict(), gains),
        first == null ? 1 : first.speedup(),
        measured,
        Math.max(changed, 1 / changed));
  }

  /**
   * Where no change was advised: how much it brings to read ahead at the end, if that is a lot;
   * else nothing was missed.
   */
  private static double missed(
      HeldOutRecipe recipe,
      Map<String, Double> gains,
      Burn burn,
      Run before,
      Run after,
      double seconds)
      throws Exception {
    boolean readsAhead = recipe.parts().getLast().verb() == HeldOutRecipe.Verb.PREFETCH;
    if (readsAhead || gains.values().stream().noneMatch(gain -> gain > WORTH_SAYING)) {
      return Double.NaN;
    }
    double brings =
        run(recipe.dataset(burn).prefetch(2), recipe.trainingStep(), 0.5 * seconds)
            .gainOver(before, after);
    return brings > WORTH_SAYING ? brings : Double.NaN;
  }

  // ---- measuring --------------------------------------------------------------------------------

  private static Run run(HeldOutRecipe recipe, Burn burn, double seconds) throws Exception {
    return run(recipe.dataset(burn), recipe.trainingStep(), seconds);
  }

  private static Run run(Dataset<Object> dataset, TrainingStep<Object> step, double seconds)
      throws Exception {
    try (Pipeline<Object> pipeline = dataset.options(dataset.options().asWritten()).open()) {
      Iterator<Object> elements = pipeline.iterator();
      LongStream.Builder ends = LongStream.builder();
      long begin = System.nanoTime();
      long warmAt = begin + (long) (seconds * 0.5e9);
      long end = begin + (long) (seconds * 1e9);
      long latest = begin + (long) (seconds * 4e9); // slow ones get longer
      int count = 0;
      int warm = -1;
      long now = begin;
      while (now < end || (count - warm <= Run.FEWEST && now < latest)) {
        step.step(elements.next());
        now = System.nanoTime();
        ends.add(now);
        warm = warm < 0 && now >= warmAt ? count : warm;
        count++;
      }
      return new Run(ends.build().toArray(), Math.max(0, warm));
    }
  }

  /**
   * A run of a pipeline.
   *
   * @param ends when the step on each element was done, in ns
   * @param warm the first element that counts
   */
  record Run(long[] ends, int warm) {
    /** Fewer elements tell nothing. */
    static final int FEWEST = 12;

    /** How many times as fast as two others in the mean. */
    double gainOver(Run one, Run other) {
      return Math.sqrt(gainOver(one) * gainOver(other));
    }

    /**
     * How many times as fast as another: over the elements that both got to, or, where one is so
     * much faster that these are few, each over its own.
     */
    double gainOver(Run other) {
      int from = Math.max(warm, other.warm);
      int to = Math.min(ends.length, other.ends.length) - 1;
      return to - from >= FEWEST
          ? other.nsEach(from, to) / nsEach(from, to)
          : other.nsEach(other.warm, other.ends.length - 1) / nsEach(warm, ends.length - 1);
    }

    private double nsEach(int from, int to) {
      return to <= from ? ends[to] - ends[0] + 1.0 : (double) (ends[to] - ends[from]) / (to - from);
    }
  }

  // ---- judging ----------------------------------------------------------------------------------

  static boolean isRight(HeldOutRecipe recipe, Verdict verdict, Map<String, Double> gains) {
    return switch (verdict.kind()) {
      case CONSUMER_BOUND -> limits(HeldOutRecipe.CONSUMER, gains);
      case BALANCED -> isBalanced(gains);
      case BUFFER_BOUND -> gains.getOrDefault(BUFFERS, 1.0) >= LEAST_GAIN;
      case INPUT_BOUND, SERIAL_BOUND, SOURCE_BOUND, MEMORY_BOUND -> {
        String suspect = named(recipe, verdict, gains);
        yield suspect != null
            && limits(suspect, gains)
            && fits(recipe.part(suspect), verdict.kind());
      }
      case TRANSFER_BOUND, DEVICE_MEMORY_BOUND, STARTUP_BOUND -> false; // there are none
    };
  }

  /** The suspect that a verdict names; where it names only the memory, what fills it most. */
  private static @Nullable String named(
      HeldOutRecipe recipe, Verdict verdict, Map<String, Double> gains) {
    for (String suspect : recipe.suspects()) {
      boolean isIt = verdict.where().contains("'" + suspect + "'");
      boolean fills =
          verdict.kind() == Verdict.Kind.MEMORY_BOUND
              && !suspect.equals(HeldOutRecipe.CONSUMER)
              && recipe.part(suspect).work().bytes() > 0
              && limits(suspect, gains);
      if (isIt || fills) {
        return suspect;
      }
    }
    return null;
  }

  /** Whether without it the pipeline is as fast as without any other one, or nearly. */
  private static boolean limits(String suspect, Map<String, Double> gains) {
    double own = gains.getOrDefault(suspect, 0.0);
    double best = best(gains);
    return own >= best - CHANCE || Math.log(own) >= AS_MUCH * Math.log(best);
  }

  private static boolean isBalanced(Map<String, Double> gains) {
    double consumer = gains.getOrDefault(HeldOutRecipe.CONSUMER, 1.0);
    double others =
        gains.entrySet().stream()
            .filter(gain -> !gain.getKey().equals(HeldOutRecipe.CONSUMER))
            .mapToDouble(Map.Entry::getValue)
            .max()
            .orElse(1);
    return best(gains) < LEAST_GAIN + CHANCE
        || Math.abs(Math.log(consumer / others)) < Math.log(LEAST_GAIN + CHANCE);
  }

  private static double best(Map<String, Double> gains) {
    return gains.entrySet().stream()
        .filter(gain -> !gain.getKey().equals(BUFFERS))
        .mapToDouble(Map.Entry::getValue)
        .max()
        .orElse(1);
  }

  /** Whether such a part can be limited in such a way: several workers are not serial, … */
  private static boolean fits(HeldOutRecipe.Part part, Verdict.Kind kind) {
    boolean isSource =
        part.verb() == HeldOutRecipe.Verb.GENERATOR || part.verb() == HeldOutRecipe.Verb.INTERLEAVE;
    return switch (kind) {
      case SERIAL_BOUND -> part.isSerial() || part.work().locks();
      case SOURCE_BOUND -> isSource || part.work().kind() != HeldOutWork.Kind.COMPUTES;
      case MEMORY_BOUND -> part.work().bytes() > 0;
      default -> true;
    };
  }

  // ---- telling ----------------------------------------------------------------------------------

  private static String said(Diagnosis diagnosis, @Nullable Advice first) {
    return "%s %s; %s"
        .formatted(
            diagnosis.verdict().kind(),
            diagnosis.verdict().where(),
            first == null ? "no advice" : first.action() + " " + first.where());
  }

  /** What was said and what is true, in a line. */
  String line() {
    StringBuilder text = new StringBuilder(!isKnown() ? "unknown" : isRight ? "right" : "WRONG");
    text.append(": ").append(said);
    if (!Double.isNaN(measured)) {
      text.append(
          String.format(
              Locale.ROOT,
              ", predicted %.2f, measured %.2f, off by %+.0f %%",
              predicted,
              measured,
              100 * error()));
    }
    text.append("; without");
    gains.forEach(
        (suspect, gain) -> text.append(String.format(Locale.ROOT, " %s %.2f", suspect, gain)));
    return text.toString();
  }
}
