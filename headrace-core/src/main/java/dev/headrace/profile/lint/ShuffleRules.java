package dev.headrace.profile.lint;

import dev.headrace.op.BatchOp;
import dev.headrace.op.FlatMapOp;
import dev.headrace.op.GlobalShuffleOp;
import dev.headrace.op.RebatchOp;
import dev.headrace.op.ShuffleOp;
import dev.headrace.op.SkipOp;
import dev.headrace.op.UnbatchOp;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.lint.Rule.Found;
import dev.headrace.spi.Op;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Shuffles that mix less, or more, than they seem to. */
public final class ShuffleRules {
  /** Through these a batch stays a batch. */
  private static final Set<Effect> EACH_STAYS_ONE =
      EnumSet.complementOf(EnumSet.of(Effect.GROUPS, Effect.EXPANDS, Effect.UNKNOWN));

  /** Through these the repetitions still follow one another; files are read as a whole. */
  private static final Set<Effect> EPOCHS_STAY_MIXED =
      EnumSet.complementOf(EnumSet.of(Effect.EXPANDS, Effect.UNKNOWN));

  /** A cache has one order for all epochs; after repeat, skip counts over several. */
  private static final Set<Effect> ORDER_STILL_DIFFERS =
      EnumSet.complementOf(EnumSet.of(Effect.REPEATS, Effect.HOLDS, Effect.UNKNOWN));

  public static final List<Rule> ALL =
      List.of(
          new Rule(
              "shuffle-after-batch",
              Severity.HINT,
              "`shuffle` after `batch`, with no `shuffle` before it, and batches that stay as they"
                  + " are",
              "whole batches change places; the elements of a batch stay together in every epoch",
              "`.shuffle(n, seed).batch(size)`",
              ShuffleRules::afterBatch),
          new Rule(
              "repeat-before-shuffle",
              Severity.HINT,
              "`shuffle` after `repeat`, with no `shuffle` before it",
              "the buffer mixes epochs: an element may come twice before another has come at all",
              "`.shuffle(n, seed).repeat()`",
              ShuffleRules::afterRepeat),
          new Rule(
              "shuffle-of-one",
              Severity.HINT,
              "`shuffle(1)`",
              "a buffer of one element has nothing to choose from: the order stays as it is",
              "a buffer of some thousand elements, or no `shuffle`",
              ShuffleRules::ofOne),
          new Rule(
              "shuffle-before-split",
              Severity.HINT,
              "`skip` after a `shuffle` that differs in each epoch",
              "each epoch passes over other elements, so those held out for validation are trained"
                  + " on in the next one",
              "`shuffle(n, seed, false)` before `take` and `skip`, and another `shuffle` after"
                  + " them",
              ShuffleRules::beforeSplit));

  private ShuffleRules() {}

  /** Batches that are batched again or taken apart were blocks of neighbours, meant to stay so. */
  private static boolean regroups(Op op) {
    return op instanceof BatchOp
        || op instanceof RebatchOp
        || op instanceof UnbatchOp
        || op instanceof FlatMapOp;
  }

  private static @Nullable Found afterBatch(Node node) {
    if (!(node.op() instanceof ShuffleOp shuffle)
        || shuffle.buffer() == 1
        || node.anyBelow(Node::isShuffle)
        || node.anyAbove(ShuffleRules::regroups)) {
      return null;
    }
    Node batch = node.behind(EACH_STAYS_ONE, op -> op instanceof BatchOp b && b.size() > 1);
    if (batch == null) {
      return null;
    }
    return Found.of(
        "It changes the places of whole batches; the elements within a batch are always the same.",
        List.of(
            "%s groups %,d elements before they are shuffled"
                .formatted(batch.title(), ((BatchOp) batch.op()).size())),
        "put .shuffle(%d, seed) before .batch(%d)"
            .formatted(
                Math.min(10_000, shuffle.buffer() * ((BatchOp) batch.op()).size()),
                ((BatchOp) batch.op()).size()));
  }

  private static @Nullable Found afterRepeat(Node node) {
    if (!(node.op() instanceof ShuffleOp shuffle)
        || shuffle.buffer() == 1
        || node.anyBelow(Node::isShuffle)) {
      return null;
    }
    Node repeat = node.behind(EPOCHS_STAY_MIXED, Node::isRepeat);
    if (repeat == null) {
      return null;
    }
    return Found.of(
        "It mixes the end of one epoch with the beginning of the next.",
        List.of(repeat.title() + " comes before it"),
        "put the shuffle before .repeat(); each repetition then has an order of its own");
  }

  private static @Nullable Found ofOne(Node node) {
    boolean isIt =
        node.op() instanceof ShuffleOp shuffle
            && shuffle.buffer() == 1
            && (shuffle.cardinality() < 0 || shuffle.cardinality() > 1);
    return isIt
        ? Found.of(
            "Its buffer holds one element, so the order does not change.",
            List.of("buffer=1"),
            "give it a larger buffer, such as .shuffle(10_000, seed), or leave it out")
        : null;
  }

  private static @Nullable Found beforeSplit(Node node) {
    if (!(node.op() instanceof SkipOp skip) || skip.count() < 1 || node.isReadOnce()) {
      return null;
    }
    Node shuffle = node.behind(ORDER_STILL_DIFFERS, ShuffleRules::differsEachPass);
    if (shuffle == null) {
      return null;
    }
    return Found.of(
        "It passes over other elements in each epoch, because the shuffle before it has another"
            + " order each time.",
        List.of(
            shuffle.title() + " shuffles again in each epoch",
            "what one epoch passes over, the next one may give"),
        "write .shuffle(n, seed, false) before it, and shuffle again after it");
  }

  private static boolean differsEachPass(Op op) {
    return (op instanceof ShuffleOp shuffle && shuffle.reshuffle() && shuffle.buffer() > 1)
        || (op instanceof GlobalShuffleOp global && global.reshuffle());
  }
}
