package dev.headrace.optimize;

import dev.headrace.spi.Op;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a rule makes of an operator.
 *
 * @param op what takes its place, with everything below
 * @param carriedOut for each operator the rule made the ones it carries out from now on, first the
 *     one whose elements it gives; what is not in it was added, and must give its first input's
 *     elements as they are. By identity
 * @param what was done to the operator, in words that follow its name: "is read ahead"
 * @param why in words that follow "because"
 */
public record Change(Op op, Map<Op, List<Op>> carriedOut, String what, String why) {

  /** An operator instead of another, over the same inputs. */
  public static Change replace(Op before, Op now, String what, String why) {
    return new Change(now, carrying(now, List.of(before)), what, why);
  }

  /**
   * An operator that the user did not write, above one that stays, whose elements it gives as they
   * are.
   */
  public static Change add(Op added, String what, String why) {
    return new Change(added, Map.of(), what, why);
  }

  /** The input of an operator instead of it. */
  public static Change remove(Op before, String what, String why) {
    return new Change(before.inputs().getFirst(), Map.of(), what, why);
  }

  /** One entry of {@link #carriedOut}. */
  public static Map<Op, List<Op>> carrying(Op now, List<Op> before) {
    Map<Op, List<Op>> carried = new IdentityHashMap<>();
    carried.put(now, before);
    return carried;
  }

  /** The same, with another operator that carries out some. */
  public Change with(Op now, List<Op> before) {
    Map<Op, List<Op>> carried = new IdentityHashMap<>(carriedOut);
    carried.put(now, before);
    return new Change(op, carried, what, why);
  }
}
