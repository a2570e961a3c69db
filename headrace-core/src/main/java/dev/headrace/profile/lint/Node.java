package dev.headrace.profile.lint;

import dev.headrace.op.CacheFileOp;
import dev.headrace.op.CacheOp;
import dev.headrace.op.GlobalShuffleOp;
import dev.headrace.op.RepeatOp;
import dev.headrace.op.ShuffleOp;
import dev.headrace.profile.LintSettings;
import dev.headrace.spi.Op;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
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
  private List<Node> inputs() {
    return op.inputs().stream().map(input -> new Node(input, this, settings)).toList();
  }

  /** Everything it is made from, nearest first; not by recursion, since plans may be deep. */
  public Stream<Node> below() {
    List<Node> all = new ArrayList<>();
    Deque<Node> open = new ArrayDeque<>(inputs());
    while (!open.isEmpty()) {
      Node at = open.pop();
      all.add(at);
      at.inputs().reversed().forEach(open::push);
    }
    return all.stream();
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

  /**
   * The nearest operator before it that is meant, looking through operators that have only effects
   * which are harmless here; null if there is none. Where several inputs meet it looks no further:
   * what is wrong with one of them may be right for the other.
   */
  @Nullable Node behind(Set<Effect> harmless, Predicate<Op> meant) {
    return behind(node -> harmless.containsAll(Effect.of(node.op)), meant);
  }

  /** The nearest operator before it that is meant, looking through those that may be passed. */
  @Nullable Node behind(Predicate<Node> passed, Predicate<Op> meant) {
    Node at = before();
    while (at != null && !meant.test(at.op)) {
      at = passed.test(at) ? at.before() : null;
    }
    return at;
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
}
