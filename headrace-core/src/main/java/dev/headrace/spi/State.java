package dev.headrace.spi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
public final class State {
  /** The position before the first element, for every cursor. */
  public static final State START = new State(new Object[0], null);

  private static final String SKIP = "skip";
  private static final String FROM = "from";

  private final Object[] pairs;
  private final @Nullable Supplier<State> late;
  private final boolean followsOrder;

  private State(Object[] pairs, @Nullable Supplier<State> late) {
    this(pairs, late, true);
  }

  private State(Object[] pairs, @Nullable Supplier<State> late, boolean followsOrder) {
    this.pairs = pairs;
    this.late = late;
    this.followsOrder = followsOrder;
  }

  public static State of(String name, Object value) {
    return new State(new Object[] {name, value}, null);
  }

  public static State of(String name, Object value, String name2, Object value2) {
    return new State(new Object[] {name, value, name2, value2}, null);
  }

  /** A state from names and values (Long, Boolean, String, State, long[], List of State). */
  public static State ofPairs(Object... namesAndValues) {
    return new State(namesAndValues, null);
  }

  /**
   * A state that depends on the order met after it was taken, worked out when it is needed. It
   * keeps alive whatever it needs for that, so it must not be held for long.
   */
  public static State late(Supplier<State> supplier) {
    return new State(new Object[0], supplier);
  }

  /** A state that is worked out when it is needed, only because that is work. */
  public static State lazy(Supplier<State> supplier, boolean followsOrder) {
    return new State(new Object[0], supplier, followsOrder);
  }

  /** This state and one more value. */
  public State with(String name, Object value) {
    if (late != null) {
      throw new IllegalStateException("state: expected one that is known, but got a late one");
    }
    Object[] more = Arrays.copyOf(pairs, pairs.length + 2);
    more[pairs.length] = name;
    more[pairs.length + 1] = value;
    return new State(more, null);
  }

  /** The position {@code count} elements after {@code from}. */
  public static State skipping(long count, State from) {
    return count == 0 ? from : of(SKIP, count, FROM, from);
  }

  /** Whether this state, or one within it, depends on what happened after it was taken. */
  public boolean isLate() {
    if (late != null) {
      return followsOrder;
    }
    for (int i = 1; i < pairs.length; i += 2) {
      if (pairs[i] instanceof State nested && nested.isLate()) {
        return true;
      }
      if (pairs[i] instanceof List<?> list) {
        for (Object item : list) {
          if (item instanceof State nested && nested.isLate()) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /**
   * Whether all of it is known already, so that it keeps nothing alive and may be held for long.
   */
  public boolean isWorkedOut() {
    if (late != null) {
      return false;
    }
    for (int i = 1; i < pairs.length; i += 2) {
      if (pairs[i] instanceof State nested && !nested.isWorkedOut()) {
        return false;
      }
      if (pairs[i] instanceof List<?> list) {
        for (Object item : list) {
          if (item instanceof State nested && !nested.isWorkedOut()) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** This state, worked out if it is late; nested states may still be. */
  public State settled() {
    return late == null ? this : late.get().settled();
  }

  public boolean isStart() {
    return late == null && pairs.length == 0;
  }

  public boolean isSkip() {
    return late == null && pairs.length == 4 && pairs[0].equals(SKIP) && pairs[2].equals(FROM);
  }

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

  /** Names and values in order, with late parts worked out. */
  public Map<String, Object> resolved() {
    if (late != null) {
      return late.get().resolved();
    }
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put((String) pairs[i], pairs[i + 1]);
    }
    return map;
  }

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
    return pairs.length == 0 ? START : new State(pairs, null);
  }

  private static Object ofPlain(Object value) {
    return switch (value) {
      case Map<?, ?> map -> ofMap(map);
      case List<?> states -> states.stream().map(State::ofPlain).toList();
      default -> value;
    };
  }

  private @Nullable Object find(String name) {
    if (late != null) {
      return late.get().find(name);
    }
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i].equals(name)) {
        return pairs[i + 1];
      }
    }
    return null;
  }

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

  /** Says that a state does not fit the operator it was given to. */
  public static final class InvalidState extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public InvalidState(String message) {
      super(message);
    }
  }
}
