package dev.headrace.profile.lint;

import dev.headrace.op.GeneratorOp;
import dev.headrace.op.ListFilesOp;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Site;
import java.util.List;

/**
 * How many elements one pass over a plan gives, as far as the plan and the files of this machine
 * say. A dataset that is not known to be empty is taken to have an element.
 *
 * @param least {@link #ENDLESS} where it never ends
 * @param most {@link #ENDLESS} where it may never end, {@link #MANY} where it ends and no more is
 *     known
 */
record Count(long least, long most) {
  static final long ENDLESS = Long.MAX_VALUE;
  static final long MANY = Long.MAX_VALUE / 2;

  /** Whether it never ends, for certain. */
  static boolean isEndless(Op op) {
    return of(op).least == ENDLESS;
  }

  boolean isExact() {
    return least == most && most < MANY;
  }

  static Count exactly(long elements) {
    return new Count(elements, elements);
  }

  static Count of(Op op) {
    return switch (op.inputs().size()) {
      case 0 -> ofSource(op);
      case 1 -> of(op.inputs().getFirst()).through(op);
      default -> ofSeveral(op, op.inputs().stream().map(Count::of).toList());
    };
  }

  private static Count ofSource(Op source) {
    long known = source.cardinality();
    long files = source instanceof ListFilesOp list ? LocalFiles.of(list).count() : 0;
    if (known >= 0 || files > 0) {
      return exactly(Math.max(known, files));
    }
    if (known == Op.INFINITE) {
      return exactly(ENDLESS);
    }
    return new Count(1, source instanceof GeneratorOp ? ENDLESS : MANY);
  }

  /** How many an operator gives of so many of its only input. */
  Count through(Op op) {
    long told = told(op, List.of(least));
    long toldMost = told(op, List.of(most));
    if (told != Op.UNKNOWN && toldMost != Op.UNKNOWN) {
      return new Count(told, toldMost);
    }
    long some = Math.min(1, least);
    long someOrEndless = least == ENDLESS ? ENDLESS : some;
    return switch (op.traits().passing()) {
      case ALL, REORDERED -> this;
      case SOME -> new Count(someOrEndless, most);
      case FIRST -> new Count(some, most);
      case GROUPED, EXPANDED -> new Count(someOrEndless, Math.max(MANY, most));
      case REPEATED -> new Count(some, ENDLESS);
      case UNKNOWN -> op.traits().oneToOne() ? this : new Count(some, ENDLESS);
    };
  }

  private static Count ofSeveral(Op op, List<Count> inputs) {
    long least = told(op, inputs.stream().map(Count::least).toList());
    long most = told(op, inputs.stream().map(Count::most).toList());
    boolean allEnd = inputs.stream().noneMatch(input -> input.most == ENDLESS);
    return new Count(
        least == Op.UNKNOWN ? 1 : least, most == Op.UNKNOWN ? (allEnd ? MANY : ENDLESS) : most);
  }

  /** What the operator itself says of inputs of known lengths, or {@link Op#UNKNOWN}. */
  private static long told(Op op, List<Long> lengths) {
    List<Op> standIns = lengths.stream().<Op>map(StandIn::new).toList();
    Op copy;
    try {
      copy = OpShape.of(op.getClass()).withInputs(op, standIns);
    } catch (IllegalStateException e) {
      return Op.UNKNOWN; // it wants to know more of its input than its length
    }
    long told = copy.cardinality();
    return told == Op.INFINITE ? ENDLESS : told >= MANY ? MANY : told;
  }

  /** A dataset of which only the length is known. */
  private record StandIn(long length) implements Op {
    @Override
    public Cursor open(Context context) {
      throw new UnsupportedOperationException("only its length is known");
    }

    @Override
    public long cardinality() {
      return length == ENDLESS ? INFINITE : length;
    }

    @Override
    public Site site() {
      return Site.UNKNOWN;
    }
  }
}
