package dev.headrace.data.image;

import org.jspecify.annotations.Nullable;

/**
 * Chooses between the kernels by how long they take.
 *
 * <p>The vector API is slow until the compiler has seen enough of it, and on some machines ever
 * after. So images go to the plain kernel, one of {@value #TRIAL_EVERY} to the other, until that
 * one is the faster, or has lost too often. Both give the same bits, so that only time depends on
 * the choice.
 *
 * <p><b>Threading:</b> any number of threads; they may lose each other's measurements.
 */
final class LerpKernels {
  private static final int TRIAL_EVERY = 8;
  private static final int LEAST_PLAIN = 24;
  private static final int MOST_TRIALS = 400;
  private static final long LEAST_FLOATS = 16 * 1024;

  private static final LerpKernel PLAIN = new ScalarLerp();
  private static final @Nullable LerpKernel VECTOR = vector();

  private static volatile @Nullable LerpKernel chosen = VECTOR == null ? PLAIN : null;
  private static double plainBest = Double.MAX_VALUE;
  private static int images;
  private static int trials;

  private LerpKernels() {}

  /** The kernel of the vector API, or null where the runtime has none. */
  static @Nullable LerpKernel vector() {
    return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()
        ? new VectorLerp()
        : null;
  }

  /** The kernel of plain Java. */
  static LerpKernel plain() {
    return PLAIN;
  }

  /** The kernel for an image that has {@code floats} numbers when resized. */
  static LerpKernel next(long floats) {
    LerpKernel known = chosen;
    LerpKernel vector = VECTOR;
    if (known != null || vector == null) {
      return known != null ? known : PLAIN;
    }
    // Small images tell little, and are soon done by either.
    if (floats < LEAST_FLOATS) {
      return PLAIN;
    }
    int image = ++images;
    return image > LEAST_PLAIN && image % TRIAL_EVERY == 0 ? vector : PLAIN;
  }

  /** Notes how long an image took that {@link #next} gave the kernel for. */
  static void took(LerpKernel kernel, long floats, long timeNs) {
    if (chosen != null || floats < LEAST_FLOATS) {
      return;
    }
    double perFloat = (double) timeNs / floats;
    if (kernel == PLAIN) {
      plainBest = Math.min(plainBest, perFloat);
    } else if (perFloat < plainBest) {
      chosen = kernel;
    } else if (++trials >= MOST_TRIALS) {
      chosen = PLAIN;
    }
  }
}
