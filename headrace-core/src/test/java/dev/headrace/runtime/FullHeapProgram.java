package dev.headrace.runtime;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A function fills the heap until not one object fits; a moment later all of it is free again. */
public final class FullHeapProgram {
  private static final CountDownLatch FULL = new CountDownLatch(1);
  private static volatile @Nullable Object hog;

  private FullHeapProgram() {}

  private static long fillHeap() {
    int size = 1 << 20;
    for (; ; ) {
      try {
        Object[] more = new Object[size];
        more[0] = hog;
        hog = more;
      } catch (OutOfMemoryError e) {
        if (size == 1) {
          FULL.countDown();
          throw e;
        }
        size /= 2;
      }
    }
  }

  /** Prints what the consumer was told. */
  public static void main(String[] arguments) {
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                FULL.await();
                Thread.sleep(500);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              } finally {
                hog = null;
              }
            });
    Throwable told = null;
    try (Pipeline<Long> pipeline = Dataset.range(100).map(i -> i == 5 ? fillHeap() : i, 1).open()) {
      pipeline.iterator().forEachRemaining(x -> {});
    } catch (Throwable e) { // there may be no memory for a PipelineException
      told = e;
    }
    while (hog != null) {
      Thread.onSpinWait(); // until there is memory to say it
    }
    while (told != null && told.getCause() != null) {
      told = told.getCause();
    }
    System.out.println("told: " + (told == null ? "nothing" : told.getClass().getSimpleName()));
  }
}
