package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/**
 * Everything that is counted at one operator, at one moment: statistics, profiles and reports are
 * derived from it.
 *
 * <p>Counts are of all passes unless they say otherwise. What two moments lie apart is {@link
 * #minus}: sums are subtracted; levels and settings are those of the later moment.
 *
 * @param stage set where elements of the operator are buffered
 * @param transfer set where the operator copies to a device
 * @param spill set where something did not fit into memory and went to disk
 */
public record OpCounters(
    Calls calls,
    Crew crew,
    @Nullable Stage stage,
    @Nullable Transfer transfer,
    @Nullable Spill spill) {

  /** What was counted since an earlier moment. */
  public OpCounters minus(OpCounters earlier) {
    return new OpCounters(
        calls.minus(earlier.calls),
        crew.minus(earlier.crew),
        stage,
        transfer == null || earlier.transfer == null ? transfer : transfer.minus(earlier.transfer),
        spill);
  }

  /** Of the wall time that was measured, how much was computing. */
  public record Sampled(long wallNs, long cpuNs) {
    /** Nothing was measured. */
    public static final Sampled NONE = new Sampled(0, 0);

    public Sampled minus(Sampled earlier) {
      return new Sampled(wallNs - earlier.wallNs, cpuNs - earlier.cpuNs);
    }

    /** The share that was computing; {@code otherwise} where nothing was measured. */
    public double share(double otherwise) {
      return wallNs <= 0 ? otherwise : Math.clamp((double) cpuNs / wallNs, 0, 1);
    }
  }

  /** How often something happened, and how long it took in all. */
  public record Spent(long count, long ns) {
    /** It has not happened. */
    public static final Spent NONE = new Spent(0, 0);

    public Spent minus(Spent earlier) {
      return new Spent(count - earlier.count, ns - earlier.ns);
    }

    /** The mean; 0 where it has not happened. */
    public double each() {
      return count == 0 ? 0 : (double) ns / count;
    }
  }

  /**
   * Calls by the thread that pulls the operator.
   *
   * @param elements handed on, failures included
   * @param totalNs spent in the operator and in what it pulled itself, scaled up from timed calls
   * @param timed the calls that were timed, and {@code cpu} how much of some was computing
   * @param later time in calls that went to what other operators' functions left deferred
   */
  public record Calls(
      long elements,
      long failures,
      long totalNs,
      Timed timed,
      Sampled cpu,
      Later later,
      Sizes sizes) {

    public Calls minus(Calls earlier) {
      return new Calls(
          elements - earlier.elements,
          failures - earlier.failures,
          totalNs - earlier.totalNs,
          timed.minus(earlier.timed),
          cpu.minus(earlier.cpu),
          later.minus(earlier.later),
          sizes.minus(earlier.sizes));
    }
  }

  /** The calls that were timed; {@code waitNs} of them waiting for other threads. */
  public record Timed(long elements, long ns, long waitNs) {
    public Timed minus(Timed earlier) {
      return new Timed(elements - earlier.elements, ns - earlier.ns, waitNs - earlier.waitNs);
    }
  }

  /** Computing what functions left deferred, and how much of some of it was computing. */
  public record Later(long ns, Sampled cpu) {
    /** Nothing was deferred. */
    public static final Later NONE = new Later(0, Sampled.NONE);

    public Later minus(Later earlier) {
      return new Later(ns - earlier.ns, cpu.minus(earlier.cpu));
    }
  }

  /**
   * The elements that were weighed.
   *
   * @param bytesP99 that 99 of 100 elements do not pass; of all so far
   */
  public record Sizes(long elements, long bytes, long bytesP99) {
    /** Nothing was weighed. */
    public static final Sizes NONE = new Sizes(0, 0, 0);

    public Sizes minus(Sizes earlier) {
      return new Sizes(elements - earlier.elements, bytes - earlier.bytes, bytesP99);
    }
  }

  /**
   * The threads of an operator; all counts stay 0 where it never had any.
   *
   * @param threads those it has now; null where the thread that pulls does the work
   * @param onlyPulls whether they only pull its input, whose operators count what they do
   * @param work elements that workers worked on
   * @param skew how much slower the slowest of several datasets that are read at once is than the
   *     mean of them; 1 where there is one
   */
  public record Crew(
      @Nullable Threads threads,
      boolean onlyPulls,
      Spent work,
      Presence presence,
      Chunks chunks,
      Pulls pulls,
      double skew) {

    /** No thread was ever there. */
    public static final Crew NONE =
        new Crew(
            null,
            false,
            Spent.NONE,
            new Presence(0, Sampled.NONE, 0, 0, 0),
            new Chunks(0, 0, 0, new double[0], new double[0]),
            new Pulls(0, 0, Spent.NONE),
            1);

    public Crew minus(Crew earlier) {
      return new Crew(
          threads,
          onlyPulls,
          work.minus(earlier.work),
          presence.minus(earlier.presence),
          chunks.minus(earlier.chunks),
          pulls.minus(earlier.pulls),
          skew);
    }
  }

  /**
   * The threads that an operator has now.
   *
   * @param isTuned whether the engine chooses how many there are
   * @param pullsInput whether they pull its input, and not the thread that pulls the operator
   * @param cpuShare how much of the work is computing, for where no sample was taken
   */
  public record Threads(int workers, boolean isTuned, boolean pullsInput, double cpuShare) {}

  /**
   * How workers spent their time.
   *
   * @param workerNs the time they were there, summed over them
   * @param queuedNs the time they were ready but had no core
   * @param looks how often a worker was looked at that was inside its function, and {@code locked}
   *     how often it waited for a lock
   */
  public record Presence(double workerNs, Sampled cpu, long queuedNs, long looks, long locked) {
    public Presence minus(Presence earlier) {
      return new Presence(
          workerNs - earlier.workerNs,
          cpu.minus(earlier.cpu),
          queuedNs - earlier.queuedNs,
          looks - earlier.looks,
          locked - earlier.locked);
    }
  }

  /**
   * What an element took in each chunk that workers did, in ns.
   *
   * @param latest the latest of them, and {@code latestPulls} what pulling took, waiting for other
   *     threads apart; both empty unless asked for
   */
  public record Chunks(
      long count, double sum, double squares, double[] latest, double[] latestPulls) {
    public Chunks minus(Chunks earlier) {
      return new Chunks(
          count - earlier.count, sum - earlier.sum, squares - earlier.squares, latest, latestPulls);
    }

    /** The standard deviation over the mean. */
    public double variation() {
      double mean = count == 0 ? 0 : sum / count;
      double variance = count == 0 ? 0 : Math.max(0, squares / count - mean * mean);
      return mean == 0 ? 0 : Math.sqrt(variance) / mean;
    }
  }

  /**
   * Pulls from the buffer.
   *
   * @param fillSum the elements that they found there, and {@code waits} those that had to wait
   */
  public record Pulls(long count, double fillSum, Spent waits) {
    public Pulls minus(Pulls earlier) {
      return new Pulls(
          count - earlier.count, fillSum - earlier.fillSum, waits.minus(earlier.waits));
    }
  }

  /**
   * The buffer of an operator and those who fill it, in the current pass.
   *
   * @param cpuShare how much of the time its function computes, as far as was measured
   * @param work elements that were worked on (or read, for prefetch), by any thread
   * @param waits how often its consumer had to wait, and how long in all
   */
  public record Stage(
      int workers, int targetWorkers, double cpuShare, Spent work, Buffer buffer, Spent waits) {}

  /**
   * Elements that are ready.
   *
   * @param highest the most that were
   * @param isTuned whether the engine chooses the capacity
   */
  public record Buffer(int elements, int highest, int capacity, boolean isTuned) {}

  /**
   * Copies to a device, or to several: times and sizes are sums over them.
   *
   * @param isPinned whether all host memory so far was pinned, so that copies were asynchronous
   * @param steps how often, and how long, the consumer's stream worked on batches that were
   *     measured; none where the host consumes them
   */
  public record Transfer(
      Device device, boolean isPinned, Copies copies, Spent steps, TransferTimes times) {

    public Transfer minus(Transfer earlier) {
      return new Transfer(
          device,
          isPinned,
          copies.minus(earlier.copies),
          steps.minus(earlier.steps),
          times.minus(earlier.times));
    }

    /** The share of copying and computing that went on beside the consumer's work: 0 to 1. */
    public double overlap() {
      long under = copies.ns + times.computeNs;
      return under == 0 ? 0 : Math.clamp(1 - (double) times.waitNs / under, 0, 1);
    }

    /** What the copies carried, while they ran. */
    public double bytesPerSecond() {
      return copies.ns == 0 ? 0 : copies.bytes * 1e9 / copies.ns;
    }
  }

  /**
   * Devices that are copied to.
   *
   * @param name of the device, or the names of several; {@code count} how many there are
   * @param usedBytes of their memory in use, by any program, when last looked at
   * @param isShortOfRoom whether one had no room for as many batches as it should hold
   */
  public record Device(
      String name, int count, long usedBytes, long limitBytes, boolean isShortOfRoom) {}

  /** Copies that have arrived, and how long streams took for them, staging included. */
  public record Copies(long count, long bytes, long ns) {
    public Copies minus(Copies earlier) {
      return new Copies(count - earlier.count, bytes - earlier.bytes, ns - earlier.ns);
    }
  }

  /**
   * Times of a transfer beside those of the copies.
   *
   * @param computeNs of what functions compute on the device
   * @param stagedNs how long threads were held up by memory that is not pinned
   * @param waitNs how long the consumer, or its stream on the device, waited for batches that were
   *     under way
   * @param roomWaitNs how long the thread that copies waited for a device batch to come back; it is
   *     part of the stage's work
   */
  public record TransferTimes(long computeNs, long stagedNs, long waitNs, long roomWaitNs) {
    public TransferTimes minus(TransferTimes earlier) {
      return new TransferTimes(
          computeNs - earlier.computeNs,
          stagedNs - earlier.stagedNs,
          waitNs - earlier.waitNs,
          roomWaitNs - earlier.roomWaitNs);
    }
  }

  /**
   * What an operator has on disk because it does not fit the heap budget.
   *
   * @param folder where, within one that others use too
   * @param bytes that are there now, and {@code peakBytes} the most at once
   * @param writtenBytes all that was ever written, and {@code readBytes} read back
   */
  public record Spill(
      String folder, long bytes, long peakBytes, long writtenBytes, long readBytes) {}
}
