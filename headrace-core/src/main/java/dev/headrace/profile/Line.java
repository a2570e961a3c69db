package dev.headrace.profile;

import java.util.Arrays;
import java.util.List;

/**
 * A pipeline played through, element by element: stations with workers, buffers and locks, from the
 * sources to the consumer, which is the last.
 *
 * <p>As in the engine, one worker of a station at a time pulls: it takes elements from the stations
 * before, waiting where there are none, and runs what lies between. Then it works on its element
 * while the next one pulls. Results leave in the order of pulling, at most {@link Station#slots}
 * elements are pulled and not taken, and a station that found no room goes on when half of it is
 * free.
 *
 * <p><b>Threading:</b> one thread; a line is played once.
 */
final class Line {
  /** So many elements of a station for one that is delivered are played one by one. */
  private static final double MOST_UNITS = 32;

  private static final double MOST_STEPS = 30_000;
  private static final int FEWEST_ROUNDS = 150;
  private static final int MOST_ROUNDS = 1_200;

  /** So many are enough where no times vary. */
  private static final int EVEN_ROUNDS = 50;

  /**
   * What something takes for one element that is delivered.
   *
   * @param pattern times of single elements as they were measured, one after another; only how they
   *     vary counts. Empty where they do not
   */
  record Times(double ns, double[] pattern) {
    static final Times NONE = new Times(0, new double[0]);
  }

  /**
   * One of the stations.
   *
   * @param inputs the stations it pulls from, by their place in the line
   * @param perDelivered how many of its elements go into one that is delivered
   * @param serial what one worker at a time does, and {@code work} what all do at once
   * @param heldNs what of the work is done inside a lock
   * @param slots how many elements may be pulled and not taken
   * @param wakeNs until one that sleeps goes on after it was woken: a worker of the station, or who
   *     waits for it
   */
  record Station(
      List<Integer> inputs,
      double perDelivered,
      Times serial,
      Times work,
      double heldNs,
      int workers,
      int slots,
      double wakeNs) {}

  private final Running[] line;

  private Line(List<Station> stations) {
    line = new Running[stations.size()];
    for (int i = 0; i < line.length; i++) {
      line[i] = new Running(stations.get(i), i);
    }
  }

  /** The mean time between two elements that the last of the stations is done with. */
  static double cycleNs(List<Station> stations) {
    Line line = new Line(stations);
    double steps = 0;
    boolean varies = false;
    for (Running station : line.line) {
      steps += station.unitsPerDelivered;
      varies |= station.varies();
    }
    int rounds =
        varies ? (int) Math.clamp(MOST_STEPS / steps, FEWEST_ROUNDS, MOST_ROUNDS) : EVEN_ROUNDS;
    Running last = line.line[line.line.length - 1];
    int warm = Math.max(10, rounds / 5);
    double begin = 0;
    double end = 0;
    for (int i = 0; i < warm + rounds; i++) {
      end = line.next(last);
      last.take(end);
      begin = i == warm - 1 ? end : begin;
    }
    return (end - begin) / rounds;
  }

  /** Standard deviation over mean. */
  static double variation(double[] times) {
    double mean = Arrays.stream(times).average().orElse(0);
    double squares = Arrays.stream(times).map(time -> (time - mean) * (time - mean)).sum();
    return mean <= 0 ? 0 : Math.sqrt(squares / times.length) / mean;
  }

  /** When the next element of a station is there. */
  private double next(Running station) {
    double at = station.begin();
    int[] inputs = station.inputs;
    for (int i = 0; i < inputs.length; i++) {
      Running input = line[inputs[i]];
      double owed = station.owed[i] + input.unitsPerDelivered / station.unitsPerDelivered;
      while (owed > 1 - 1e-9) {
        double there = next(input);
        at = there > at ? there + input.wakeNs : at;
        input.take(at);
        owed--;
      }
      station.owed[i] = owed;
    }
    return station.finish(at);
  }

  /** A station while it is played. */
  private static final class Running {
    final int[] inputs;
    final double[] owed;
    final double unitsPerDelivered;
    private final double spread;
    private final double serialNs;
    private final double[] serial;
    private final double workNs;
    private final double[] work;
    private final double held;
    final double wakeNs;
    private final double[] free;
    private final double[] taken;
    private int pulled;
    private int given;
    private double pullerFree;
    private double lockFree;
    private double there;
    private int offset;

    Running(Station station, int number) {
      inputs = station.inputs().stream().mapToInt(Integer::intValue).toArray();
      owed = new double[inputs.length];
      double elements = Math.max(1e-3, station.perDelivered());
      double group = Math.max(1, elements / MOST_UNITS);
      unitsPerDelivered = elements / group;
      spread = 1 / Math.sqrt(group);
      serialNs = station.serial().ns() / unitsPerDelivered;
      serial = relative(station.serial().pattern());
      workNs = station.work().ns() / unitsPerDelivered;
      work = relative(station.work().pattern());
      held = workNs == 0 ? 0 : Math.min(1, station.heldNs() / station.work().ns());
      wakeNs = station.wakeNs() * group;
      free = new double[Math.max(1, station.workers())];
      taken = new double[Math.max(1, (int) Math.ceil(station.slots() / group))];
      offset = 31 * number;
    }

    boolean varies() {
      return serial.length + work.length > 0;
    }

    private static double[] relative(double[] pattern) {
      double sum = 0;
      for (double each : pattern) {
        sum += each;
      }
      if (sum <= 0) {
        return new double[0];
      }
      double[] relative = new double[pattern.length];
      for (int i = 0; i < relative.length; i++) {
        relative[i] = pattern[i] * pattern.length / sum;
      }
      return relative;
    }

    /** When the next element can be begun: there is a worker, and room. */
    double begin() {
      double at = free[0] < pullerFree ? pullerFree + wakeNs : free[0];
      int slots = taken.length;
      if (pulled >= slots && taken[pulled % slots] > at) {
        int last = pulled - 1 - slots / 2; // full: it waits until half of the room is free
        at = Math.max(at, taken[last % slots] + wakeNs);
      }
      return at;
    }

    /** When the element that was pulled up to this time is there. */
    double finish(double pulledAt) {
      double done = pulledAt + time(serialNs, serial);
      pullerFree = done;
      if (workNs > 0) {
        double takes = time(workNs, work);
        done += takes * (1 - held);
        if (held > 0) {
          done = Math.max(done, lockFree) + takes * held;
          lockFree = done;
        }
      }
      replaceFirstFree(done);
      pulled++;
      there = Math.max(there, done);
      return there;
    }

    private double time(double ns, double[] relative) {
      return relative.length == 0
          ? ns
          : ns * (1 + spread * (relative[(pulled + offset) % relative.length] - 1));
    }

    /** Whoever takes elements has taken the next one. */
    void take(double at) {
      taken[given++ % taken.length] = at;
    }

    /** The worker that is free first has work until then: the others move up in the heap. */
    private void replaceFirstFree(double until) {
      int at = 0;
      for (int child = 1; child < free.length; child = 2 * at + 1) {
        int less = child + 1 < free.length && free[child + 1] < free[child] ? child + 1 : child;
        if (free[less] >= until) {
          break;
        }
        free[at] = free[less];
        at = less;
      }
      free[at] = until;
    }
  }
}
