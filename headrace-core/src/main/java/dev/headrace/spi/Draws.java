package dev.headrace.spi;

import dev.headrace.data.Seed;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What is settled once for a pipeline and not by its plan: the seeds of operators that were given
 * none, and which passes over a file cache ran its input, failures included, instead of reading the
 * file. All seeds follow from one that is drawn when the first is asked for, and from the
 * operator's place.
 *
 * <p>So a checkpoint carries all of it, also for operators that were opened after the position it
 * tells: of datasets that a function returns, of the second part of a concatenation.
 *
 * <p><b>Threading:</b> safe for any thread.
 */
public final class Draws {
  /** Among the passes of a place that ran its input: all others read the file. */
  private static final long OTHERS_READ = -1;

  private final Supplier<Seed> first;
  private final BooleanSupplier followsRestored;
  private final Runs runs;
  private final long within;
  private @Nullable Seed root;
  private boolean isRestored;

  /** Of places whose elements are those of another run: its seed. */
  private final Map<Long, Seed> told = new TreeMap<>();

  private Draws(Supplier<Seed> first, BooleanSupplier followsRestored, Runs runs, long within) {
    this.first = first;
    this.followsRestored = followsRestored;
    this.runs = runs;
    this.within = within;
  }

  /** Those of a pipeline. */
  public static Draws random() {
    return new Draws(Seed::random, () -> false, new Runs(), 0);
  }

  /** Those of the operators before a place, which are a plan of their own. */
  public Draws before(long place) {
    return new Draws(() -> at(place), () -> earlier(place) != null, runs, mixed(within, place));
  }

  /** The seed of a place. */
  public synchronized Seed at(long place) {
    Seed known = told.get(place);
    return known != null
        ? known
        : new Seed(mixed(root().first(), place), mixed(root().second(), place));
  }

  /** The seed that a place had in an earlier life; null if this is the first. */
  public synchronized @Nullable Seed earlier(long place) {
    return isRestored || followsRestored.getAsBoolean() ? at(place) : null;
  }

  private static long mixed(long seed, long place) {
    return new Id(new Id(null, seed), place).mixed();
  }

  private Seed root() {
    Seed known = root;
    if (known == null) {
      known = first.get();
      root = known;
    }
    return known;
  }

  /** Takes over the seed that another run had at a place. */
  public synchronized void tell(long place, Seed seed) {
    if (!at(place).equals(seed)) {
      told.put(place, seed);
    }
  }

  /**
   * Notes that a pass over a place runs its input, or that from now on passes that have not begun
   * read a file instead.
   */
  public void notePass(long place, long pass, boolean runsInput) {
    runs.note(mixed(within, place), runsInput ? pass : OTHERS_READ);
  }

  /** Whether a pass ran its input in an earlier life; empty if that did not settle it. */
  public Optional<Boolean> ranBefore(long place, long pass) {
    return runs.before(mixed(within, place), pass);
  }

  /** The seeds alone: how many, what they follow from, and those of places. */
  public synchronized long[] seeds() {
    Seed known = root;
    if (known == null) {
      return new long[0];
    }
    LongStream.Builder numbers = LongStream.builder();
    numbers.add(1L + told.size()).add(known.first()).add(known.second());
    told.forEach((place, seed) -> numbers.add(place).add(seed.first()).add(seed.second()));
    return numbers.build().toArray();
  }

  /**
   * All of it as the numbers of a checkpoint: the seeds, then places, and the first and last of
   * passes that ran.
   */
  public long[] toNumbers() {
    long[] passes = runs.toNumbers();
    long[] seeds = seeds();
    if (passes.length == 0) {
      return seeds;
    }
    LongStream counted = seeds.length == 0 ? LongStream.of(0) : LongStream.of(seeds);
    return LongStream.concat(counted, LongStream.of(passes)).toArray();
  }

  /** What all of it follows from, if something was drawn. */
  public synchronized Optional<Seed> toSeed() {
    return Optional.ofNullable(root);
  }

  /** Whether numbers could be from {@link #toNumbers}. */
  public static boolean arePossible(long[] numbers) {
    if (numbers.length == 0) {
      return true;
    }
    long seeds = numbers[0];
    return seeds >= 0
        && seeds <= numbers.length / 3
        && numbers.length >= firstPass(seeds)
        && (numbers.length - firstPass(seeds)) % 3 == 0;
  }

  private static int firstPass(long seeds) {
    return seeds == 0 ? 1 : (int) (3 * seeds);
  }

  /** Takes over what {@link #toNumbers} or {@link #seeds} gave. */
  public synchronized void restore(long[] numbers) {
    if (!arePossible(numbers)) {
      throw new State.InvalidState(
          "checkpoint: expected seeds and passes of places, but got %s"
              .formatted(
                  numbers.length == 1
                      ? "1 number that is another"
                      : numbers.length + " numbers that are others"));
    }
    if (numbers.length == 0) {
      return;
    }
    int passes = firstPass(numbers[0]);
    if (passes > 1) {
      root = new Seed(numbers[1], numbers[2]);
      isRestored = true;
      told.clear();
      for (int at = 3; at < passes; at += 3) {
        told.put(numbers[at], new Seed(numbers[at + 1], numbers[at + 2]));
      }
    }
    for (int at = passes; at < numbers.length; at += 3) {
      runs.restore(numbers[at], numbers[at + 1], numbers[at + 2]);
    }
  }

  /** The passes that ran their input, by place. */
  private static final class Runs {
    private final Map<Long, PassNumbers> earlier = new TreeMap<>();
    private final Map<Long, PassNumbers> all = new TreeMap<>();

    synchronized void note(long place, long pass) {
      all.computeIfAbsent(place, unused -> new PassNumbers()).add(pass, pass);
    }

    synchronized void restore(long place, long first, long last) {
      earlier.computeIfAbsent(place, unused -> new PassNumbers()).add(first, last);
      all.computeIfAbsent(place, unused -> new PassNumbers()).add(first, last);
    }

    synchronized Optional<Boolean> before(long place, long pass) {
      PassNumbers ran = earlier.get(place);
      if (ran == null) {
        return Optional.empty();
      }
      return ran.contains(pass)
          ? Optional.of(true)
          : ran.contains(OTHERS_READ) ? Optional.of(false) : Optional.empty();
    }

    synchronized long[] toNumbers() {
      LongStream.Builder numbers = LongStream.builder();
      all.forEach(
          (place, ran) ->
              ran.runs.forEach((first, last) -> numbers.add(place).add(first).add(last)));
      return numbers.build().toArray();
    }
  }

  /** Numbers of passes, of which nearly all follow each other. */
  private static final class PassNumbers {
    private static final int MOST = 256;

    private final TreeMap<Long, Long> runs = new TreeMap<>();

    void add(long first, long last) {
      Map.Entry<Long, Long> before = runs.floorEntry(first);
      boolean joins = before != null && before.getValue() >= first - 1;
      long start = joins ? before.getKey() : first;
      long end = joins ? Math.max(before.getValue(), last) : last;
      Map.Entry<Long, Long> after = runs.higherEntry(start);
      while (after != null && after.getKey() <= end + 1) {
        end = Math.max(end, after.getValue());
        runs.remove(after.getKey());
        after = runs.higherEntry(start);
      }
      runs.put(start, end);
      if (runs.size() > MOST) { // the oldest are over
        runs.remove(runs.higherKey(OTHERS_READ));
      }
    }

    boolean contains(long pass) {
      Map.Entry<Long, Long> run = runs.floorEntry(pass);
      return run != null && run.getValue() >= pass;
    }
  }
}
