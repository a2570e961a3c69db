package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The loops over many elements against what one element becomes by the rules of its type. */
class ElementBlockTest {
  private static final int COUNT = 203; // no multiple of anything
  private static final int PART = 110;

  private static final double[] ODD_FLOATS = {
    0,
    -0.0,
    1,
    -1,
    0.1,
    255.5,
    -255.5,
    65_504,
    65_520,
    1e-8,
    1e10,
    -1e10,
    1e30,
    1e300,
    Double.MAX_VALUE,
    Double.MIN_VALUE,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.NaN,
    0x1p31,
    -0x1p31,
    0x1p63,
    -0x1p63,
    0x1p64
  };

  private static final long[] ODD_INTEGERS = {
    0,
    1,
    -1,
    127,
    128,
    -128,
    255,
    256,
    32_767,
    65_535,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    0xFFFFFFFFL,
    (1L << 24) + 1,
    (1L << 53) + 1,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  /** Elements of a type, the odd ones first. */
  private static MemorySegment elements(DType dtype, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    MemorySegment memory = MemorySegment.ofArray(new byte[COUNT * dtype.byteSize()]);
    for (int i = 0; i < COUNT; i++) {
      if (dtype.isFloating()) {
        double value = i < ODD_FLOATS.length ? ODD_FLOATS[i] : random.nextDouble(-300, 300);
        Elements.writeDouble(dtype, memory, i, value);
      } else {
        long value = i < ODD_INTEGERS.length ? ODD_INTEGERS[i] : random.nextLong();
        Elements.writeLong(dtype, memory, i, Elements.toInteger(value, dtype));
      }
    }
    return memory;
  }

  /** Loads the elements in two parts, does {@code step} with each, and stores them. */
  private static MemorySegment through(
      DType from, DType to, MemorySegment memory, BiConsumer<ElementBlock, Integer> step) {
    MemorySegment result = MemorySegment.ofArray(new byte[COUNT * to.byteSize()]);
    ElementBlock block = new ElementBlock(from, COUNT);
    for (int at = 0; at < COUNT; at += PART) {
      block.load(from, memory, at, Math.min(PART, COUNT - at));
      step.accept(block, at);
      block.store(result, at);
    }
    return result;
  }

  private static List<String> texts(DType dtype, MemorySegment memory) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      texts.add(
          dtype.isFloating()
              ? Double.toString(Elements.readDouble(dtype, memory, i))
              : Long.toString(Elements.readLong(dtype, memory, i)));
    }
    return texts;
  }

  /** Does a step with a block, and with one element after the other. */
  private static void check(
      String step,
      DType dtype,
      BiConsumer<ElementBlock, Integer> withBlock,
      DoubleUnaryOperator withFloat,
      LongUnaryOperator withInteger) {
    MemorySegment from = elements(dtype, 1);
    MemorySegment got = through(dtype, dtype, from, withBlock);
    MemorySegment expected = MemorySegment.ofArray(new byte[COUNT * dtype.byteSize()]);
    for (int i = 0; i < COUNT; i++) {
      if (dtype.isFloating()) {
        double value = withFloat.applyAsDouble(Elements.readDouble(dtype, from, i));
        Elements.writeDouble(dtype, expected, i, Elements.round(dtype, value));
      } else {
        long value = withInteger.applyAsLong(Elements.readLong(dtype, from, i));
        Elements.writeLong(dtype, expected, i, Elements.toInteger(value, dtype));
      }
    }
    assertThat(texts(dtype, got)).as("%s %s", step, dtype).isEqualTo(texts(dtype, expected));
  }

  @ParameterizedTest
  @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "STRING")
  void functionsAreThoseOfOneElement(DType dtype) {
    for (MathFunction function : MathFunction.values()) {
      if (dtype.isFloating() || !function.needsFloats()) {
        boolean isNothing = function == MathFunction.ABS && dtype.isUnsigned();
        check(
            function.word(),
            dtype,
            (block, _) -> block.apply(function),
            function::apply,
            value -> isNothing ? value : function.apply(value));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "STRING")
  void arithmeticIsThatOfOneElement(DType dtype) {
    for (Arithmetic operation : Arithmetic.values()) {
      if (!dtype.isFloating() && operation == Arithmetic.DIVIDE) {
        continue;
      }
      for (double operand : new double[] {0, 3, 0.1, -2}) {
        double rounded = Elements.round(dtype, operand);
        long exact = dtype.isFloating() ? 0 : Elements.toInteger(operand, dtype);
        check(
            operation.word() + " " + operand,
            dtype,
            (block, _) -> block.combine(operation, operand),
            value -> operation.apply(value, rounded),
            value -> operation.apply(value, exact));
      }
      check(
          operation.word() + " itself",
          dtype,
          (block, at) -> {
            ElementBlock same = new ElementBlock(dtype, COUNT);
            same.load(dtype, elements(dtype, 1), at, block.length());
            block.combine(operation, same);
          },
          value -> operation.apply(value, value),
          value -> operation.apply(value, value));
    }
    check(
        "clip",
        dtype,
        (block, _) -> block.clip(1, 100),
        value -> Math.max(1, Math.min(100, value)),
        value -> {
          long most = Elements.compare(dtype, value, 100) > 0 ? 100 : value;
          return Elements.compare(dtype, most, 1) < 0 ? 1 : most;
        });
  }

  @ParameterizedTest
  @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "STRING")
  void conversionsAreThoseOfOneElement(DType from) {
    for (DType to : DType.values()) {
      if (to == DType.STRING) {
        continue;
      }
      MemorySegment memory = elements(from, 2);
      MemorySegment got = through(from, to, memory, (block, _) -> block.convertTo(to));
      MemorySegment expected = MemorySegment.ofArray(new byte[COUNT * to.byteSize()]);
      for (int i = 0; i < COUNT; i++) {
        convert(from, memory, to, expected, i);
      }
      assertThat(texts(to, got)).as("%s to %s", from, to).isEqualTo(texts(to, expected));
    }
  }

  private static void convert(
      DType from, MemorySegment memory, DType to, MemorySegment result, int i) {
    if (from.isFloating()) {
      double value = Elements.readDouble(from, memory, i);
      if (to.isFloating()) {
        Elements.writeDouble(to, result, i, Elements.round(to, value));
      } else {
        Elements.writeLong(to, result, i, Elements.toInteger(value, to));
      }
    } else {
      long value = Elements.readLong(from, memory, i);
      if (to.isFloating()) {
        Elements.writeDouble(to, result, i, Elements.toFloating(from, value, to));
      } else {
        Elements.writeLong(to, result, i, Elements.toInteger(value, to));
      }
    }
  }
}
