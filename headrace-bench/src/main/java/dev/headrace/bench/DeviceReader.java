package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.profile.OpStats;
import dev.headrace.spi.OpCounters;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline that ends on a device, read for a while now and then; between two readings it waits,
 * with what it has read ahead.
 *
 * <p><b>Ownership:</b> closes the pipeline.
 */
final class DeviceReader<T> implements AutoCloseable {
  /**
   * Read before each measurement: what was read ahead before anything asked for it, and some more.
   */
  private static final int WARM = 8;

  /** What is done with a batch. */
  interface Step<T> {
    void on(T batch) throws InterruptedException;
  }

  /**
   * What a reading was like.
   *
   * @param nsPerBatch from the arrival of one batch to that of the next, in the mean
   * @param copyNs how long the device copied meanwhile
   * @param waitNs how long its consumer waited for copies
   */
  record Reading(double nsPerBatch, long copyNs, long waitNs) {}

  private final DeviceSubject subject;
  private final Pipeline<T> pipeline;
  private Iterator<T> epoch;

  DeviceReader(DeviceSubject subject, Dataset<T> dataset) {
    this.subject = subject;
    this.pipeline = dataset.open();
    this.epoch = pipeline.iterator();
  }

  /** The next batch; the next epoch's first, where one has ended. */
  T next() {
    if (!epoch.hasNext()) {
      epoch = pipeline.iterator();
    }
    return epoch.next();
  }

  /** Reads so many batches. */
  Reading read(int batches, Step<? super T> step) throws InterruptedException {
    for (int i = 0; i < WARM; i++) {
      step.on(next());
    }
    subject.settle();
    Transferred before = transferred();
    long startNs = System.nanoTime();
    for (int i = 0; i < batches; i++) {
      step.on(next());
    }
    subject.settle();
    double wallNs = System.nanoTime() - startNs;
    Transferred after = transferred();
    return new Reading(
        wallNs / batches, after.copyNs - before.copyNs, after.waitNs - before.waitNs);
  }

  private record Transferred(long copyNs, long waitNs) {}

  private Transferred transferred() {
    OpCounters.Transfer now = transfers();
    return now == null
        ? new Transferred(0, 0)
        : new Transferred(now.copies().ns(), now.times().waitNs());
  }

  /** Reads so many batches, and does nothing with them; what one took. */
  double nsPerBatch(int batches) throws InterruptedException {
    return read(batches, batch -> {}).nsPerBatch;
  }

  /** What the pipeline's operator that copies says of itself; null where there is none. */
  OpCounters.@Nullable Transfer transfers() {
    for (OpStats operator : pipeline.stats().operators()) {
      if (operator.transfer() != null) {
        return operator.transfer();
      }
    }
    return null;
  }

  @Override
  public void close() {
    pipeline.close();
  }
}
