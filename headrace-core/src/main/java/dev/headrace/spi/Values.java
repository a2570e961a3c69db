package dev.headrace.spi;

import dev.headrace.data.ElementCodec;
import dev.headrace.data.Tensor;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Values of the user as part of a position, for operators that carry data ({@code scan}). */
public final class Values {
  private static final String NAME = "value";

  private Values() {}

  /** Whether what such objects say never changes. Asked of a class, so that no value is read. */
  private static final ClassValue<Boolean> IMMUTABLE =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return isImmutable(type, new HashSet<>());
        }
      };

  /**
   * A position that holds a value. It is written down only when the position is, unless it could
   * change until then; such a value is copied as bytes at once.
   */
  public static State toState(Object value) {
    if (IMMUTABLE.get(value.getClass())) {
      return State.lazy(() -> written(new ElementCodec().encode(value)));
    }
    byte[] bytes = new ElementCodec().encode(value);
    return State.lazy(() -> written(bytes));
  }

  private static State written(byte[] bytes) {
    return State.of(NAME, Base64.getEncoder().encodeToString(bytes));
  }

  private static boolean isImmutable(Class<?> type, Set<Class<?>> asked) {
    if (type.isRecord()) {
      return !asked.add(type) // a record of its own kind
          || Arrays.stream(type.getRecordComponents())
              .allMatch(component -> isImmutable(component.getType(), asked));
    }
    return type.isPrimitive()
        || type == Long.class
        || type == Integer.class
        || type == Double.class
        || type == Float.class
        || type == Boolean.class
        || type == String.class
        || type == Tensor.class;
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
