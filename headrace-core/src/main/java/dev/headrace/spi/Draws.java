package dev.headrace.spi;

import dev.headrace.data.Seed;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The seeds of operators that nobody gave one: all of them follow from one that is drawn when the
 * first is asked for, and from the operator's place.
 *
 * <p>So a checkpoint carries all of them, also those of operators that were opened after the
 * position it tells: of datasets that a function returns, of the second part of a concatenation.
 *
 * <p><b>Threading:</b> safe for any thread.
 */
public final class Draws {
  private final Supplier<Seed> first;
  private @Nullable Seed root;
  private boolean isRestored;
  private final BooleanSupplier followsRestored;

  /** Of places whose elements are those of another run: its seed. */
  private final Map<Long, Seed> told = new TreeMap<>();

  private Draws(Supplier<Seed> first, BooleanSupplier followsRestored) {
    this.first = first;
    this.followsRestored = followsRestored;
  }

  /** Those of a pipeline. */
  public static Draws random() {
    return new Draws(Seed::random, () -> false);
  }

  /** Those of the operators before one, which are a plan of their own. */
  public static Draws before(Context context) {
    return new Draws(context::drawnSeed, () -> context.seedBefore() != null);
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

  /** All of it as the numbers of a checkpoint; none if nothing was drawn. */
  public synchronized long[] toNumbers() {
    Seed known = root;
    if (known == null) {
      return new long[0];
    }
    long[] numbers = new long[2 + 3 * told.size()];
    numbers[0] = known.first();
    numbers[1] = known.second();
    int at = 2;
    for (Map.Entry<Long, Seed> each : told.entrySet()) {
      numbers[at++] = each.getKey();
      numbers[at++] = each.getValue().first();
      numbers[at++] = each.getValue().second();
    }
    return numbers;
  }

  /** What all of it follows from, if something was drawn. */
  public synchronized Optional<Seed> toSeed() {
    return Optional.ofNullable(root);
  }

  /** Takes over what {@link #toNumbers} gave. */
  public synchronized void restore(long[] numbers) {
    if (numbers.length == 0) {
      return;
    }
    if (numbers.length % 3 != 2) {
      throw new State.InvalidState(
          "checkpoint: expected a seed and those of places, but got %d numbers"
              .formatted(numbers.length));
    }
    root = new Seed(numbers[0], numbers[1]);
    isRestored = true;
    told.clear();
    for (int at = 2; at < numbers.length; at += 3) {
      told.put(numbers[at], new Seed(numbers[at + 1], numbers[at + 2]));
    }
  }
}
