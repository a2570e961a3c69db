package dev.headrace.profile.lint;

import dev.headrace.data.Plural;
import dev.headrace.op.BatchOp;
import dev.headrace.op.CacheOp;
import dev.headrace.op.RandomMapOp;
import dev.headrace.op.RepeatOp;
import dev.headrace.op.ShardOp;
import dev.headrace.op.ShuffleOp;
import dev.headrace.op.SkipOp;
import dev.headrace.op.TakeOp;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.lint.Rule.Found;
import dev.headrace.spi.Op;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Caches that keep what should differ, or never get to keep anything. */
public final class CacheRules {
  /** What varies was repeated on purpose: {@code repeat(n).randomMap(f).cache()}. */
  private static final Set<Effect> SAME_IN_EACH_REPETITION =
      EnumSet.of(
          Effect.CHANGES,
          Effect.COMPUTES,
          Effect.DROPS,
          Effect.ENDS,
          Effect.REORDERS,
          Effect.REPEATS,
          Effect.GROUPS,
          Effect.EXPANDS,
          Effect.HOLDS);

  public static final List<Rule> ALL =
      List.of(
          new Rule(
              "cache-freezes-random-map",
              Severity.PROBLEM,
              "`cache` after `randomMap`",
              "every epoch gets the random numbers of the first: no augmentation any more",
              "`.cache().randomMap(f, seed, AUTOTUNE)`",
              CacheRules::freezesValues),
          new Rule(
              "cache-freezes-order",
              Severity.HINT,
              "`cache` after a `shuffle` that should differ in each epoch, and no `shuffle` after"
                  + " it",
              "every epoch has the order of the first",
              "`.cache().shuffle(n, seed)`; if one order is meant: `shuffle(n, seed, false)`",
              CacheRules::freezesOrder),
          new Rule(
              "cache-endless",
              Severity.PROBLEM,
              "`cache` of a dataset that never ends",
              "a cache is used after a whole pass, which never comes; memory fills up until it"
                  + " fails",
              "`.cache().repeat()`",
              CacheRules::endless),
          new Rule(
              "cache-after-repeat",
              Severity.HINT,
              "`cache` after `repeat(n)`",
              "every element is kept n times",
              "`.cache().repeat(n)`",
              CacheRules::afterRepeat),
          new Rule(
              "cache-never-filled",
              Severity.PROBLEM,
              "`take` after `cache` that ends before the cache is full",
              "a cache is used after a whole pass; broken off, it is filled again in every epoch",
              "`.take(n).cache()`",
              CacheRules::neverFilled));

  private CacheRules() {}

  private static @Nullable Found freezesValues(Node node) {
    if (!Node.isCache(node.op()) || node.isReadOnce()) {
      return null;
    }
    // Several variants of each element that are kept on purpose: repeat(n).randomMap(f).cache().
    Node random =
        node.below()
            .filter(below -> below.op() instanceof RandomMapOp)
            .filter(below -> !below.anyBelow(Node::isRepeat))
            .findFirst()
            .orElse(null);
    if (random == null) {
      return null;
    }
    return Found.of(
        "It keeps what randomMap made in the first epoch, so later epochs see the same random"
            + " results.",
        List.of(random.title() + " draws new numbers in each epoch, but comes before the cache"),
        "put .cache() before .randomMap(…)");
  }

  private static @Nullable Found freezesOrder(Node node) {
    if (!Node.isCache(node.op()) || node.isReadOnce() || node.anyAbove(Node::isShuffle)) {
      return null;
    }
    Node shuffle =
        node.below()
            .filter(below -> below.op() instanceof ShuffleOp s && s.reshuffle() && s.buffer() > 1)
            .filter(below -> !below.anyBelow(Node::isRepeat))
            .findFirst()
            .orElse(null);
    if (shuffle == null) {
      return null;
    }
    return Found.of(
        "It keeps the order of the first epoch, so later epochs are not shuffled again.",
        List.of(shuffle.title() + " has another order in each epoch, but comes before the cache"),
        "put the shuffle after .cache(); if one order is meant, say so: .shuffle(n, seed, false)");
  }

  private static @Nullable Found endless(Node node) {
    if (!(node.op() instanceof CacheOp cache) || !Count.isEndless(cache.input())) {
      return null;
    }
    return Found.of(
        "What it should keep never ends, so it is never read from and fills the memory.",
        node.below()
            .filter(below -> below.op() instanceof RepeatOp || below.op().inputs().isEmpty())
            .limit(1)
            .map(below -> below.title() + " has no end")
            .toList(),
        "put .cache() before .repeat()");
  }

  private static @Nullable Found afterRepeat(Node node) {
    if (!Node.isCache(node.op())) {
      return null;
    }
    Node repeat =
        node.behind(SAME_IN_EACH_REPETITION, op -> op instanceof RepeatOp r && r.count() > 1);
    if (repeat == null) {
      return null;
    }
    long times = ((RepeatOp) repeat.op()).count();
    return Found.of(
        "It keeps every element %,d times.".formatted(times),
        List.of(repeat.title() + " comes before the cache"),
        "put .cache() before .repeat(%d)".formatted(times));
  }

  private static @Nullable Found neverFilled(Node node) {
    if (!(node.op() instanceof TakeOp take) || take.count() < 1 || node.isReadOnce()) {
      return null;
    }
    long read = take.count(); // at most, of what the operator below gives
    Node at = node.before();
    while (at != null && !Node.isCache(at.op())) {
      read = readBy(at.op(), read);
      at = read < 0 ? null : at.before();
    }
    if (at == null || Count.isEndless(at.op())) {
      return null;
    }
    long kept = at.op().cardinality();
    if (kept >= 0 && read >= kept) {
      return null;
    }
    Found found =
        Found.of(
            "It ends the pass before %s is full, so nothing is ever read from the cache."
                .formatted(at.op().word()),
            List.of(
                kept < 0
                    ? "it reads at most %s of it; how many there are is not known"
                        .formatted(Plural.of(read, "element"))
                    : "it reads at most %,d of %s".formatted(read, Plural.of(kept, "element"))),
            "put .take(%d) before the cache".formatted(take.count()));
    return kept < 0 ? found.as(Severity.HINT) : found;
  }

  /** How many elements of its input an operator reads for so many of its own; -1 if unknown. */
  private static long readBy(Op op, long elements) {
    return switch (op) {
      case RepeatOp repeat -> repeat.count() == 1 ? elements : -1;
      case BatchOp batch -> elements * batch.size();
      case ShuffleOp shuffle -> elements + Math.min(shuffle.buffer(), Integer.MAX_VALUE);
      case SkipOp skip -> skip.count() < 0 ? -1 : elements + skip.count();
      case ShardOp shard -> elements * shard.count();
      case TakeOp take -> take.count() < 0 ? elements : Math.min(elements, take.count());
      default -> op.traits().oneToOne() && op.inputs().size() == 1 ? elements : -1;
    };
  }
}
