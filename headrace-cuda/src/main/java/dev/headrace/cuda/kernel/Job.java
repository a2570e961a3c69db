package dev.headrace.cuda.kernel;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Work for one kernel: a tensor to be computed, or one row of a batch. Jobs of equal {@link #key}
 * are done by one launch, a row of its grid each.
 *
 * <p><b>Threading:</b> immutable, apart from what is remembered.
 */
abstract class Job {
  /** The threads of a block. */
  static final int THREADS = 256;

  private final List<Node> roots;
  private final int level;
  private final List<Object> subjects = new ArrayList<>();
  private final String key;

  /**
   * @param name what of the job itself its text depends on
   * @param roots the nodes whose elements it asks for
   */
  Job(String name, List<Node> roots) {
    this.roots = roots;
    this.level = roots.stream().mapToInt(Node::level).max().orElse(0);
    StringBuilder text = new StringBuilder();
    Map<Object, Integer> numbers = new IdentityHashMap<>();
    subjects.add(this);
    for (Node root : roots) {
      describe(root, text, numbers);
    }
    this.key = (isWide() ? "wide " : "") + name + " of " + text;
  }

  // A node that is met again stands there by its number: it makes a difference for the text.
  private void describe(Node node, StringBuilder text, Map<Object, Integer> numbers) {
    Integer number = numbers.get(node);
    if (number != null) {
      text.append('#').append(number);
      return;
    }
    numbers.put(node, subjects.size());
    subjects.add(node);
    text.append(node.key());
    if (!node.sources().isEmpty()) {
      text.append('(');
      for (int i = 0; i < node.sources().size(); i++) {
        text.append(i == 0 ? "" : ", ");
        describe(node.sources().get(i), text, numbers);
      }
      text.append(')');
    }
  }

  /** How many launches after each other must run before this one. */
  int level() {
    return level;
  }

  List<Node> roots() {
    return roots;
  }

  /** The structure that the text depends on. */
  String key() {
    return key;
  }

  /** The job and its nodes, in an order that depends on the structure alone. */
  List<Object> subjects() {
    return subjects;
  }

  /** Whether indices need 64 bits. */
  boolean isWide() {
    return subjects.stream()
        .anyMatch(
            subject -> subject instanceof Node node && node.shape().elements() > Integer.MAX_VALUE);
  }

  /** How many blocks are to work on it, at least 1, where it is one of so many rows. */
  abstract long blocks(int rows);

  /** The name of the kernel's entry. */
  abstract String entry();

  abstract void generate(Code code);
}
