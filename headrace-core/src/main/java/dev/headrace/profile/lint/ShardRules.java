package dev.headrace.profile.lint;

import dev.headrace.op.CacheFileOp;
import dev.headrace.op.ShardByRankOp;
import dev.headrace.op.ShardOp;
import dev.headrace.op.ShuffleOp;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.lint.Rule.Found;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.PureFunction;
import dev.headrace.spi.ShardMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shards that overlap, are empty, or are made by everybody. */
public final class ShardRules {
  public static final List<Rule> ALL =
      List.of(
          new Rule(
              "shard-of-differing-orders",
              Severity.PROBLEM,
              "`shard` or `shardByRank` after a `shuffle` without a seed, or after an operator that"
                  + " does not keep order",
              "every process has another order, so the shards overlap and miss elements",
              "`.shard(n, i).shuffle(size)`, or the same seed everywhere: `.shuffle(size, seed)`",
              ShardRules::differingOrders),
          new Rule(
              "shard-late",
              Severity.HINT,
              "`shard` after a `map` that is not known to be pure, `shardByRank` after any `map`",
              "every process calls the function for all elements and drops those of the others",
              "`.shard(n, i).map(f, AUTOTUNE)`: the same elements; or `map(pure(f))`",
              ShardRules::late),
          new Rule(
              "shard-empty",
              Severity.PROBLEM,
              "more shards than there are elements, or files",
              "some processes get nothing, and those who wait for each other wait forever",
              "fewer shards, more files, or `shard` after the files are read",
              ShardRules::empty));

  private ShardRules() {}

  private static long shardsOf(Op op) {
    return switch (op) {
      case ShardOp shard -> shard.count();
      case ShardByRankOp ranks -> ranks.world();
      default -> 1;
    };
  }

  private static @Nullable Found differingOrders(Node node) {
    if (shardsOf(node.op()) < 2) {
      return null;
    }
    Node culprit =
        node.below()
            .filter(below -> drawsItsOwnSeed(below.op()) || losesOrder(below))
            .filter(below -> !isKeptOnDisk(below, node))
            .findFirst()
            .orElse(null);
    if (culprit == null) {
      return null;
    }
    return Found.of(
        "It takes every n-th element of an order that is another one in each process, so elements"
            + " come twice or not at all.",
        List.of(
            drawsItsOwnSeed(culprit.op())
                ? culprit.title() + " draws its seed when it is opened"
                : culprit.title() + " does not keep order"),
        drawsItsOwnSeed(culprit.op())
            ? "put .%s(…) before the shuffle, or give the shuffle the same seed everywhere"
                .formatted(node.op().word())
            : "put .%s(…) before it".formatted(node.op().word()));
  }

  private static boolean drawsItsOwnSeed(Op op) {
    return op instanceof ShuffleOp shuffle && shuffle.seed() == null && shuffle.buffer() > 1;
  }

  /** Whether a file, which all processes may share, has one order for all of them. */
  private static boolean isKeptOnDisk(Node from, Node to) {
    return from.above().takeWhile(at -> at != to).anyMatch(at -> at.op() instanceof CacheFileOp);
  }

  private static boolean losesOrder(Node node) {
    Order order = OpShape.of(node.op().getClass()).part(node.op(), Order.class).orElse(null);
    return node.op().parallelism() != Parallelism.SEQUENTIAL
        && (order == Order.UNORDERED
            || (order == Order.DEFAULT && !node.settings().deterministic()));
  }

  private static @Nullable Found late(Node node) {
    if (shardsOf(node.op()) < 2) {
      return null;
    }
    boolean isByRank = node.op() instanceof ShardByRankOp; // it counts elements that did not fail
    for (Node at = node.before(); at != null && at.op().traits().oneToOne(); at = at.before()) {
      boolean isPure = node.settings().assumesPure() || PureFunction.areAllOf(at.op());
      if ((isByRank || !isPure) && at.op().traits().deferring() == Deferring.COMPOSES) {
        return Found.of(
            "Everybody calls the function for every element, and keeps one of %,d results."
                .formatted(shardsOf(node.op())),
            List.of(at.title() + " comes before it"),
            "put .%s(…) before .%s(…)".formatted(node.op().word(), at.op().word()));
      }
    }
    return null;
  }

  private static @Nullable Found empty(Node node) {
    Node before = node.before();
    long shards = shardsOf(node.op());
    boolean isEvened = node.op() instanceof ShardByRankOp ranks && ranks.mode() != ShardMode.DROP;
    if (before == null || shards < 2 || isEvened) {
      return null;
    }
    long known = before.op().cardinality();
    long files = known < 0 ? LocalFiles.listedBy(before.op()).count() : 0;
    long elements = known < 0 ? files : known;
    if (elements < 1 || elements >= shards) {
      return null;
    }
    String what = files > 0 ? "files" : "elements";
    return Found.of(
        "There are fewer %s than shards, so some processes get nothing.".formatted(what),
        List.of("%,d %s for %,d shards".formatted(elements, what, shards)),
        files > 0
            ? "read the files first and shard their elements, or write them as more files"
            : "use at most %,d shards".formatted(elements));
  }
}
