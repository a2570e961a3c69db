package dev.headrace.cuda.kernel;

import static dev.headrace.cuda.kernel.PtxType.B16;
import static dev.headrace.cuda.kernel.PtxType.B32;
import static dev.headrace.cuda.kernel.PtxType.B64;
import static dev.headrace.cuda.kernel.PtxType.F32;
import static dev.headrace.cuda.kernel.PtxType.F64;

import dev.headrace.data.Arithmetic;
import dev.headrace.data.DType;
import org.jspecify.annotations.Nullable;

/**
 * The types of tensors in terms of registers: how they are read, written, converted and computed
 * with. All of it gives the bits that the core's {@code Elements} and {@code PixelMemory} give.
 */
final class Numbers {
  private Numbers() {}

  /** The registers that hold values of a type; see {@link Value}. */
  static PtxType register(DType dtype) {
    return switch (dtype) {
      case FLOAT16, BFLOAT16, FLOAT32 -> F32;
      case FLOAT64 -> F64;
      case INT64, UINT64 -> B64;
      default -> B32;
    };
  }

  /** The least value of an integer type, as a double. */
  static double least(DType dtype) {
    return dtype.isUnsigned() ? 0 : -Math.scalb(1.0, dtype.byteSize() * 8 - 1);
  }

  /** The largest value of an integer type, as a double. */
  static double most(DType dtype) {
    return Math.scalb(1.0, dtype.byteSize() * 8 - (dtype.isUnsigned() ? 0 : 1)) - 1;
  }

  /** Zero of a type. */
  static Value zero(DType dtype) {
    return new Value(
        dtype,
        switch (register(dtype)) {
          case F32 -> Operand.of(0f);
          case F64 -> Operand.of(0.0);
          case B64 -> Operand.of(0L);
          default -> Operand.of(0);
        });
  }

  // ---- memory

  static Value load(Code code, DType dtype, Code.Location from) {
    Ptx ptx = code.ptx();
    Operand operand =
        switch (dtype) {
          case BOOL -> isNotZero(code, load(ptx, B32, "u8", from));
          case UINT8 -> load(ptx, B32, "u8", from);
          case INT8 -> load(ptx, B32, "s8", from);
          case UINT16 -> load(ptx, B32, "u16", from);
          case INT16 -> load(ptx, B32, "s16", from);
          case INT32, UINT32 -> load(ptx, B32, "b32", from);
          case INT64, UINT64 -> load(ptx, B64, "b64", from);
          case FLOAT16 -> ptx.op(F32, "cvt.f32.f16", load(ptx, B16, "b16", from));
          case BFLOAT16 -> upperHalf(ptx, load(ptx, B32, "u16", from));
          case FLOAT32 -> load(ptx, F32, "f32", from);
          case FLOAT64 -> load(ptx, F64, "f64", from);
          case STRING -> throw new AssertionError(dtype);
        };
    return new Value(dtype, operand);
  }

  private static Operand load(Ptx ptx, PtxType type, String word, Code.Location from) {
    return ptx.load(type, "ld.global.nc." + word, from.address(), from.offset());
  }

  /** The float whose upper bits are the lower bits of an integer. */
  private static Operand upperHalf(Ptx ptx, Operand bits) {
    return ptx.op(F32, "mov.b32", ptx.op(B32, "shl.b32", bits, Operand.of(16)));
  }

  static void store(Code code, Value value, Code.Location to) {
    store(code, value, to, null);
  }

  /** Stores a value where a condition holds. */
  static void store(Code code, Value value, Code.Location to, @Nullable Operand condition) {
    Ptx ptx = code.ptx();
    Operand stored =
        switch (value.dtype()) {
          case FLOAT16 -> ptx.op(B16, "cvt.rn.f16.f32", value.operand());
          case BFLOAT16 ->
              ptx.op(B32, "shr.u32", ptx.op(B32, "mov.b32", value.operand()), Operand.of(16));
          default -> value.operand();
        };
    String word =
        switch (value.dtype().byteSize()) {
          case 1 -> "u8";
          case 2 -> value.dtype() == DType.FLOAT16 ? "b16" : "u16";
          default -> stored.type().word();
        };
    String opcode = "st.global." + word;
    ptx.store(
        condition == null ? opcode : "@" + condition + " " + opcode,
        to.address(),
        to.offset(),
        stored);
  }

  // ---- conversions

  /** A value as a float, rounded to nearest: what steps on images compute with. */
  static Operand toFloat(Code code, Value value) {
    return switch (value.dtype()) {
      case UINT32 -> code.ptx().op(F32, "cvt.rn.f32.u32", value.operand());
      case UINT64 -> code.ptx().op(F32, "cvt.rn.f32.u64", value.operand());
      default -> code.toFloat(value.operand());
    };
  }

  private static Operand toDouble(Code code, Value value) {
    Ptx ptx = code.ptx();
    return switch (value.dtype()) {
      case FLOAT16, BFLOAT16, FLOAT32 -> ptx.op(F64, "cvt.f64.f32", value.operand());
      case FLOAT64 -> value.operand();
      case UINT32 -> ptx.op(F64, "cvt.rn.f64.u32", value.operand());
      case UINT64 -> ptx.op(F64, "cvt.rn.f64.u64", value.operand());
      case INT64 -> ptx.op(F64, "cvt.rn.f64.s64", value.operand());
      default -> ptx.op(F64, "cvt.rn.f64.s32", value.operand());
    };
  }

  /** The value that a type holds for a float or double: integers truncated, and within range. */
  static Value settle(Code code, Operand number, DType dtype) {
    Operand operand =
        switch (dtype) {
          case FLOAT64 -> code.toDouble(number);
          case FLOAT16, BFLOAT16, FLOAT32 -> round(code, code.toFloat(number), dtype);
          case BOOL -> isNotZero(code, number);
          case INT32 -> truncate(code, number, "s32");
          case UINT32 -> truncate(code, number, "u32");
          case INT64 -> truncate(code, number, "s64");
          case UINT64 -> truncate(code, number, "u64");
          default ->
              code.clamp(
                  truncate(code, number, "s32"),
                  Operand.of((int) least(dtype)),
                  Operand.of((int) most(dtype)));
        };
    return new Value(dtype, operand);
  }

  /* Beyond the range the machine takes the nearest value, as Java does. NaN becomes 0 where both
   * are of 32 bits at most, and otherwise must be made 0. */
  private static Operand truncate(Code code, Operand number, String to) {
    PtxType type = to.endsWith("64") ? B64 : B32;
    String from = number.type().word();
    Operand whole = code.ptx().op(type, "cvt.rzi." + to + "." + from, number);
    if (type == B32 && number.type() == F32) {
      return whole;
    }
    Operand zero = type == B64 ? Operand.of(0L) : Operand.of(0);
    return code.select(code.compare("nan", number, number), zero, whole);
  }

  private static Operand isNotZero(Code code, Operand number) {
    Operand zero =
        switch (number.type()) {
          case F32 -> Operand.of(0f);
          case F64 -> Operand.of(0.0);
          case B64 -> Operand.of(0L);
          default -> Operand.of(0);
        };
    // Of floats, NaN is not 0 either.
    String relation = number.type().isFloating() ? "neu" : "ne";
    return code.select(code.compare(relation, number, zero), Operand.of(1), Operand.of(0));
  }

  /** The float nearest to a float that a type of 16 bits holds; itself for other types. */
  private static Operand round(Code code, Operand number, DType dtype) {
    Ptx ptx = code.ptx();
    return switch (dtype) {
      case FLOAT16 -> ptx.op(F32, "cvt.f32.f16", ptx.op(B16, "cvt.rn.f16.f32", number));
      case BFLOAT16 -> {
        // Half of the last kept bit is added, a little less where that bit is even already.
        Operand bits = ptx.op(B32, "mov.b32", number);
        Operand upper = ptx.op(B32, "shr.u32", bits, Operand.of(16));
        Operand odd = ptx.op(B32, "and.b32", upper, Operand.of(1));
        Operand raised = code.add(code.add(bits, Operand.of(0x7FFF)), odd);
        Operand rounded = ptx.op(B32, "shr.u32", raised, Operand.of(16));
        Operand quiet = ptx.op(B32, "or.b32", upper, Operand.of(0x40));
        yield upperHalf(ptx, code.select(code.compare("nan", number, number), quiet, rounded));
      }
      default -> number;
    };
  }

  /** A value as another type, as {@code tf.cast}; see the core's ConvertExpression. */
  static Value convert(Code code, Value value, DType to) {
    DType from = value.dtype();
    if (from == to) {
      return value;
    }
    if (from.isFloating()) {
      return settle(code, value.operand(), to);
    }
    if (to == DType.FLOAT64) {
      return new Value(to, toDouble(code, value));
    }
    if (to.isFloating()) {
      return settle(code, toFloat(code, value), to);
    }
    if (to == DType.BOOL) {
      return new Value(to, isNotZero(code, value.operand()));
    }
    return new Value(to, wrap(code, resize(code, value, register(to)), to));
  }

  /** The bits of an integer in a register of another size, extended as its type says. */
  private static Operand resize(Code code, Value value, PtxType to) {
    PtxType from = value.operand().type();
    if (from == to) {
      return value.operand();
    }
    if (to == B32) {
      return code.ptx().op(B32, "cvt.u32.u64", value.operand());
    }
    boolean isSigned = value.dtype().isInteger() && !value.dtype().isUnsigned();
    return code.ptx().op(B64, isSigned ? "cvt.s64.s32" : "cvt.u64.u32", value.operand());
  }

  /** An integer in a register of 64 bits. */
  static Operand toLong(Code code, Value value) {
    return resize(code, value, B64);
  }

  /** The integer of a type that has the lower bits of another. */
  static Value ofLong(Code code, Operand bits, DType dtype) {
    Operand sized = resize(code, new Value(DType.INT64, bits), register(dtype));
    return new Value(dtype, wrap(code, sized, dtype));
  }

  /** Cuts an integer to the bits that a type has, and extends it again. */
  private static Operand wrap(Code code, Operand bits, DType dtype) {
    int unused = 32 - dtype.byteSize() * 8;
    if (unused <= 0) {
      return bits;
    }
    Ptx ptx = code.ptx();
    return dtype.isUnsigned()
        ? ptx.op(B32, "and.b32", bits, Operand.of((1 << (32 - unused)) - 1))
        : ptx.op(
            B32, "shr.s32", ptx.op(B32, "shl.b32", bits, Operand.of(unused)), Operand.of(unused));
  }

  // ---- arithmetic on two values of one type, which the result has

  static Value compute(Code code, Arithmetic operation, Operand left, Operand right, DType dtype) {
    return typed(
        code,
        switch (operation) {
          case ADD -> code.add(left, right);
          case SUBTRACT -> code.subtract(left, right);
          case MULTIPLY -> code.multiply(left, right);
          case DIVIDE -> code.divide(left, right);
        },
        dtype);
  }

  /** The value of a type that has just been computed in registers of more bits. */
  static Value typed(Code code, Operand computed, DType dtype) {
    return new Value(
        dtype, dtype.isFloating() ? round(code, computed, dtype) : wrap(code, computed, dtype));
  }
}
