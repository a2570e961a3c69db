package dev.headrace.profile.lint;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.data.DType;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Duty;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.Traits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the tests of the rules have in common. */
public final class LintCases {
  static final Seed SEED = Seed.of(7);

  private LintCases() {}

  /** What was found, as {@code HINT no-prefetch at map}. */
  public static List<String> found(Dataset<?> dataset) {
    return dataset.lint().stream()
        .map(f -> f.severity() + " " + f.rule() + " at " + f.operator().replaceAll(" .*", ""))
        .toList();
  }

  /** Elements made by a function on several threads. */
  public static Dataset<Tensor> examples(long count) {
    return Dataset.range(count).map(LintCases::load, AUTOTUNE);
  }

  public static Tensor load(long i) {
    return Tensor.scalar(i);
  }

  public static Tensor augmented(Tensor x) {
    return x;
  }

  /** A condition that has to look at every value. */
  public static boolean isDark(Tensor x) {
    return x.longAt(0) < 5;
  }

  /** Elements whose size is known. */
  static Dataset<Tensor> rows(int count, int bytes) {
    return Dataset.fromTensorSlices(Tensor.zeros(DType.UINT8, Shape.of(count, bytes)));
  }

  static void write(Path folder, String pattern, int count, int bytes) throws IOException {
    for (int i = 0; i < count; i++) {
      Files.write(folder.resolve(pattern.formatted(i)), new byte[bytes]);
    }
  }

  /** An operator of another module, known by its word. */
  public record PrefetchToDeviceOp(Op input, Site site) implements Op {
    @Override
    public Cursor open(Context context) {
      return context.open(input);
    }

    @Override
    public long cardinality() {
      return input.cardinality();
    }

    @Override
    public Traits traits() {
      return Traits.PLAIN.asOneToOne().with(Duty.ON_DEVICE);
    }
  }

  /** What follows it on the device. */
  public record MapOnDeviceOp(Op input, Site site) implements Op {
    @Override
    public Cursor open(Context context) {
      return context.open(input);
    }

    @Override
    public long cardinality() {
      return input.cardinality();
    }

    @Override
    public Traits traits() {
      return Traits.PLAIN.with(Duty.ON_DEVICE);
    }
  }
}
