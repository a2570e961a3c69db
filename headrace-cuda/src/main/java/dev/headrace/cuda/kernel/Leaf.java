package dev.headrace.cuda.kernel;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import java.util.List;

/** Elements that lie in the device's memory before the kernel runs. */
final class Leaf extends Node {
  private final MemoryPlace place;

  /**
   * @param level how many launches after each other write it; 0 if none does
   */
  Leaf(DType dtype, Shape shape, MemoryPlace place, int level) {
    super(dtype, shape, level);
    this.place = place;
  }

  @Override
  String name() {
    return "memory";
  }

  @Override
  List<Value> generate(Code code, List<Index> at) {
    Operand base = code.row().address(this, "address", leaf -> leaf.place);
    int bytes = dtype().byteSize();
    return at.stream()
        .map(index -> Numbers.load(code, dtype(), code.locate(this, base, index, bytes)))
        .toList();
  }
}
