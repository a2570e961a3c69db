package dev.headrace.profile.lint;

import dev.headrace.op.CacheFileOp;
import dev.headrace.op.CacheOp;
import dev.headrace.op.GlobalShuffleOp;
import dev.headrace.op.RepeatOp;
import dev.headrace.op.ShuffleOp;
import dev.headrace.profile.LintSettings;
import dev.headrace.spi.Op;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An operator in its plan, with a view in both directions. */
public final class Node {
  private final Op op;
  private final @Nullable Node next;
  private final LintSettings settings;

  /**
   * Makes a node.
   *
   * @param next the operator that pulls from this one, or null at the end of the plan
   */
  public Node(Op op, @Nullable Node next, LintSettings settings) {
    this.op = op;
    this.next = next;
    this.settings = settings;
  }

  Op op() {
    return op;
  }

  LintSettings settings() {
    return settings;
  }

  String title() {
    return op.title();
  }

  /** The operators it pulls from. */
  Stream<Node> inputs() {
    return op.inputs().stream().map(input -> new Node(input, this, settings));
  }

  /** Everything it is made from, nearest first. */
  public Stream<Node> below() {
    return inputs().flatMap(input -> Stream.concat(Stream.of(input), input.below()));
  }

  /** The operators that pull from it, nearest first, up to the end of the plan. */
  Stream<Node> above() {
    return Stream.iterate(next, node -> node != null, node -> node.next);
  }

  /** Its only input, or null at sources and where several inputs meet. */
  @Nullable Node before() {
    List<Op> inputs = op.inputs();
    return inputs.size() == 1 ? new Node(inputs.getFirst(), this, settings) : null;
  }

  /** The first operator before it that is meant, with nothing between but what may be passed. */
  @Nullable Node behind(Predicate<Op> passed, Predicate<Op> meant) {
    for (Node at = before(); at != null; at = at.before()) {
      if (meant.test(at.op)) {
        return at;
      }
      if (!passed.test(at.op)) {
        return null;
      }
    }
    return null;
  }

  boolean anyBelow(Predicate<Op> meant) {
    return below().anyMatch(node -> meant.test(node.op));
  }

  boolean anyAbove(Predicate<Op> meant) {
    return above().anyMatch(node -> meant.test(node.op));
  }

  /** Whether it is known that its elements are asked for in one pass only. */
  boolean isReadOnce() {
    return settings.epochs() == 1 && !anyAbove(Node::isRepeat);
  }

  /** Whether what it makes is kept, so that later passes do not make it again. */
  boolean isCached() {
    return anyAbove(Node::isCache);
  }

  static boolean isCache(Op op) {
    return op instanceof CacheOp || op instanceof CacheFileOp;
  }

  /** Whether its input is read more than once. */
  static boolean isRepeat(Op op) {
    return op instanceof RepeatOp repeat && (repeat.count() > 1 || repeat.count() == -1);
  }

  static boolean isShuffle(Op op) {
    return op instanceof ShuffleOp || op instanceof GlobalShuffleOp;
  }

  /** Whether elements pass as they are and one by one: nothing is grouped, changed or made up. */
  static boolean passesElements(Op op) {
    return op.traits().keepsElements() || op.traits().shapesNothing();
  }

  /** Whether elements pass as they are, or become one element each. */
  static boolean passesOneByOne(Op op) {
    return passesElements(op) || op.traits().oneToOne();
  }
}
