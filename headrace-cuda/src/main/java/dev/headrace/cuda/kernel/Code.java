package dev.headrace.cuda.kernel;

import static dev.headrace.cuda.kernel.PtxType.B32;
import static dev.headrace.cuda.kernel.PtxType.B64;
import static dev.headrace.cuda.kernel.PtxType.F32;
import static dev.headrace.cuda.kernel.PtxType.F64;
import static dev.headrace.cuda.kernel.PtxType.PREDICATE;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * What the nodes of a computation generate with: arithmetic on registers, the numbers of the row
 * that is computed, places in memory.
 *
 * <p>Floats are computed as Java does, each operation rounded by itself: {@code .rn} keeps the
 * assembler from fusing two.
 */
final class Code {
  private final Ptx ptx;
  private final RowRecord record;
  private final boolean isWide;

  /**
   * @param isWide whether indices have 64 bits, for tensors of 2^31 elements and more
   */
  Code(Ptx ptx, RowRecord record, boolean isWide) {
    this.ptx = ptx;
    this.record = record;
    this.isWide = isWide;
  }

  /** The text, for what is not arithmetic. */
  Ptx ptx() {
    return ptx;
  }

  /** The numbers that rows differ in. */
  RowRecord row() {
    return record;
  }

  // ---- arithmetic; both operands have the type of the result

  Operand add(Operand left, Operand right) {
    if (left.isInteger() && right.isInteger()) {
      return number(left.type(), left.integer() + right.integer());
    }
    if (isNumber(left, 0)) {
      return right;
    }
    return isNumber(right, 0) ? left : op("add", left, right);
  }

  Operand subtract(Operand left, Operand right) {
    if (left.isInteger() && right.isInteger()) {
      return number(left.type(), left.integer() - right.integer());
    }
    return isNumber(right, 0) ? left : op("sub", left, right);
  }

  Operand multiply(Operand left, Operand right) {
    if (left.isInteger() && right.isInteger()) {
      return number(left.type(), left.integer() * right.integer());
    }
    if (isNumber(left, 0) || isNumber(right, 1)) {
      return left;
    }
    if (isNumber(right, 0) || isNumber(left, 1)) {
      return right;
    }
    return left.type().isFloating()
        ? op("mul", left, right)
        : ptx.op(left.type(), "mul.lo." + signed(left.type()), left, right);
  }

  /** The quotient of floats, or of integers that are not negative. */
  Operand divide(Operand left, Operand right) {
    return left.type().isFloating()
        ? op("div", left, right)
        : isNumber(right, 1)
            ? left
            : ptx.op(left.type(), "div." + unsigned(left.type()), left, right);
  }

  /** The smaller one; of a float and NaN, the float. */
  Operand min(Operand left, Operand right) {
    return ptx.op(left.type(), "min." + signed(left.type()), left, right);
  }

  /** The larger one; of a float and NaN, the float. */
  Operand max(Operand left, Operand right) {
    return ptx.op(left.type(), "max." + signed(left.type()), left, right);
  }

  /** The smaller one of two floats; NaN where one is, as in Java. */
  Operand minOrNan(Operand left, Operand right) {
    return select(compare("nan", left, right), nan(left.type()), min(left, right));
  }

  /** The larger one of two floats; NaN where one is, as in Java. */
  Operand maxOrNan(Operand left, Operand right) {
    return select(compare("nan", left, right), nan(left.type()), max(left, right));
  }

  private static Operand nan(PtxType type) {
    return type == F32 ? Operand.of(Float.NaN) : Operand.of(Double.NaN);
  }

  Operand clamp(Operand value, Operand least, Operand most) {
    return min(max(value, least), most);
  }

  Operand abs(Operand value) {
    return ptx.op(value.type(), "abs." + signed(value.type()), value);
  }

  Operand negate(Operand value) {
    return ptx.op(value.type(), "neg." + signed(value.type()), value);
  }

  Operand squareRoot(Operand value) {
    return ptx.op(value.type(), "sqrt.rn." + value.type().word(), value);
  }

  /** {@code left * right + plus}, rounded once. */
  Operand fused(Operand left, Operand right, Operand plus) {
    return ptx.op(left.type(), "fma.rn." + left.type().word(), left, right, plus);
  }

  /** The largest whole number that is not larger. */
  Operand floor(Operand value) {
    String type = value.type().word();
    return ptx.op(value.type(), "cvt.rmi." + type + "." + type, value);
  }

  /** The smallest whole number that is not smaller. */
  Operand ceil(Operand value) {
    String type = value.type().word();
    return ptx.op(value.type(), "cvt.rpi." + type + "." + type, value);
  }

  private Operand op(String name, Operand left, Operand right) {
    String rounding = left.type().isFloating() ? ".rn." : ".";
    return ptx.op(left.type(), name + rounding + signed(left.type()), left, right);
  }

  private static boolean isNumber(Operand operand, long value) {
    return operand.isInteger() && operand.integer() == value;
  }

  private static Operand number(PtxType type, long value) {
    return type == B64 ? Operand.of(value) : Operand.of((int) value);
  }

  private static String signed(PtxType type) {
    return switch (type) {
      case B32 -> "s32";
      case B64 -> "s64";
      default -> type.word();
    };
  }

  private static String unsigned(PtxType type) {
    return type == B64 ? "u64" : "u32";
  }

  // ---- conditions

  /** Whether two floats or signed integers are in a relation: {@code lt}, {@code eq}, … */
  Operand compare(String relation, Operand left, Operand right) {
    return ptx.op(PREDICATE, "setp." + relation + "." + signed(left.type()), left, right);
  }

  /** Whether two unsigned integers are in a relation. */
  Operand compareUnsigned(String relation, Operand left, Operand right) {
    return ptx.op(PREDICATE, "setp." + relation + "." + unsigned(left.type()), left, right);
  }

  Operand and(Operand left, Operand right) {
    return ptx.op(PREDICATE, "and.pred", left, right);
  }

  Operand or(Operand left, Operand right) {
    return ptx.op(PREDICATE, "or.pred", left, right);
  }

  Operand select(Operand predicate, Operand then, Operand otherwise) {
    return then.equals(otherwise)
        ? then
        : ptx.op(then.type(), "selp." + then.type().word(), then, otherwise, predicate);
  }

  // ---- conversions

  /** A signed integer or a double as a float, rounded to nearest. */
  Operand toFloat(Operand value) {
    return value.type() == F32 ? value : ptx.op(F32, "cvt.rn.f32." + signed(value.type()), value);
  }

  /** A float as an index, truncated; one that no index can hold becomes the nearest. */
  Operand toIndex(Operand value) {
    Operand narrow = ptx.op(B32, "cvt.rzi.s32.f32", value);
    return isWide ? ptx.op(B64, "cvt.s64.s32", narrow) : narrow;
  }

  Operand toDouble(Operand value) {
    return value.type() == F64 ? value : ptx.op(F64, "cvt.f64.f32", value);
  }

  // ---- indices

  PtxType indexType() {
    return isWide ? B64 : B32;
  }

  /** A number as an index. */
  Operand index(long value) {
    return number(indexType(), value);
  }

  /** The number of the row that this block computes. */
  Operand rowNumber() {
    return ptx.special("%ctaid.y");
  }

  /** A number of 32 bits that is not negative, as an index. */
  Operand widened(Operand value) {
    return isWide && value.type() == B32 ? ptx.op(B64, "cvt.u64.u32", value) : value;
  }

  /** The lengths of a node's dimensions. */
  List<Operand> dims(Node node) {
    List<Operand> dims = new ArrayList<>();
    for (int axis = 0; axis < node.shape().rank(); axis++) {
      int number = axis;
      dims.add(record.index(node, "dim" + axis, n -> n.shape().dim(number), indexType()));
    }
    return dims;
  }

  /** How far indices of each dimension lie apart. */
  List<Operand> strides(Node node) {
    List<Operand> dims = dims(node);
    List<Operand> strides = new ArrayList<>();
    Operand stride = index(1);
    for (Operand dim : dims.reversed()) {
      strides.addFirst(stride);
      stride = multiply(stride, dim);
    }
    return strides;
  }

  // ---- memory

  /**
   * A place in memory.
   *
   * @param offset bytes after the address
   */
  record Location(Operand address, long offset) {}

  /** Where element {@code index} of a tensor of a node's shape lies that begins at {@code base}. */
  Location locate(Node node, Operand base, Index index, int elementBytes) {
    if (index.isFlat()) {
      return new Location(advance(base, index.flat(this, node), elementBytes), 0);
    }
    List<Operand> coordinates = index.coordinates(this, node);
    List<Operand> strides = strides(node);
    long offset = 0;
    // By depth: what is common to all channels, or to a whole loop, is added up by itself.
    TreeMap<Integer, Operand> sums = new TreeMap<>();
    for (int axis = 0; axis < coordinates.size(); axis++) {
      Operand term = multiply(coordinates.get(axis), strides.get(axis));
      if (term.isInteger()) {
        offset += term.integer() * elementBytes;
      } else {
        sums.merge(term.depth(), term, this::add);
      }
    }
    Operand address = base;
    for (Operand sum : sums.values()) {
      address = advance(address, sum, elementBytes);
    }
    return new Location(address, offset);
  }

  /** The address that many elements later. */
  Operand advance(Operand address, Operand elements, int elementBytes) {
    if (elements.isInteger()) {
      return add(address, Operand.of(elements.integer() * elementBytes));
    }
    return elements.type() == B64
        ? ptx.op(B64, "mad.lo.s64", elements, Operand.of((long) elementBytes), address)
        : ptx.op(B64, "mad.wide.s32", elements, Operand.of(elementBytes), address);
  }
}
