package dev.headrace.spi;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * An immutable node of a plan, implemented by records.
 *
 * <p>Everything that can be read off the record is: inputs are its components of type {@code Op},
 * the text of {@code explain()}, the fingerprint and the rewritten copy come from its components
 * ({@link OpShape}). Components marked {@link Knob} shape neither elements nor order.
 */
public interface Op {
  /** The number of elements of something that never ends. */
  long INFINITE = -1;

  /** The number of elements where it is known only by running. */
  long UNKNOWN = -2;

  /** Makes the running operator for one pass. */
  Cursor open(Context context);

  /** How many elements one pass gives, {@link #INFINITE} or {@link #UNKNOWN}. */
  long cardinality();

  /**
   * Its elements by index. Operators that can give them override this; wrappers ask their input.
   *
   * @throws UnsupportedOperationException naming the operator that cannot
   */
  default Access access() {
    throw new UnsupportedOperationException(
        "%s%s: expected an operator that gives elements by their index, but it only reads them in order"
            .formatted(word(), site().toString().isEmpty() ? "" : " (" + site() + ")"));
  }

  /**
   * Parts that together are what this source reads, about {@code wanted} of them, though at least
   * one for each file; their number and bounds are the same wherever they are asked for.
   *
   * @throws UnsupportedOperationException naming the operator, if it cannot be taken apart
   */
  default List<InputSplit> splits(int wanted) throws IOException {
    throw notSplittable();
  }

  /**
   * This source over the file of a split alone; the caller sees to the range of records.
   *
   * @throws UnsupportedOperationException naming the operator, if it cannot be taken apart
   */
  default Op ofSplit(InputSplit split) throws IOException {
    throw notSplittable();
  }

  private UnsupportedOperationException notSplittable() {
    return new UnsupportedOperationException(
        "%s%s: expected a source of files to take apart, but it is none; take the source apart, before other operators"
            .formatted(word(), site().toString().isEmpty() ? "" : " (" + site() + ")"));
  }

  /**
   * What tells whether a source reads the same data as before: of files their names, sizes and
   * times. A file cache that was made from other data is made again. Empty for an operator that
   * reads nothing from outside the plan; asked before the source is read, and when all was read.
   */
  default String dataVersion() {
    return "";
  }

  /** What the engine may know of this operator. */
  default Traits traits() {
    return Traits.PLAIN;
  }

  /** How many calls of its function may be in flight: {@link Parallelism}. */
  default int parallelism() {
    return Parallelism.SEQUENTIAL;
  }

  /** The functions of the user or of the library that it calls for elements. */
  default List<? extends UserFunction> calledFunctions() {
    return OpShape.of(getClass()).parts(this, UserFunction.class);
  }

  /** The place in the user's program that made this operator. */
  Site site();

  /** The operator as users see it, with its name and line: {@code map 'decode' (Train.java:17)}. */
  default String title() {
    String name = site().name();
    String line = site().toString();
    return word()
        + (name == null ? "" : " '" + name + "'")
        + (line.isEmpty() ? "" : " (" + line + ")");
  }

  /** The operator and the way from it to its sources, for messages. */
  default String route() {
    StringBuilder text = new StringBuilder(title());
    for (Op at = this; !at.inputs().isEmpty(); ) {
      at = at.inputs().getFirst();
      text.append(" ← ").append(at.word());
    }
    return text.toString();
  }

  /** The operators this one pulls from. */
  default List<Op> inputs() {
    return OpShape.of(getClass()).inputs(this);
  }

  /**
   * Whether something holds for one of the operators this one pulls from. For questions that go
   * down a plan: a stream would need five times the stack.
   */
  default boolean anyInput(Predicate<? super Op> question) {
    for (Op input : inputs()) {
      if (question.test(input)) {
        return true;
      }
    }
    return false;
  }

  /** The word users know this operator by: {@code map} for {@code MapOp}. */
  default String word() {
    String simple = getClass().getSimpleName();
    String bare = simple.endsWith("Op") ? simple.substring(0, simple.length() - 2) : simple;
    return bare.substring(0, 1).toLowerCase(Locale.ROOT) + bare.substring(1);
  }
}
