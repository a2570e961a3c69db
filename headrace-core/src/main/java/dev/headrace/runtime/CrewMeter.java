package dev.headrace.runtime;

import dev.headrace.spi.OpCounters;
import dev.headrace.spi.OpCounters.Spent;
import org.jspecify.annotations.Nullable;

/**
 * What the crews at one place of the plan have done so far, in all passes.
 *
 * <p><b>Threading:</b> guarded by itself; written once a chunk, by workers and by the consumer.
 */
final class CrewMeter {
  private static final int LATEST = 1_024;

  private long workElements;
  private long workNs;
  private long sampledNs;
  private long sampledCpuNs;
  private long queuedNs;
  private double eachSum;
  private double eachSquares;
  private long chunks;
  private long pulls;
  private double fillSum;
  private long waits;
  private long waitNs;
  private double workerNs;
  private double skewSum;
  private long skewLooks;
  private long looks;
  private long locked;
  private final double[] latest = new double[LATEST];
  private final double[] latestPulls = new double[LATEST];

  /**
   * A worker has pulled a chunk and done its work on it.
   *
   * @param pullNs what pulling took, waiting for other threads apart
   * @param ns what the work took: where there is none but pulling, with that waiting
   */
  synchronized void worked(
      int elements, long pullNs, long ns, boolean onlyPulls, long sampled, long sampledCpu) {
    workElements += elements;
    workNs += ns;
    sampledNs += sampled;
    sampledCpuNs += sampledCpu;
    double pullEach = (double) pullNs / Math.max(1, elements);
    double each = onlyPulls ? pullEach : (double) ns / Math.max(1, elements);
    latestPulls[(int) (chunks % LATEST)] = pullEach;
    eachSum += each;
    eachSquares += each * each;
    latest[(int) (chunks++ % LATEST)] = each;
  }

  /** Of so many workers that were inside their function, so many waited for a lock. */
  synchronized void looked(int working, int waitingForLocks) {
    looks += working;
    locked += waitingForLocks;
  }

  /** The consumer has pulled, and found so many elements. */
  synchronized void pulled(int buffered) {
    pulls++;
    fillSum += buffered;
  }

  /** The consumer had to wait. */
  synchronized void waited(long ns) {
    waits++;
    waitNs += ns;
  }

  /** Elements worked on so far, and the time that took all workers. */
  synchronized Spent work() {
    return new Spent(workElements, workNs);
  }

  /** How often workers were waited for, and how long. */
  synchronized Spent waits() {
    return new Spent(waits, waitNs);
  }

  /** Workers were ready, but had no core, so long. */
  synchronized void queued(long ns) {
    queuedNs += ns;
  }

  /** There were so many workers for so long. */
  synchronized void manned(int workers, long ns) {
    workerNs += (double) workers * ns;
  }

  /** The slowest of what is read at once was so much slower than the mean. */
  synchronized void skewed(double ratio) {
    skewSum += ratio;
    skewLooks++;
  }

  /**
   * What was counted so far.
   *
   * @param withLatest whether single times belong to it, which are many
   */
  synchronized OpCounters.Crew read(
      OpCounters.@Nullable Threads threads, boolean onlyPulls, boolean withLatest) {
    int kept = withLatest ? (int) Math.min(chunks, LATEST) : 0;
    return new OpCounters.Crew(
        threads,
        onlyPulls,
        work(),
        new OpCounters.Presence(
            workerNs, new OpCounters.Sampled(sampledNs, sampledCpuNs), queuedNs, looks, locked),
        new OpCounters.Chunks(
            chunks, eachSum, eachSquares, inOrder(latest, kept), inOrder(latestPulls, kept)),
        new OpCounters.Pulls(pulls, fillSum, waits()),
        skewLooks == 0 ? 1 : skewSum / skewLooks);
  }

  private double[] inOrder(double[] ring, int kept) {
    double[] inOrder = new double[kept];
    for (int i = 0; i < kept; i++) {
      inOrder[i] = ring[(int) ((chunks - kept + i) % LATEST)];
    }
    return inOrder;
  }
}
