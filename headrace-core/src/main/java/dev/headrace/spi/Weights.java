package dev.headrace.spi;

import dev.headrace.data.Plural;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How often each of several datasets is drawn from, relative to the others: fixed, by a schedule,
 * or changed by hand while pipelines run.
 *
 * <pre>{@code
 * Weights weights = Weights.of(0.7, 0.3);
 * Dataset<Row> mix = Dataset.sampleFrom(List.of(web, books), weights, Seed.of(1));
 * …
 * weights.set(0.5, 0.5);    // from the next choice on that was not made yet
 * weights.changes();        // what changed at which element
 * }</pre>
 *
 * <pre>{@code
 * Weights.at(n -> n < 100_000 ? new double[] {1, 0} : new double[] {0.7, 0.3})   // a curriculum
 * Weights.replaying(new double[] {0.7, 0.3}, weights.changes())                  // what was changed by hand
 * }</pre>
 *
 * <p>A schedule is asked by the number of the element, so that what is drawn does not depend on how
 * far somebody reads ahead, and nothing of it need be saved.
 *
 * <p>A change by hand holds from a certain choice on, which is noted; read-ahead choices stand. A
 * checkpoint carries the weights in force, the changes made so far and one that waits; opening it
 * sets these weights and repeats the changes at the same elements.
 *
 * <p><b>Threading:</b> safe for any thread.
 */
public sealed class Weights implements Identified {

  /**
   * One change of the weights.
   *
   * @param pass the pass over the mixture, counting epochs and repetitions
   * @param element the first element of that pass that was drawn with the new weights
   */
  public record Change(long pass, long element, List<Double> before, List<Double> after) {}

  /** Weights by the number of the element that is drawn, from 0 in each pass. */
  @FunctionalInterface
  public interface Schedule extends UserFunction {
    /**
     * The weights for an element, the same whenever they are asked for; at least one is above 0.
     */
    double[] at(long element) throws Exception;
  }

  private final double[] initial;
  private final boolean isFixed;

  /** What was asked for last, and how many requests there were so far. */
  private double[] wanted;

  private long requests;

  /** How often a checkpoint brought changes. */
  private long brought;

  private @Nullable Course latest;

  private Weights(double[] weights, boolean isFixed) {
    this.initial = checked(weights.clone());
    this.wanted = initial;
    this.isFixed = isFixed;
  }

  /** Weights that may be changed later. They need not sum up to 1. */
  public static Weights of(double... weights) {
    return new Weights(weights, false);
  }

  /** Weights that never change. */
  public static Weights fixed(double... weights) {
    return new Weights(weights, true);
  }

  /**
   * Weights that follow a schedule. With {@code stopOnEmpty} false every draw counts as an element,
   * also one that meets a dataset which has ended, and the mixture ends when all that may be drawn
   * at that element have ended. Where the schedule fails, or gives other than weights, that element
   * does.
   */
  public static Weights at(Schedule schedule) {
    Objects.requireNonNull(schedule, "Weights.at: expected a function, but got null");
    double[] first;
    try {
      first = Objects.requireNonNull(schedule.at(0), "it returned null");
    } catch (Exception e) {
      throw new IllegalArgumentException("Weights.at: expected weights for element 0, but " + e, e);
    }
    return new Scheduled(
        first,
        (pass, element) -> schedule.at(element),
        schedule,
        FunctionIdentity.labelOf(schedule));
  }

  /**
   * Weights that change as others were changed by hand: in the same passes, from the same elements
   * on, and so that the same is drawn.
   *
   * @param first the weights before the first change
   * @param changes as {@link #changes} gave them
   */
  public static Weights replaying(double[] first, List<Change> changes) {
    double[] before = first.clone();
    List<Change> all = List.copyOf(changes);
    return new Scheduled(
        before,
        (pass, element) -> recorded(before, all, pass, element),
        List.of(Arrays.toString(before), all.toString()),
        "replaying");
  }

  private static double[] recorded(double[] first, List<Change> all, long pass, long element) {
    double[] inForce = first;
    for (Change change : all) {
      if (change.pass < pass || (change.pass == pass && change.element <= element)) {
        inForce = change.after.stream().mapToDouble(Double::doubleValue).toArray();
      }
    }
    return inForce;
  }

  private static double[] checked(double[] weights) {
    double sum = 0;
    for (double weight : weights) {
      if (!(weight >= 0) || weight > Float.MAX_VALUE) {
        throw new IllegalArgumentException(
            "Weights: expected numbers of at least 0, but got " + Arrays.toString(weights));
      }
      sum += (float) weight;
    }
    if (!(sum > 0)) {
      throw new IllegalArgumentException(
          "Weights: expected at least one weight above 0, but got " + Arrays.toString(weights));
    }
    return weights;
  }

  /** Changes the weights from the next choice on, in all open pipelines with these weights. */
  public synchronized void set(double... weights) {
    if (isScheduled()) {
      throw new IllegalStateException(
          "Weights.set: expected weights that may change, but these follow a schedule; use"
              + " Weights.of");
    }
    if (isFixed) {
      throw new IllegalStateException(
          "Weights.set: expected weights that may change, but these are fixed; use Weights.of");
    }
    if (weights.length != initial.length) {
      throw new IllegalArgumentException(
          "Weights.set: expected %d %s, but got %d"
              .formatted(initial.length, Plural.word(initial.length, "weight"), weights.length));
    }
    wanted = checked(weights.clone());
    requests++;
  }

  /** The weights that were set last, or that a checkpoint brought. */
  public synchronized double[] current() {
    return wanted.clone();
  }

  /** How many weights there are. */
  public int size() {
    return initial.length;
  }

  public boolean isFixed() {
    return isFixed;
  }

  /** Whether they are to be asked for {@link #forElement} by element. */
  public boolean isScheduled() {
    return false;
  }

  /**
   * The weights for an element of a pass, where they follow a schedule.
   *
   * @throws Exception if the schedule fails, or does not give weights
   */
  public double[] forElement(long pass, long element) throws Exception {
    return initial;
  }

  /** The weights that these began with. */
  public double[] initial() {
    return initial.clone();
  }

  /**
   * The changes that took effect in the pipeline that was opened last, oldest first; those of its
   * earlier lives, before checkpoints, too.
   */
  public synchronized List<Change> changes() {
    return latest == null ? List.of() : List.copyOf(latest.changes);
  }

  /** Begins the course of these weights in a pipeline that is being opened. */
  public synchronized Course begin() {
    Course course = new Course();
    latest = course;
    return course;
  }

  /** The weights that a pipeline begins with which is opened now. */
  @Override
  public synchronized Object identity() {
    return wanted.clone();
  }

  /** What tells whether they were changed by hand since it was asked before. */
  public synchronized String version() {
    return requests + brought == 0 ? "" : "weights, change " + (requests + brought);
  }

  @Override
  public String toString() {
    return Arrays.toString(initial);
  }

  /** Weights that follow a schedule by element and are not changed by hand. */
  private static final class Scheduled extends Weights implements FunctionIdentity.Named {
    private interface ByPass {
      double[] at(long pass, long element) throws Exception;
    }

    private final ByPass schedule;
    private final Object identity;
    private final String name;

    Scheduled(double[] first, ByPass schedule, Object identity, String name) {
      super(first, false);
      this.schedule = schedule;
      this.identity = identity;
      this.name = name;
    }

    @Override
    public boolean isScheduled() {
      return true;
    }

    @Override
    public double[] forElement(long pass, long element) throws Exception {
      double[] weights = schedule.at(pass, element);
      if (weights == null || weights.length != size()) {
        throw new IllegalArgumentException(
            "Weights.at: expected %d %s for element %d, but got %s"
                .formatted(
                    size(), Plural.word(size(), "weight"), element, Arrays.toString(weights)));
      }
      return checked(weights.clone());
    }

    @Override
    public String functionName() {
      return name;
    }

    @Override
    public Object identity() {
      return identity;
    }

    @Override
    public String toString() {
      return "scheduled";
    }
  }

  /**
   * What becomes of the weights in one pipeline.
   *
   * <p><b>Threading:</b> guarded by its weights.
   */
  public final class Course {
    private final List<Change> changes = new ArrayList<>();
    private double[] inForce;
    private long requestsSeen;
    private boolean hasBegun;

    private Course() {
      this.inForce = wanted;
      this.requestsSeen = requests;
    }

    /** The weights for a pass that begins. Not to be written to, as all arrays here. */
    public double[] atStart() {
      synchronized (Weights.this) {
        return inForce;
      }
    }

    /** The weights for the next choice, where it is made for the first time. */
    public double[] next() {
      synchronized (Weights.this) {
        hasBegun = true;
        if (requestsSeen < requests) {
          requestsSeen = requests;
          inForce = wanted;
        }
        return inForce;
      }
    }

    /** Notes a change that took effect. */
    public void note(long pass, long element, double[] before, double[] after) {
      synchronized (Weights.this) {
        changes.add(new Change(pass, element, listed(before), listed(after)));
      }
    }

    /** What a checkpoint carries: the weights wanted now, and all changes so far. */
    public State save() {
      synchronized (Weights.this) {
        long[] numbers = new long[changes.size() * (2 + 2 * initial.length)];
        int at = 0;
        for (Change change : changes) {
          numbers[at++] = change.pass;
          numbers[at++] = change.element;
          for (List<Double> weights : List.of(change.before, change.after)) {
            for (double weight : weights) {
              numbers[at++] = Double.doubleToRawLongBits(weight);
            }
          }
        }
        double[] last = requestsSeen < requests ? wanted : inForce;
        return State.of("wanted", toBits(last), "changes", numbers);
      }
    }

    /** Takes over what a checkpoint carried, unless this course has begun: it knows better then. */
    public void restore(State state) {
      int width = initial.length;
      double[] last = fromBits(state.numbers("wanted"), 0);
      long[] numbers = state.numbers("changes");
      if (numbers.length % (2 + 2 * width) != 0) {
        throw new State.InvalidState(
            "checkpoint: expected changes of %d %s, but got %d %s"
                .formatted(
                    width,
                    Plural.word(width, "weight"),
                    numbers.length,
                    Plural.word(numbers.length, "number")));
      }
      List<Change> saved = new ArrayList<>();
      for (int at = 0; at < numbers.length; at += 2 + 2 * width) {
        saved.add(
            new Change(
                numbers[at],
                numbers[at + 1],
                listed(fromBits(numbers, at + 2)),
                listed(fromBits(numbers, at + 2 + width))));
      }
      synchronized (Weights.this) {
        if (!hasBegun) {
          hasBegun = true;
          changes.clear();
          changes.addAll(saved);
          inForce = last;
          wanted = last;
          brought += saved.isEmpty() ? 0 : 1;
        }
      }
    }

    /** Weights as the numbers of a position. */
    public long[] toBits(double[] weights) {
      long[] bits = new long[weights.length];
      for (int i = 0; i < bits.length; i++) {
        bits[i] = Double.doubleToRawLongBits(weights[i]);
      }
      return bits;
    }

    /** Weights from the numbers of a position, from {@code at} on. */
    public double[] fromBits(long[] bits, int at) {
      if (bits.length - at < initial.length) {
        throw new State.InvalidState(
            "checkpoint: expected %d %s, but got %d"
                .formatted(
                    initial.length, Plural.word(initial.length, "weight"), bits.length - at));
      }
      double[] weights = new double[initial.length];
      for (int i = 0; i < weights.length; i++) {
        weights[i] = Double.longBitsToDouble(bits[at + i]);
      }
      try {
        return checked(weights);
      } catch (IllegalArgumentException e) {
        throw new State.InvalidState(
            "checkpoint: " + Objects.requireNonNullElse(e.getMessage(), "expected weights"));
      }
    }

    private static List<Double> listed(double[] weights) {
      return Arrays.stream(weights).boxed().toList();
    }
  }
}
