package dev.headrace.profile.lint;

import dev.headrace.op.BatchOp;
import dev.headrace.op.FilterOp;
import dev.headrace.op.RepeatOp;
import dev.headrace.op.ShuffleOp;
import dev.headrace.op.TakeOp;
import dev.headrace.op.TakeWhileOp;
import dev.headrace.spi.Op;

/**
 * Which plans never end, for certain. A cardinality may be unknown because nobody knows how much is
 * repeated forever.
 */
final class Endless {
  private Endless() {}

  static boolean is(Op op) {
    if (op.cardinality() == Op.INFINITE) {
      return true;
    }
    return switch (op) {
      case RepeatOp repeat when repeat.count() == -1 -> repeat.input().cardinality() != 0;
      case TakeOp _, TakeWhileOp _ -> false;
      case BatchOp batch -> is(batch.input());
      case ShuffleOp shuffle -> is(shuffle.input());
      case FilterOp filter -> is(filter.input());
      default -> Node.passesOneByOne(op) && op.inputs().size() == 1 && is(op.inputs().getFirst());
    };
  }
}
