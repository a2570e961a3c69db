package dev.headrace.profile.lint;

import dev.headrace.data.Plural;
import dev.headrace.op.CacheFileOp;
import dev.headrace.op.ListFilesOp;
import dev.headrace.op.PackOp;
import dev.headrace.op.ShardByRankOp;
import dev.headrace.op.ShardOp;
import dev.headrace.op.ShuffleOp;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.lint.Rule.Found;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.PureFunction;
import dev.headrace.spi.ShardMode;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Shards that overlap, are empty, or are made by everybody. */
public final class ShardRules {
  /** Through these a file comes as it is, or is dropped. */
  private static final Set<Effect> STILL_FILES =
      EnumSet.complementOf(
          EnumSet.of(Effect.CHANGES, Effect.GROUPS, Effect.EXPANDS, Effect.UNKNOWN));

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
              "`shard` after a `map` that is not known to be pure, `shardByRank` after any `map`,"
                  + " `flatMap` or `pack`",
              "every process calls the function for all elements and drops those of the others",
              "`.shard(n, i).map(f, AUTOTUNE)`: the same elements; or `map(pure(f))`;"
                  + " `.shardByRank(…).map(f).pack(n)`: each rank packs its own",
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
    return op instanceof ShuffleOp shuffle && shuffle.drawsItsOwnSeed();
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
    boolean byRank = node.op() instanceof ShardByRankOp; // it counts elements that did not fail
    boolean makesAll = byRank; // shard is moved before what is pure and one for one
    Node first = null; // the work nearest to the source
    for (Node at = node.before(); at != null && isMadeByAll(at.op(), byRank); at = at.before()) {
      boolean isPure = node.settings().assumesPure() || PureFunction.areAllOf(at.op());
      makesAll |= !isPure || !at.op().traits().eachAlone();
      first = makesAll && isWork(at) ? at : first;
    }
    if (first == null) {
      return null;
    }
    return Found.of(
        "Everybody calls the function for every element, and keeps one of %,d results."
            .formatted(shardsOf(node.op())),
        List.of(first.title() + " comes before it"),
        "put .%s(…) before .%s(…)".formatted(node.op().word(), first.op().word()));
  }

  /**
   * Whether every process makes what comes before this operator, and a shard there would do as
   * well. A file may be shared by all processes. Ranks do not care which elements are neighbors;
   * {@code shard} may deal out whole batches, or as many of what a condition left to each.
   */
  private static boolean isMadeByAll(Op op, boolean byRank) {
    Set<Effect> effects = Effect.of(op);
    boolean isForRanks =
        effects.contains(Effect.GROUPS)
            || effects.contains(Effect.EXPANDS)
            || effects.containsAll(Set.of(Effect.DROPS, Effect.COMPUTES));
    return !effects.contains(Effect.UNKNOWN)
        && !(op instanceof CacheFileOp)
        && (byRank || !isForRanks);
  }

  /**
   * Whether it makes elements, each alone: by a function that does not only open files, or by
   * packing.
   */
  private static boolean isWork(Node node) {
    Set<Effect> effects = Effect.of(node.op());
    boolean makes =
        effects.contains(Effect.EXPANDS)
            ? !Threads.takesWindowsApart(node) && !isFile(node)
            : node.op().traits().eachAlone();
    return node.op() instanceof PackOp || (effects.contains(Effect.COMPUTES) && makes);
  }

  /** Whether its input's elements are files. */
  private static boolean isFile(Node node) {
    return node.behind(STILL_FILES, op -> op instanceof ListFilesOp) != null;
  }

  private static @Nullable Found empty(Node node) {
    Node before = node.before();
    long shards = shardsOf(node.op());
    boolean isEvened = node.op() instanceof ShardByRankOp ranks && ranks.mode() != ShardMode.DROP;
    if (before == null || shards < 2 || isEvened) {
      return null;
    }
    Count count = Count.of(before.op());
    long elements = count.most();
    if (elements < 1 || elements >= shards) {
      return null;
    }
    boolean areFiles = isFile(node);
    String what = areFiles ? "file" : "element";
    return Found.of(
        "There are fewer %ss than shards, so some processes get nothing.".formatted(what),
        List.of(
            "%s%s for %,d shards"
                .formatted(count.isExact() ? "" : "at most ", Plural.of(elements, what), shards)),
        areFiles
            ? "read the files first and shard their elements, or write them as more files"
            : "use at most " + Plural.of(elements, "shard"));
  }
}
