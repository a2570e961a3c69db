package dev.headrace.cuda.kernel;

import dev.headrace.data.DType;
import dev.headrace.data.Tensor;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A computation that the device and the host must agree on.
 *
 * @param name what it is
 * @param inputs tensors of the host, which are put on the device
 * @param computation of the inputs, wherever they are
 * @param mostUlps how far results may lie apart, in units of the last place
 */
record ParityCase(
    String name, List<Tensor> inputs, Function<List<Tensor>, Tensor> computation, int mostUlps) {

  /** Of one tensor, and exact. */
  static ParityCase exact(String name, Tensor input, UnaryOperator<Tensor> computation) {
    return within(0, name, input, computation);
  }

  static ParityCase within(int ulps, String name, Tensor input, UnaryOperator<Tensor> computation) {
    return new ParityCase(
        name, List.of(input), inputs -> computation.apply(inputs.getFirst()), ulps);
  }

  /** What the host makes of it. */
  Tensor onHost() {
    return computation.apply(inputs);
  }

  /** The largest distance of two elements, in units of the last place; integers count by ones. */
  static double ulps(Tensor some, Tensor other) {
    if (some.dtype() != other.dtype() || !some.shape().equals(other.shape())) {
      throw new AssertionError(some.describe() + " and " + other.describe());
    }
    if (!some.dtype().isFloating()) {
      return integerDistance(some, other);
    }
    double[] ones = some.convert(DType.FLOAT64).toDoubleArray();
    double[] others = other.convert(DType.FLOAT64).toDoubleArray();
    double most = 0;
    for (int i = 0; i < ones.length; i++) {
      most = Math.max(most, ulps(ones[i], others[i], some.dtype()));
    }
    return most;
  }

  private static double ulps(double one, double other, DType dtype) {
    if (Double.compare(one, other) == 0) {
      return 0; // NaN is NaN; but 0 is not -0
    }
    if (one == other || !Double.isFinite(one) || !Double.isFinite(other)) {
      return Double.POSITIVE_INFINITY;
    }
    double larger = Math.max(Math.abs(one), Math.abs(other));
    double ulp =
        switch (dtype) {
          case FLOAT16 -> Math.scalb(1.0, Math.max(-14, Math.getExponent(larger)) - 10);
          case BFLOAT16 -> Math.scalb(1.0, Math.max(-126, Math.getExponent(larger)) - 7);
          case FLOAT32 -> Math.ulp((float) larger);
          default -> Math.ulp(larger);
        };
    return Math.abs(one - other) / ulp;
  }

  private static double integerDistance(Tensor some, Tensor other) {
    long[] ones = some.convert(DType.INT64).toLongArray();
    long[] others = other.convert(DType.INT64).toLongArray();
    double most = 0;
    for (int i = 0; i < ones.length; i++) {
      most = Math.max(most, Math.abs((double) ones[i] - (double) others[i]));
      if (ones[i] != others[i] && most == 0) {
        most = 1;
      }
    }
    return most;
  }

  @Override
  public String toString() {
    return name;
  }
}
