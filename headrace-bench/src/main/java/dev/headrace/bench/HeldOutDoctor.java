package dev.headrace.bench;

import dev.headrace.data.Plural;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether the diagnosis is right about pipelines that it was not improved on: the other half of
 * {@code bench doctor}.
 */
public final class HeldOutDoctor implements Scenario {
  public static final int USUAL_COUNT = 90;
  public static final double USUAL_SECONDS = 1.5;

  private static final double FAR_OFF = 0.2;

  private final int seedSet;
  private final int count;
  private final double seconds;
  private final List<String> notes = new ArrayList<>();

  /**
   * Makes the scenario.
   *
   * @param seedSet which of the sets in {@code held-out-seeds.txt}
   * @param seconds how long the diagnosis may look at each
   */
  public HeldOutDoctor(int seedSet, int count, double seconds) {
    this.seedSet = seedSet;
    this.count = count;
    this.seconds = seconds;
  }

  /** The numbers of the sets of seeds. */
  public static List<Integer> seedSets() throws IOException {
    return List.copyOf(HeldOutPatients.seeds().keySet());
  }

  @Override
  public String name() {
    return "doctor";
  }

  @Override
  public String summary() {
    return "pipelines put together at random: is the verdict right, and the prediction";
  }

  @Override
  public List<String> notes() {
    return List.copyOf(notes);
  }

  @Override
  public List<Row> run(Setup setup) throws IOException, InterruptedException {
    Long seed = HeldOutPatients.seeds().get(seedSet);
    if (seed == null) {
      throw new IllegalArgumentException(
          "seed set: expected one of %s, but got %d".formatted(seedSets(), seedSet));
    }
    double loadBefore = Machine.load();
    Burn burn = Burn.calibrated();
    List<HeldOutTrial> trials = new ArrayList<>();
    for (HeldOutRecipe recipe : new HeldOutPatients(seed).make(count)) {
      setup.progress().accept("%d of %d: %s".formatted(recipe.number(), count, recipe));
      try {
        HeldOutTrial trial = HeldOutTrial.of(recipe, burn, seconds);
        trials.add(trial);
        setup.progress().accept("   " + trial.line());
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(
            "held-out %d: %s: %s".formatted(recipe.number(), recipe, e), e);
      }
    }
    notes.add(
        String.format(
            Locale.ROOT,
            "held out, seed set %d, %d %s, %.1f s a look; load %.2f before, %.2f after",
            seedSet,
            count,
            Plural.word(count, "pipeline"),
            seconds,
            loadBefore,
            Machine.load()));
    long unknown = trials.stream().filter(trial -> !trial.isKnown()).count();
    if (unknown > 0) {
      notes.add(
          "%d of %d %s left out: the machine changed so much meanwhile that what is true cannot be known"
              .formatted(unknown, count, unknown == 1 ? "is" : "are"));
    }
    trials.stream()
        .filter(HeldOutTrial::isKnown)
        .filter(trial -> !trial.isRight() || Math.abs(trial.error()) > FAR_OFF)
        .forEach(
            trial ->
                notes.add(
                    "%d: %s: %s".formatted(trial.recipe().number(), trial.line(), trial.recipe())));
    return rows(trials);
  }

  static List<Row> rows(List<HeldOutTrial> all) {
    List<HeldOutTrial> trials = all.stream().filter(HeldOutTrial::isKnown).toList();
    List<Row> rows = new ArrayList<>();
    long right = trials.stream().filter(HeldOutTrial::isRight).count();
    rows.add(share("held out: right verdicts of " + trials.size(), right, trials.size()));
    double[] errors =
        trials.stream()
            .mapToDouble(trial -> 100 * Math.abs(trial.error()))
            .filter(error -> !Double.isNaN(error))
            .sorted()
            .toArray();
    if (errors.length > 0) {
      rows.add(off("held out: prediction off by, median of " + errors.length, errors, 0.5, null));
      rows.add(off("held out: prediction off by, P90 of " + errors.length, errors, 0.9, 20.0));
    }
    return rows;
  }

  private static Row share(String name, long some, int all) {
    double share = 100.0 * some / Math.max(1, all);
    return Row.alone(name, "%", new Interval(share, share, share), Bar.atLeast(98));
  }

  private static Row off(String name, double[] sorted, double share, @Nullable Double limit) {
    double value = Interval.percentile(sorted, share);
    return Row.alone(
        name, "%", new Interval(value, value, value), limit == null ? null : Bar.atMost(limit));
  }
}
