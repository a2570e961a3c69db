package dev.headrace.cuda.kernel;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import java.util.List;

/**
 * A step of a computation that can generate the code for any one of its elements, by asking its
 * sources for those it needs. What rows of a batch may differ in are numbers of the row's record;
 * everything else is in {@link #key}.
 *
 * <p><b>Threading:</b> immutable.
 */
abstract class Node {
  private final DType dtype;
  private final Shape shape;
  private final List<Node> sources;
  private final int level;

  Node(DType dtype, Shape shape, Node... sources) {
    this(dtype, shape, 0, sources);
  }

  /**
   * @param level how many launches after each other must have run before this can be read
   */
  Node(DType dtype, Shape shape, int level, Node... sources) {
    this.dtype = dtype;
    this.shape = shape;
    this.sources = List.of(sources);
    int most = level;
    for (Node source : sources) {
      most = Math.max(most, source.level);
    }
    this.level = most;
  }

  DType dtype() {
    return dtype;
  }

  Shape shape() {
    return shape;
  }

  List<Node> sources() {
    return sources;
  }

  /** The first of the sources. */
  Node source() {
    return sources.getFirst();
  }

  int level() {
    return level;
  }

  /** Whether an element takes a loop, of this node or of one that it asks. */
  boolean loops() {
    return sources.stream().anyMatch(Node::loops);
  }

  /** Two nodes that generate the same text, given the same sources, have the same name. */
  abstract String name();

  /** The structure that the text depends on, without sources. */
  final String key() {
    return name() + ":" + dtype.tfName() + "/" + shape.rank();
  }

  /** Generates the code for some elements. */
  final List<Value> values(Code code, List<Index> at) {
    return code.ptx().remember(new Request(this, at), () -> generate(code, at));
  }

  /** The code for one element. */
  final Value value(Code code, Index at) {
    return values(code, List.of(at)).getFirst();
  }

  abstract List<Value> generate(Code code, List<Index> at);

  /** Nodes are equal only if they are the same. */
  private record Request(Node node, List<Index> at) {}
}
