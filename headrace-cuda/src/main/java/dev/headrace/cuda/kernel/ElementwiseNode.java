package dev.headrace.cuda.kernel;

import dev.headrace.data.Arithmetic;
import dev.headrace.data.ArithmeticExpression;
import dev.headrace.data.ClipExpression;
import dev.headrace.data.ConvertExpression;
import dev.headrace.data.DType;
import dev.headrace.data.ElementwiseExpression;
import dev.headrace.data.MathExpression;
import dev.headrace.data.MathFunction;
import dev.headrace.data.ScaleExpression;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.util.List;
import java.util.Locale;

/** A step that computes each element from the same element of one source. */
final class ElementwiseNode extends Node {
  private final ElementwiseExpression expression;

  /**
   * @param shape the expression's, or that of one of its rows
   */
  ElementwiseNode(ElementwiseExpression expression, Shape shape, Node source) {
    super(expression.dtype(), shape, source);
    this.expression = expression;
  }

  @Override
  String name() {
    return switch (expression) {
      case ConvertExpression convert -> "convert";
      case ScaleExpression scale -> "scale";
      case ArithmeticExpression arithmetic -> arithmetic.operation().word() + " number";
      case MathExpression math -> math.function().name().toLowerCase(Locale.ROOT);
      case ClipExpression clip -> "clip";
    };
  }

  @Override
  List<Value> generate(Code code, List<Index> at) {
    return source().values(code, at).stream().map(value -> compute(code, value)).toList();
  }

  private Value compute(Code code, Value value) {
    return switch (expression) {
      case ConvertExpression convert -> Numbers.convert(code, value, dtype());
      case ScaleExpression scale -> combine(code, Arithmetic.MULTIPLY, value);
      case ArithmeticExpression arithmetic -> combine(code, arithmetic.operation(), value);
      case MathExpression math -> apply(code, math.function(), value);
      case ClipExpression clip -> clip(code, value);
    };
  }

  private Value combine(Code code, Arithmetic operation, Value value) {
    Operand left = Numbers.convert(code, value, dtype()).operand();
    Operand right = number(code, "operand", ElementwiseNode::operand);
    return Numbers.compute(code, operation, left, right, dtype());
  }

  private static double operand(ElementwiseNode node) {
    return switch (node.expression) {
      case ScaleExpression scale -> scale.factor();
      case ArithmeticExpression arithmetic -> arithmetic.operand();
      default -> throw new AssertionError(node.expression.describe());
    };
  }

  private interface OfNode {
    double of(ElementwiseNode node);
  }

  /** A number of the row, which the expression has as a double, in this node's type. */
  private Operand number(Code code, String name, OfNode number) {
    RowRecord row = code.row();
    // Settled on the host: rounded to the type, as the core does.
    return switch (Numbers.register(dtype())) {
      case F32 -> row.float32(this, name, node -> rounded(number.of(node), node.dtype()));
      case F64 -> row.float64(this, name, number::of);
      case B64 -> row.int64(this, name, node -> bits(number.of(node), node.dtype()));
      default -> row.int32(this, name, node -> (int) bits(number.of(node), node.dtype()));
    };
  }

  private static double rounded(double number, DType dtype) {
    return dtype == DType.FLOAT32
        ? (float) number
        : Tensor.scalar(number).convert(dtype).convert(DType.FLOAT64).doubleValue();
  }

  private static long bits(double number, DType dtype) {
    return Tensor.scalar(number).convert(dtype).convert(DType.INT64).longValue();
  }

  private Value apply(Code code, MathFunction function, Value value) {
    Operand x = value.operand();
    DType dtype = dtype();
    return switch (function) {
      case SQUARE -> Numbers.typed(code, code.multiply(x, x), dtype);
      case ABS -> dtype.isUnsigned() ? value : Numbers.typed(code, code.abs(x), dtype);
      case NEGATE -> Numbers.typed(code, code.negate(x), dtype);
      case SQRT -> Numbers.typed(code, code.squareRoot(x), dtype);
      case EXP -> Numbers.settle(code, Functions.exp(code, code.toDouble(x)), dtype);
      case LOG -> Numbers.settle(code, Functions.log(code, code.toDouble(x)), dtype);
    };
  }

  private Value clip(Code code, Value value) {
    Operand least = number(code, "least", node -> ((ClipExpression) node.expression).least());
    Operand most = number(code, "most", node -> ((ClipExpression) node.expression).most());
    Operand x = value.operand();
    if (dtype().isFloating()) {
      return new Value(dtype(), code.maxOrNan(least, code.minOrNan(most, x)));
    }
    Operand upper =
        code.select(
            dtype().isUnsigned()
                ? code.compareUnsigned("gt", x, most)
                : code.compare("gt", x, most),
            most,
            x);
    Operand both =
        code.select(
            dtype().isUnsigned()
                ? code.compareUnsigned("lt", upper, least)
                : code.compare("lt", upper, least),
            least,
            upper);
    return new Value(dtype(), both);
  }
}
