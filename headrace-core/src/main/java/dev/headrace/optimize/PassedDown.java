package dev.headrace.optimize;

import dev.headrace.op.BatchOp;
import dev.headrace.op.ShardOp;
import dev.headrace.op.SkipOp;
import dev.headrace.op.TakeOp;
import dev.headrace.spi.Op;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What operators tell those before them while a plan runs, for {@code explain()}: it has the effect
 * of a rewrite where none would be exact.
 */
public final class PassedDown {
  private PassedDown() {}

  /** A line for each operator of a plan that leaves elements out. */
  public static List<String> lines(Op plan) {
    List<String> lines = new ArrayList<>();
    collect(plan, lines);
    return lines;
  }

  private static void collect(Op op, List<String> into) {
    String text =
        switch (op) {
          case TakeOp take when take.count() >= 0 -> ofTake(take);
          case SkipOp skip when skip.count() > 0 -> ofSkip(skip);
          case ShardOp shard when shard.count() > 1 ->
              "what belongs to other shards is not made, unless a function that is not known to be"
                  + " pure would be called less often";
          default -> null;
        };
    if (text != null) {
      into.add(op.title() + ": " + text);
    }
    for (Op input : op.inputs()) {
      collect(input, into);
    }
  }

  private static @Nullable String ofTake(TakeOp take) {
    Op furthest = take;
    while (tellsItsInput(furthest)) {
      furthest = furthest.inputs().getFirst();
    }
    return furthest == take.input() && furthest.inputs().isEmpty()
        ? null // a source right before it
        : "no more is asked of %s than it takes".formatted(furthest.title());
  }

  /** Whether a bound on what is asked of an operator bounds what it asks its input for. */
  private static boolean tellsItsInput(Op op) {
    return op.inputs().size() == 1
        && (op.traits().oneToOne() || op.traits().keepsElements() || op instanceof BatchOp);
  }

  private static String ofSkip(SkipOp skip) {
    return skip.makesWhatItPasses()
        ? "what it skips is made, because it may fail, and failures are delivered"
        : "what it skips is not made";
  }
}
