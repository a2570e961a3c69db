package dev.headrace.cuda.kernel;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.util.Collections;
import java.util.List;

/** The one element of a tensor in the host's memory, as a number of the row's record. */
final class Constant extends Node {
  /** A float as a double, which holds it exactly; unused for other types. */
  private final double number;

  /** The bits of an integer or a boolean. */
  private final long bits;

  Constant(Tensor tensor) {
    super(tensor.dtype(), tensor.shape());
    Tensor one = tensor.reshape(Shape.scalar());
    boolean isFloating = tensor.dtype().isFloating();
    this.number = isFloating ? one.convert(DType.FLOAT64).doubleValue() : 0;
    this.bits = isFloating ? 0 : one.convert(DType.INT64).longValue();
  }

  @Override
  String name() {
    return "number";
  }

  @Override
  List<Value> generate(Code code, List<Index> at) {
    RowRecord row = code.row();
    Operand operand =
        switch (Numbers.register(dtype())) {
          case F32 -> row.float32(this, "number", constant -> constant.number);
          case F64 -> row.float64(this, "number", constant -> constant.number);
          case B64 -> row.int64(this, "number", constant -> constant.bits);
          default -> row.int32(this, "number", constant -> (int) constant.bits);
        };
    return Collections.nCopies(at.size(), new Value(dtype(), operand));
  }
}
