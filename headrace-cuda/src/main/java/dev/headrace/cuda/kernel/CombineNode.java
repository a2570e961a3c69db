package dev.headrace.cuda.kernel;

import dev.headrace.data.Arithmetic;
import dev.headrace.data.CombineExpression;
import dev.headrace.data.Shape;
import java.util.ArrayList;
import java.util.List;

/** Each element of a node with the same one of another, or with the only one of a scalar. */
final class CombineNode extends Node {
  private final Arithmetic operation;

  CombineNode(CombineExpression expression, Shape shape, Node left, Node right) {
    super(expression.dtype(), shape, left, right);
    this.operation = expression.operation();
  }

  @Override
  String name() {
    return operation.word();
  }

  @Override
  List<Value> generate(Code code, List<Index> at) {
    List<Value> lefts = operands(code, sources().getFirst(), at);
    List<Value> rights = operands(code, sources().getLast(), at);
    List<Value> results = new ArrayList<>();
    for (int i = 0; i < at.size(); i++) {
      Operand left = Numbers.convert(code, lefts.get(i), dtype()).operand();
      Operand right = Numbers.convert(code, rights.get(i), dtype()).operand();
      results.add(Numbers.compute(code, operation, left, right, dtype()));
    }
    return results;
  }

  private static List<Value> operands(Code code, Node node, List<Index> at) {
    return node.shape().rank() == 0
        ? at.stream().map(index -> node.value(code, Index.scalar())).toList()
        : node.values(code, at);
  }
}
