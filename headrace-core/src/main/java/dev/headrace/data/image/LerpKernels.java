package dev.headrace.data.image;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Chooses between the kernels by how long they take.
 *
 * <p>The vector API is slow until the compiler has seen enough of it, thousands of times slower at
 * first, and on some machines it stays behind. So images go to the plain kernel, and where there
 * are many of them, some begin with a short rehearsal: both kernels compute a row of no use, until
 * the other one is the faster, or has lost too often. Both give the same bits, so that only time
 * depends on the choice.
 *
 * <p><b>Threading:</b> any number of threads, of which one rehearses at a time.
 */
final class LerpKernels {
  /** Who resizes fewer images has no use for the best kernel. */
  private static final int IMAGES_BEFORE = 200;

  private static final int IMAGES_BETWEEN = 4;

  /** So long a rehearsal goes on, after its first row. */
  private static final long REHEARSAL_NS = 300_000;

  private static final int MOST_ROWS = 50_000;
  private static final int LEAST_PLAIN_ROWS = 100;
  private static final double CLEARLY_LESS = 0.9;

  private static final LerpKernel PLAIN = new ScalarLerp();
  private static final @Nullable LerpKernel VECTOR = vector();
  private static final AtomicBoolean REHEARSING = new AtomicBoolean();

  private static volatile @Nullable LerpKernel chosen = VECTOR == null ? PLAIN : null;
  private static int images;
  private static int rows;
  private static long plainBestNs = Long.MAX_VALUE;
  private static long vectorBestNs = Long.MAX_VALUE;

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

  /** Settles the choice, or opens it again. */
  static void use(ResizeKernel kernel) {
    chosen =
        switch (kernel) {
          case MEASURED -> VECTOR == null ? PLAIN : null;
          case PLAIN -> PLAIN;
          case VECTOR -> VECTOR;
        };
  }

  /** The kernel for an image. */
  static LerpKernel next() {
    LerpKernel known = chosen;
    LerpKernel vector = VECTOR;
    if (known != null || vector == null) {
      return known != null ? known : PLAIN;
    }
    int image = ++images; // a lost count does no harm
    if (image > IMAGES_BEFORE
        && image % IMAGES_BETWEEN == 0
        && REHEARSING.compareAndSet(false, true)) {
      try {
        rehearse(vector, new Rehearsal());
      } finally {
        REHEARSING.set(false);
      }
    }
    return PLAIN;
  }

  private static void rehearse(LerpKernel vector, Rehearsal rehearsal) {
    long endNs = System.nanoTime() + REHEARSAL_NS;
    do {
      plainBestNs = Math.min(plainBestNs, rehearsal.timeNs(PLAIN));
      vectorBestNs = Math.min(vectorBestNs, rehearsal.timeNs(vector));
      rows++;
    } while (System.nanoTime() - endNs < 0);
    if (rows > LEAST_PLAIN_ROWS && vectorBestNs < plainBestNs * CLEARLY_LESS) {
      chosen = vector;
    } else if (rows > MOST_ROWS) {
      chosen = PLAIN;
    }
  }

  /** Two rows of a photo and the row between them. */
  private static final class Rehearsal {
    private static final int CHANNELS = 3;
    private static final Lerp COLUMNS = Lerp.of(Axis.of(Resize.BILINEAR, 500, 224), CHANNELS);

    private final byte[] top = new byte[500 * CHANNELS];
    private final byte[] bottom = new byte[500 * CHANNELS];
    private final float[] blended = new float[500 * CHANNELS + Rows.SLACK];
    private final float[] into = new float[224 * CHANNELS + Rows.SLACK];

    long timeNs(LerpKernel kernel) {
      long beganNs = System.nanoTime();
      kernel.prepare(top, top.length);
      kernel.prepare(bottom, bottom.length);
      kernel.blend(top, bottom, 0.5f, blended, top.length);
      kernel.spread(blended, COLUMNS, CHANNELS, into);
      return System.nanoTime() - beganNs;
    }
  }
}
