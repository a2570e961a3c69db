package dev.headrace.spi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A position in a plan: a few named numbers, texts and nested states.
 *
 * <p>A state is cheap to make (one is made for every chunk that crosses a stage) and immutable. It
 * may be <em>late</em>: a state whose text depends on what happened after it was taken (the order
 * in which an unordered stage went on), resolved when a checkpoint is written.
 *
 * <p>One form is understood by every cursor: {@link #skipping}, "the position that is reached from
 * another one by passing over so many elements". Stages describe themselves with it, which is why a
 * stage can be added, removed or given other threads between a checkpoint and its resumption.
 */
public abstract sealed class State {
  /** The position before the first element, for every cursor. */
  public static final State START = new Known();

  private static final String SKIP = "skip";
  private static final String FROM = "from";

  private State() {}

  public static State of(String name, Object value) {
    return new Known(name, value);
  }

  public static State of(String name, Object value, String name2, Object value2) {
    return new Known(name, value, name2, value2);
  }

  /** A state from names and values (Long, Boolean, String, State, long[], List of State). */
  public static State ofPairs(Object... namesAndValues) {
    return new Known(namesAndValues);
  }

  /**
   * A state that depends on the order met after it was taken, worked out when it is needed. It
   * keeps alive whatever it needs for that, so it must not be held for long.
   */
  public static State late(Supplier<State> supplier) {
    return new Late(supplier);
  }

  /**
   * A state that is worked out when it is needed, only because that is work. It is late if one of
   * the states that go into it is.
   */
  public static State lazy(Supplier<State> supplier, State... parts) {
    for (State part : parts) {
      if (part.isLate()) {
        return new Late(supplier);
      }
    }
    return new Lazy(supplier);
  }

  /** This state and one more value. */
  public abstract State with(String name, Object value);

  /** The position {@code count} elements after {@code from}. */
  public static State skipping(long count, State from) {
    return count == 0 ? from : of(SKIP, count, FROM, from);
  }

  /** Whether this state, or one within it, depends on what happened after it was taken. */
  public abstract boolean isLate();

  /**
   * Whether all of it is known already, so that it keeps nothing alive and may be held for long.
   */
  public abstract boolean isWorkedOut();

  /** This state, worked out if it was not; nested states may still not be. */
  public abstract State settled();

  public abstract boolean isStart();

  public abstract boolean isSkip();

  public long skipCount() {
    long count = number(SKIP);
    if (count < 0) {
      throw new InvalidState("checkpoint: expected to skip 0 or more elements, but got " + count);
    }
    return count;
  }

  public State skipFrom() {
    return state(FROM);
  }

  public boolean has(String name) {
    return find(name) != null;
  }

  public long number(String name) {
    return find(name) instanceof Integer small ? small : typed(name, Long.class, "a number");
  }

  /**
   * A number that must not be larger than {@code most}, nor negative.
   *
   * @param what what it counts, in the plural, for the message
   */
  public long number(String name, long most, String what) {
    long number = number(name);
    if (number < 0 || number > most) {
      throw new InvalidState(
          "checkpoint: expected 0 to %d %s, but got %d".formatted(most, what, number));
    }
    return number;
  }

  public boolean flag(String name) {
    return typed(name, Boolean.class, "true or false");
  }

  public String text(String name) {
    return typed(name, String.class, "a text");
  }

  public State state(String name) {
    return typed(name, State.class, "a state");
  }

  public long[] numbers(String name) {
    return typed(name, long[].class, "a list of numbers");
  }

  public List<State> states(String name) {
    Object value = find(name);
    if (value instanceof long[] none && none.length == 0) {
      return List.of();
    }
    List<State> states = new ArrayList<>();
    for (Object item : typed(name, List.class, "a list of states")) {
      if (!(item instanceof State state)) {
        throw new InvalidState(
            "checkpoint: expected a list of states named '%s', but got %s; the checkpoint does not belong to this plan or is damaged"
                .formatted(name, value));
      }
      states.add(state);
    }
    return states;
  }

  /** Names and values in order. */
  public abstract Map<String, Object> resolved();

  /** The state as maps, lists, texts, flags and numbers, with late parts worked out. */
  public Map<String, Object> toMap() {
    Map<String, Object> map = resolved();
    map.replaceAll((name, value) -> plain(value));
    return map;
  }

  private static Object plain(Object value) {
    return switch (value) {
      case State state -> state.toMap();
      case List<?> states -> states.stream().map(State::plain).toList();
      case Integer number -> number.longValue();
      default -> value;
    };
  }

  /** The state that {@link #toMap} described. */
  public static State ofMap(Map<?, ?> map) {
    Object[] pairs = new Object[2 * map.size()];
    int i = 0;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      pairs[i++] = entry.getKey();
      pairs[i++] = ofPlain(entry.getValue());
    }
    return pairs.length == 0 ? START : new Known(pairs);
  }

  private static Object ofPlain(Object value) {
    return switch (value) {
      case Map<?, ?> map -> ofMap(map);
      case List<?> states -> states.stream().map(State::ofPlain).toList();
      default -> value;
    };
  }

  abstract @Nullable Object find(String name);

  private <V> V typed(String name, Class<V> type, String wanted) {
    Object value = find(name);
    if (!type.isInstance(value)) {
      throw new InvalidState(
          "checkpoint: expected "
              + wanted
              + " named '"
              + name
              + "', but got "
              + (value == null ? "none among " + resolved().keySet() : value)
              + "; the checkpoint does not belong to this plan or is damaged");
    }
    return type.cast(value);
  }

  @Override
  public String toString() {
    return resolved().toString();
  }

  /** Names and values that are there. */
  private static final class Known extends State {
    private final Object[] pairs;

    Known(Object... pairs) {
      this.pairs = pairs;
    }

    @Override
    public State with(String name, Object value) {
      Object[] more = Arrays.copyOf(pairs, pairs.length + 2);
      more[pairs.length] = name;
      more[pairs.length + 1] = value;
      return new Known(more);
    }

    @Override
    public boolean isLate() {
      return isAnyNested(State::isLate);
    }

    @Override
    public boolean isWorkedOut() {
      return !isAnyNested(nested -> !nested.isWorkedOut());
    }

    private boolean isAnyNested(Predicate<State> which) {
      for (int i = 1; i < pairs.length; i += 2) {
        if (pairs[i] instanceof State nested && which.test(nested)) {
          return true;
        }
        if (pairs[i] instanceof List<?> list) {
          for (Object item : list) {
            if (item instanceof State nested && which.test(nested)) {
              return true;
            }
          }
        }
      }
      return false;
    }

    @Override
    public State settled() {
      return this;
    }

    @Override
    public boolean isStart() {
      return pairs.length == 0;
    }

    @Override
    public boolean isSkip() {
      return pairs.length == 4 && pairs[0].equals(SKIP) && pairs[2].equals(FROM);
    }

    @Override
    public Map<String, Object> resolved() {
      Map<String, Object> map = new LinkedHashMap<>();
      for (int i = 0; i < pairs.length; i += 2) {
        map.put((String) pairs[i], pairs[i + 1]);
      }
      return map;
    }

    @Override
    @Nullable Object find(String name) {
      for (int i = 0; i < pairs.length; i += 2) {
        if (pairs[i].equals(name)) {
          return pairs[i + 1];
        }
      }
      return null;
    }
  }

  /** Names and values that are worked out when they are needed, each time. */
  private abstract static sealed class Pending extends State {
    private final Supplier<State> supplier;

    Pending(Supplier<State> supplier) {
      this.supplier = supplier;
    }

    @Override
    public final State with(String name, Object value) {
      throw new IllegalStateException("state: expected one that is known, but it is not yet");
    }

    @Override
    public final boolean isWorkedOut() {
      return false;
    }

    @Override
    public final State settled() {
      return supplier.get().settled();
    }

    @Override
    public final boolean isStart() {
      return false;
    }

    @Override
    public final boolean isSkip() {
      return false;
    }

    @Override
    public final Map<String, Object> resolved() {
      return supplier.get().resolved();
    }

    @Override
    final @Nullable Object find(String name) {
      return supplier.get().find(name);
    }
  }

  /** Depends on what happens after it was taken. */
  private static final class Late extends Pending {
    Late(Supplier<State> supplier) {
      super(supplier);
    }

    @Override
    public boolean isLate() {
      return true;
    }
  }

  /** Is the same whenever it is worked out. */
  private static final class Lazy extends Pending {
    Lazy(Supplier<State> supplier) {
      super(supplier);
    }

    @Override
    public boolean isLate() {
      return false;
    }
  }

  /** Says that a state does not fit the operator it was given to. */
  public static final class InvalidState extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public InvalidState(String message) {
      super(message);
    }
  }
}
