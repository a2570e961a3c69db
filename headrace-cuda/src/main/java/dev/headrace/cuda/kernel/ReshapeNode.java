package dev.headrace.cuda.kernel;

import dev.headrace.data.Shape;
import java.util.List;

/** The same elements in another shape. */
final class ReshapeNode extends Node {
  ReshapeNode(Shape shape, Node source) {
    super(source.dtype(), shape, source);
  }

  @Override
  String name() {
    return "reshape";
  }

  @Override
  List<Value> generate(Code code, List<Index> at) {
    return source()
        .values(code, at.stream().map(index -> Index.flat(index.flat(code, this))).toList());
  }
}
