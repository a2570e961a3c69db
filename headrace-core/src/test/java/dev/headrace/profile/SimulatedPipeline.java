package dev.headrace.profile;

import dev.headrace.Dataset;
import dev.headrace.profile.PipelineSimulation.Result;
import dev.headrace.profile.PipelineSimulation.Segment;
import dev.headrace.profile.PipelineSimulation.Use;
import dev.headrace.spi.Collator;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A pipeline on paper, of which the simulation tells how fast it is, and from which a profile is
 * made as the engine would measure it.
 *
 * @param operators from the source to the last one
 * @param step of the consumer
 * @param others threads of other programs that always compute
 */
record SimulatedPipeline(List<Operator> operators, Cost step, int cores, int others) {
  private static final double SECOND_NS = 1e9;

  /** So many times are kept, as in the engine. */
  private static final int LATEST = 1_024;

  /** How times of one element are spread. */
  enum Spread {
    NONE,
    SOME,
    WIDE,
    RARELY_SLOW;

    SimulatedTime of(double seconds) {
      if (seconds <= 0) {
        return SimulatedTime.NONE;
      }
      return switch (this) {
        case NONE -> SimulatedTime.fixed(seconds);
        case SOME -> SimulatedTime.gamma(seconds, 0.4);
        case WIDE -> SimulatedTime.lognormal(seconds, 1.2);
        case RARELY_SLOW ->
            random -> (random.nextInt(100) == 0 ? 40.0 : 1.0) * seconds / (0.99 + 0.4);
      };
    }
  }

  /** What one element takes, in ms. */
  record Cost(double cpuMs, double waitMs, Spread spread) {
    static final Cost NONE = new Cost(0, 0, Spread.NONE);

    SimulatedCost simulated() {
      return new SimulatedCost(spread.of(waitMs / 1e3), spread.of(cpuMs / 1e3));
    }

    double ms() {
      return cpuMs + waitMs;
    }

    Cost times(double factor) {
      return new Cost(cpuMs * factor, waitMs * factor, spread);
    }
  }

  /**
   * An operator.
   *
   * @param workers of a parallel map, 0 where whoever pulls does its work
   * @param buffer of a prefetch, 0 where it is none; {@code window} how far the workers of a map
   *     get ahead
   * @param batch how many elements make one
   * @param locked the share of its work that is done inside a lock
   */
  record Operator(Cost cost, int workers, int window, int buffer, int batch, double locked) {
    static Operator map(Cost cost) {
      return new Operator(cost, 0, 0, 0, 1, 0);
    }

    static Operator map(Cost cost, int workers, double locked) {
      return new Operator(cost, workers, 2 * workers + 2, 0, 1, locked);
    }

    static Operator prefetch(int buffer) {
      return new Operator(Cost.NONE, 0, 0, buffer, 1, 0);
    }

    static Operator batch(int size) {
      return new Operator(Cost.NONE, 0, 0, 0, size, 0);
    }

    boolean isPrefetch() {
      return buffer > 0;
    }
  }

  // ---- what happens -----------------------------------------------------------------------------

  private static SimulatedCost sum(SimulatedCost a, SimulatedCost b, int times) {
    return new SimulatedCost(sum(a.waiting(), b.waiting(), times), sum(a.cpu(), b.cpu(), times));
  }

  private static SimulatedTime sum(SimulatedTime a, SimulatedTime b, int times) {
    return random -> {
      double total = b.draw(random);
      for (int i = 0; i < times; i++) {
        total += a.draw(random);
      }
      return total;
    };
  }

  Result run(int elements, long seed) {
    List<Segment> segments = new ArrayList<>();
    SimulatedCost inline = SimulatedCost.NONE;
    double inputs = 1;
    for (Operator operator : operators) {
      if (operator.isPrefetch()) {
        segments.add(Segment.prefetch(inline, operator.buffer()).taking(inputs));
        inline = SimulatedCost.NONE;
        inputs = 1;
      } else if (operator.workers() > 0) {
        Cost cost = operator.cost();
        Segment crew =
            new Segment(
                inputs,
                inline,
                cost.times(1 - operator.locked()).simulated(),
                operator.workers(),
                operator.window(),
                operator.window() / 2);
        segments.add(
            operator.locked() > 0 ? crew.locking(cost.times(operator.locked()).simulated()) : crew);
        inline = SimulatedCost.NONE;
        inputs = 1;
      } else {
        inline = sum(inline, operator.cost().simulated(), operator.batch());
        inputs *= operator.batch();
      }
    }
    segments.add(Segment.consumer(inline, step.simulated()).taking(inputs));
    return PipelineSimulation.run(segments, cores, others, elements, seed);
  }

  double seconds(int elements, long seed) {
    return 1 / run(elements, seed).perSecond();
  }

  // ---- what would be measured -------------------------------------------------------------------

  /** From the last operator to the source, as profiles have them. */
  Operator at(int index) {
    return operators.get(operators.size() - 1 - index);
  }

  double perDelivered(int index) {
    double elements = 1;
    for (int i = 0; i < index; i++) {
      elements *= at(i).batch();
    }
    return elements;
  }

  /** The plan, from the last operator to the source, with its operators' kinds. */
  List<OpNode> nodes() {
    Dataset<?> plan = Dataset.range(1_000);
    for (Operator operator : operators) {
      if (operator.isPrefetch()) {
        plan = plan.prefetch(operator.buffer());
      } else if (operator.batch() > 1) {
        plan = plan.batch(operator.batch(), Collator.toList());
      } else {
        plan = operator.workers() > 0 ? plan.map(x -> x, operator.workers()) : plan.map(x -> x);
      }
    }
    List<OpNode> nodes = new ArrayList<>();
    dev.headrace.spi.Op op = plan.op();
    for (String key = "0"; nodes.size() < operators.size(); key += ".0") {
      nodes.add(new OpNode(key, op));
      op = op.inputs().getFirst();
    }
    return nodes;
  }

  Profile profile(Result run, SplittableRandom random) {
    double cycleMs = 1e3 / run.perSecond();
    double cpuMs = step.cpuMs();
    for (int i = 0; i < operators.size(); i++) {
      cpuMs += at(i).cost().cpuMs() * perDelivered(i);
    }
    double slow = run.cores() <= 0 ? 1 : Math.max(1, run.ready() / run.cores());
    List<OpProfile> profiles = new ArrayList<>();
    int segment = run.segments().size() - 2;
    int runBy = -1;
    for (int i = 0; i < operators.size(); i++) {
      Operator operator = at(i);
      boolean hasThreads = operator.isPrefetch() || operator.workers() > 0;
      Use use = hasThreads ? run.segments().get(segment--) : null;
      profiles.add(profile(i, runBy, use, slow, cycleMs, random));
      runBy = hasThreads ? i : runBy;
    }
    double[] steps = draws(step.simulated(), random, LATEST);
    double stepMs = (step.cpuMs() * slow + step.waitMs());
    return new Profile(
        10,
        (long) (10 * run.perSecond()),
        0.1,
        11,
        1,
        new Profile.Consumer(
            stepMs * 1e6,
            step.cpuMs() * 1e6,
            Math.max(0, cycleMs - stepMs) * 1e6,
            0,
            run.segments().getLast().starved() * cycleMs * 1e6,
            steps,
            new double[0]),
        new Profile.Machine(
            cores,
            others == 0 ? 0 : Math.min(others, cores - run.cores()),
            run.cores(),
            0,
            0,
            1L << 30,
            1L << 20),
        new Profile.Memory(0, 0, 1L << 30, 0, 0, 1L << 30, Long.MAX_VALUE),
        profiles,
        List.of());
  }

  private OpProfile profile(
      int i,
      int runBy,
      @org.jspecify.annotations.Nullable Use use,
      double slow,
      double cycleMs,
      SplittableRandom random) {
    Operator operator = at(i);
    double per = perDelivered(i);
    Cost cost = operator.cost();
    double lockedMs =
        use == null ? 0 : use.locked() * Math.max(1, operator.workers()) * cycleMs / per;
    double wallMs = cost.cpuMs() * slow + cost.waitMs() + lockedMs;
    OpProfile.Crew crew = null;
    double[] times = draws(cost.simulated(), random, LATEST);
    if (use != null) {
      crew =
          new OpProfile.Crew(
              new OpProfile.Size(
                  Math.max(1, operator.workers()),
                  false,
                  operator.isPrefetch() ? use.serial() : Math.min(1, use.work())),
              new OpProfile.Buffer(
                  operator.isPrefetch() ? operator.buffer() : operator.window(),
                  false,
                  use.buffered(),
                  use.starved()),
              new OpProfile.Pull(0, 0),
              new OpProfile.Work(
                  wallMs * per * 1e6,
                  cost.cpuMs() * per * 1e6,
                  (cost.waitMs() + lockedMs) * per * 1e6,
                  Line.variation(times),
                  1,
                  operator.isPrefetch() ? new double[0] : times,
                  lockedMs * per * 1e6),
              draws(inlineBefore(i), random, LATEST));
    }
    String word = operator.isPrefetch() ? "prefetch" : operator.batch() > 1 ? "batch" : "map";
    return new OpProfile(
        new OpProfile.Place(
            "0" + ".0".repeat(i),
            i - 1,
            runBy,
            word,
            word + " " + i,
            word,
            i == operators.size() - 1),
        new OpProfile.Output((long) (1_000 * per), 0, per),
        new OpProfile.Times(wallMs * 1e6, cost.cpuMs() * 1e6, (cost.waitMs() + lockedMs) * 1e6),
        new OpProfile.Sizes(100, 100),
        null,
        crew,
        null);
  }

  /** What the threads of an operator run inline for one of its elements. */
  private SimulatedCost inlineBefore(int index) {
    SimulatedCost inline = SimulatedCost.NONE;
    for (Operator operator : operators.subList(0, operators.size() - 1 - index)) {
      inline =
          operator.isPrefetch() || operator.workers() > 0
              ? SimulatedCost.NONE
              : sum(inline, operator.cost().simulated(), operator.batch());
    }
    return inline;
  }

  private static double[] draws(SimulatedCost cost, SplittableRandom random, int count) {
    double[] draws = new double[count];
    for (int i = 0; i < count; i++) {
      draws[i] = (cost.waiting().draw(random) + cost.cpu().draw(random)) * SECOND_NS;
    }
    return draws;
  }

  // ---- others -----------------------------------------------------------------------------------

  SimulatedPipeline with(int index, Operator operator) {
    List<Operator> changed = new ArrayList<>(operators);
    changed.set(operators.size() - 1 - index, operator);
    return new SimulatedPipeline(changed, step, cores, others);
  }

  /** The same without the cost of an operator, or of the step for −1. */
  SimulatedPipeline withoutCost(int index) {
    if (index < 0) {
      return step.ms() > 0 ? new SimulatedPipeline(operators, Cost.NONE, cores, others) : this;
    }
    Operator old = at(index);
    return old.cost().ms() > 0
        ? with(
            index,
            new Operator(
                Cost.NONE, old.workers(), old.window(), old.buffer(), old.batch(), old.locked()))
        : this;
  }

  /** The same with buffers that bound nothing. */
  SimulatedPipeline withLargeBuffers() {
    List<Operator> changed = new ArrayList<>();
    for (Operator old : operators) {
      changed.add(
          new Operator(
              old.cost(),
              old.workers(),
              64 * old.window(),
              64 * old.buffer(),
              old.batch(),
              old.locked()));
    }
    return new SimulatedPipeline(changed, step, cores, others);
  }

  SimulatedPipeline without(int index) {
    List<Operator> changed = new ArrayList<>(operators);
    changed.remove(operators.size() - 1 - index);
    return new SimulatedPipeline(changed, step, cores, others);
  }

  SimulatedPipeline prefetched(int buffer) {
    List<Operator> changed = new ArrayList<>(operators);
    changed.add(Operator.prefetch(buffer));
    return new SimulatedPipeline(changed, step, cores, others);
  }

  /** The change that was advised; null where it cannot be made here. */
  @org.jspecify.annotations.Nullable
  SimulatedPipeline with(Advice advice, Model changed) {
    int i = advice.operator();
    return switch (advice.action()) {
      case PARALLELISE -> {
        int workers = (int) Math.max(1, Math.round(changed.workers(i)));
        Operator old = at(i);
        int window = Math.max(512, 2 * workers + 2);
        yield with(i, new Operator(old.cost(), workers, window, 0, 1, old.locked()));
      }
      case PREFETCH -> prefetched(32);
      case ENLARGE_BUFFER -> with(i, Operator.prefetch(Advice.LARGER_BUFFER));
      case REMOVE -> without(i);
      default -> null;
    };
  }

  /** A pipeline made at random. */
  static SimulatedPipeline random(SplittableRandom random, boolean isBusy) {
    int cores = new int[] {1, 2, 2, 4, 16}[random.nextInt(5)];
    List<Operator> operators = new ArrayList<>();
    operators.add(
        Operator.map(random.nextInt(3) == 0 ? cost(random, 3) : new Cost(0.01, 0, Spread.NONE)));
    int count = 1 + random.nextInt(4);
    int batch = 1;
    for (int i = 0; i < count; i++) {
      switch (random.nextInt(6)) {
        case 0, 1 -> operators.add(Operator.map(cost(random, 4.0 / batch * 2)));
        case 2, 3 -> {
          int workers = 2 + random.nextInt(cores > 2 ? 15 : 5);
          double locked = random.nextInt(4) == 0 ? random.nextDouble(0.1, 0.9) : 0;
          operators.add(Operator.map(cost(random, 10), workers, locked));
        }
        case 4 -> operators.add(Operator.prefetch(1 << random.nextInt(5)));
        default -> {
          if (batch == 1) {
            batch = 2 + random.nextInt(15);
            operators.add(Operator.batch(batch));
          }
        }
      }
    }
    if (random.nextBoolean()) {
      operators.add(Operator.prefetch(1 + random.nextInt(8)));
    }
    double most = random.nextInt(3) == 0 ? 12 : 3;
    Cost drawn = cost(random, most * Math.sqrt(batch));
    Cost step = random.nextInt(4) == 0 ? drawn : new Cost(0, drawn.ms(), drawn.spread());
    return new SimulatedPipeline(
        operators, step, cores, isBusy ? 1 + random.nextInt(2 * cores) : 0);
  }

  private static Cost cost(SplittableRandom random, double mostMs) {
    double ms = Math.max(0.02, random.nextDouble(mostMs));
    double share =
        switch (random.nextInt(3)) {
          case 0 -> 1;
          case 1 -> 0;
          default -> random.nextDouble();
        };
    Spread spread =
        random.nextInt(8) == 0 ? Spread.RARELY_SLOW : Spread.values()[random.nextInt(3)];
    return new Cost(ms * share, ms * (1 - share), spread);
  }
}
