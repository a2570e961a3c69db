package dev.headrace.spi;

import dev.headrace.data.ElementCodec;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Values of the user as part of a position, for operators that carry data ({@code scan}). */
public final class Values {
  private static final String NAME = "value";

  private Values() {}

  /**
   * A position that holds a value, which is written down only when it is needed if it cannot change
   * until then.
   */
  public static State toState(Object value) {
    return isImmutable(value) ? State.lazy(() -> encoded(value), false) : encoded(value);
  }

  private static boolean isImmutable(Object value) {
    return value instanceof Number || value instanceof String || value instanceof Boolean;
  }

  private static State encoded(Object value) {
    return State.of(NAME, Base64.getEncoder().encodeToString(new ElementCodec().encode(value)));
  }

  /**
   * The value of a position.
   *
   * @param sample a value of the same kind, whose record classes may be met
   */
  public static Object fromState(State state, @Nullable Object sample) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(state.text(NAME));
    } catch (IllegalArgumentException e) {
      throw new State.InvalidState("checkpoint: expected a value, but got " + e.getMessage());
    }
    return new ElementCodec().learn(sample).decode(bytes);
  }
}
