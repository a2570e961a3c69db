package dev.headrace.profile;

import org.jspecify.annotations.Nullable;

/**
 * What one operator did in the time that was looked at.
 *
 * <p>Times are those of the operator alone, without what it pulled from, for one of its own
 * elements. They are divided by where they went: computing, waiting for something (a disk, a lock,
 * a sleep), and ready to compute but without a core.
 *
 * @param later set where its function leaves tensors to be computed later: what that took, which is
 *     also part of the times
 * @param crew set where it has threads of its own
 * @param transfer set where it copies to a device
 */
public record OpProfile(
    @Flat Place place,
    @Flat Output output,
    @Flat Times times,
    @Flat Sizes sizes,
    @Nullable Later later,
    @Nullable Crew crew,
    @Nullable Transfer transfer) {

  /**
   * Which operator it is.
   *
   * @param key its place in the plan: "0" for the last operator, "0.0" for its first input
   * @param pulledBy the index of the operator that pulls it, −1 for the last one
   * @param runBy the index of the operator whose threads run it, −1 for the consumer's own thread
   * @param word the operator, as users call it
   * @param path with name and line, where known
   * @param description with its arguments, as {@code explain()} shows it
   * @param isSource whether it pulls from no other
   */
  public record Place(
      String key,
      int pulledBy,
      int runBy,
      String word,
      String path,
      String description,
      boolean isSource) {}

  /**
   * What it handed on.
   *
   * @param elements failures included
   * @param perDelivered how many of its elements go into one that the consumer gets
   */
  public record Output(long elements, long failures, double perDelivered) {}

  /**
   * The time of one element.
   *
   * @param ns wall time
   * @param cpuNs of it computing
   * @param waitNs of it waiting for something other than a core
   */
  public record Times(double ns, double cpuNs, double waitNs) {}

  /** The bytes of one element, on average, 0 where not known; and of a large one. */
  public record Sizes(double bytes, double bytesP99) {}

  /**
   * Tensors computed after the function returned, for one element that the consumer gets.
   *
   * @param at the operator that computes them, on its workers where it has some
   */
  public record Later(double ns, double cpuNs, double waitNs, int at) {}

  /**
   * The threads of an operator and the buffer behind them.
   *
   * @param latestPulls the latest times of pulling one element, in ns, waiting for other threads
   *     apart
   */
  public record Crew(
      @Flat Size size,
      @Flat Buffer buffer,
      @Flat Pull pull,
      @Flat Work work,
      double[] latestPulls) {

    public double workers() {
      return size.workers;
    }

    public boolean isTuned() {
      return size.isTuned;
    }

    public double busy() {
      return size.busy;
    }

    public int capacity() {
      return buffer.capacity;
    }

    public boolean isBufferTuned() {
      return buffer.isBufferTuned;
    }

    public double fill() {
      return buffer.fill;
    }

    public double empty() {
      return buffer.empty;
    }

    public double pullNs() {
      return pull.pullNs;
    }

    public double pullCpuNs() {
      return pull.pullCpuNs;
    }

    public double workNs() {
      return work.workNs;
    }

    public double workCpuNs() {
      return work.workCpuNs;
    }

    public double workWaitNs() {
      return work.workWaitNs;
    }

    public double variation() {
      return work.variation;
    }

    public double skew() {
      return work.skew;
    }

    public double[] latest() {
      return work.latest;
    }

    public double lockedNs() {
      return work.lockedNs;
    }
  }

  /**
   * How many workers there are.
   *
   * @param workers on average, and {@code isTuned} whether the engine chooses
   * @param busy the share of time a worker was inside the function (or reading, for prefetch)
   */
  public record Size(double workers, boolean isTuned, double busy) {}

  /**
   * Elements that are ready.
   *
   * @param capacity how many the buffer holds, and {@code isBufferTuned} whether the engine
   *     chooses; {@code fill} how many it held on average
   * @param empty the share of pulls that found it empty and had to wait
   */
  public record Buffer(int capacity, boolean isBufferTuned, double fill, double empty) {}

  /**
   * The part that one worker at a time does, pulling the input, for one element that the consumer
   * gets; {@code pullCpuNs} of it computing.
   */
  public record Pull(double pullNs, double pullCpuNs) {}

  /**
   * The part that all do at once.
   *
   * @param workNs for one element that the consumer gets; {@code workCpuNs} of it computing and
   *     {@code workWaitNs} waiting
   * @param variation of the time that one element takes: standard deviation over mean
   * @param skew how much slower the slowest of several datasets that are read at once is than the
   *     mean of them; 1 where there is one
   * @param latest the latest times of work on one element, in ns
   * @param lockedNs of {@code workWaitNs}, waiting for locks that other workers hold
   */
  public record Work(
      double workNs,
      double workCpuNs,
      double workWaitNs,
      double variation,
      double skew,
      double[] latest,
      double lockedNs) {}

  /**
   * What was copied to a device.
   *
   * @param bytes of one element
   */
  public record Transfer(
      String device, boolean isPinned, @Flat TransferTimes times, double bytes, @Flat Room room) {

    public double busNs() {
      return times.busNs;
    }

    public double computeNs() {
      return times.computeNs;
    }

    public double stagedNs() {
      return times.stagedNs;
    }

    public double waitNs() {
      return times.waitNs;
    }

    public double stepNs() {
      return times.stepNs;
    }

    public long deviceBytes() {
      return room.deviceBytes;
    }

    public long deviceLimit() {
      return room.deviceLimit;
    }

    public boolean isShortOfRoom() {
      return room.isShortOfRoom;
    }

    /** How much of copying and computing went on beside the consumer's work. */
    public double hiddenNs() {
      return Math.max(0, busNs() + computeNs() - waitNs());
    }

    /** The share of it: 0 to 1. */
    public double overlap() {
      return busNs() + computeNs() == 0 ? 0 : hiddenNs() / (busNs() + computeNs());
    }
  }

  /**
   * The times of one element.
   *
   * @param busNs on the bus, {@code computeNs} in functions on the device, and {@code stagedNs} on
   *     the thread that asked for it
   * @param waitNs how long the consumer, or its stream, waited for it
   * @param stepNs how long the consumer's stream worked on it; 0 where the host does
   */
  public record TransferTimes(
      double busNs, double computeNs, double stagedNs, double waitNs, double stepNs) {}

  /**
   * The memory of a device.
   *
   * @param isShortOfRoom whether it had no room for as many elements as it should hold
   */
  public record Room(long deviceBytes, long deviceLimit, boolean isShortOfRoom) {}

  public String key() {
    return place.key;
  }

  public int pulledBy() {
    return place.pulledBy;
  }

  public int runBy() {
    return place.runBy;
  }

  public String word() {
    return place.word;
  }

  public String path() {
    return place.path;
  }

  public String description() {
    return place.description;
  }

  public boolean isSource() {
    return place.isSource;
  }

  public long elements() {
    return output.elements;
  }

  public long failures() {
    return output.failures;
  }

  public double perDelivered() {
    return output.perDelivered;
  }

  public double ns() {
    return times.ns;
  }

  public double cpuNs() {
    return times.cpuNs;
  }

  public double waitNs() {
    return times.waitNs;
  }

  public double bytes() {
    return sizes.bytes;
  }

  public double bytesP99() {
    return sizes.bytesP99;
  }

  /** Wall time for one element that the consumer gets, over all workers. */
  public double nsPerDelivered() {
    return ns() * perDelivered();
  }

  /** Computing for one element that the consumer gets. */
  public double cpuNsPerDelivered() {
    return cpuNs() * perDelivered();
  }

  /** Waiting for one element that the consumer gets. */
  public double waitNsPerDelivered() {
    return waitNs() * perDelivered();
  }
}
