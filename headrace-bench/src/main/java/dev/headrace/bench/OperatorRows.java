package dev.headrace.bench;

import dev.headrace.Dataset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one element costs in one operator, with the engine's own measurements on.
 *
 * <p>How one operator is told from the others, on our side:
 *
 * <ul>
 *   <li>map, filter, take: the slope of chains with one and five of them, each with a function of a
 *       class of its own: (t5 − t1) / 4;
 *   <li>shuffle, parallel map: the chain less {@code range} in the same chain without it;
 *   <li>range, batch: the whole chain of {@code range} and one batch, delivery included: an upper
 *       bound, nothing is taken off.
 * </ul>
 *
 * <p>Chains are swallowed by {@code batch(1024, stack())}, see {@link Chains}. tf.data's figures
 * are made the same way, from chains with one operator less one without: its functions cost a
 * hundred times what the rest does. All values of a pair are taken one after the other, and
 * differences are made within a pair.
 */
final class OperatorRows {
  private static final String UNIT = "CPU ns/elem";

  /** What a ratio takes for our cost where it is less than can be told from nothing. */
  private static final double LEAST_NS = 0.05;

  private OperatorRows() {}

  /** One operator: how we measure it, and which steps tf.data takes with and without it. */
  private record Subject(
      String name, Supplier<Spent> ours, double barNs, String peerStep, boolean alone) {}

  static List<Row> measure(Setup setup) {
    setup.progress().accept("single operators: warming up");
    Measured range = new Measured(Chains::range).warm();
    Measured batch = new Measured(Chains::batch).warm();
    Measured shuffle = new Measured(Chains::shuffle).warm();
    Measured parallelMap = new Measured(Chains::parallelMap).warm();
    List<Subject> subjects =
        List.of(
            new Subject("range (batch(1024) included)", range::measure, 15, "", true),
            new Subject("map(x + 1)", slope(Chains.maps(1), Chains.maps(5)), 15, "map", false),
            new Subject(
                "filter(x >= 0)", slope(Chains.filters(1), Chains.filters(5)), 15, "filter", false),
            new Subject("take", slope(Chains.takes(1), Chains.takes(5)), 15, "take", false),
            new Subject("batch(128) (range included)", batch::measure, 15, "batch:128", true),
            new Subject(
                "shuffle(10000)",
                () -> shuffle.measure().minus(range.measure()),
                60,
                "shuffle:10000",
                false),
            new Subject(
                "map(x + 1, 2)",
                () -> parallelMap.measure().minus(range.measure()),
                60,
                "pmap:2",
                false));
    List<Measurements> all = new ArrayList<>();
    Map<TfData.Mode, MeasuredPeer> bases = new LinkedHashMap<>();
    TfData tfData = setup.peer();
    for (TfData.Mode mode : List.of(TfData.Mode.DEFAULT, TfData.Mode.TUNED)) {
      if (tfData != null) {
        bases.put(mode, new MeasuredPeer(tfData, mode));
      }
    }
    for (Subject subject : subjects) {
      all.add(new Measurements(subject, setup.pairs(), bases, tfData));
    }
    for (int pair = 0; pair < setup.pairs(); pair++) {
      setup.progress().accept("single operators: pair %d of %d".formatted(pair + 1, setup.pairs()));
      bases.values().forEach(MeasuredPeer::measure);
      for (Measurements measurements : all) {
        measurements.measure(pair);
      }
    }
    List<Row> rows = new ArrayList<>();
    for (Measurements measurements : all) {
      rows.add(measurements.row(TfData.Mode.DEFAULT));
    }
    if (tfData != null) {
      for (Measurements measurements : all) {
        rows.add(measurements.row(TfData.Mode.TUNED));
      }
    }
    return rows;
  }

  private static Supplier<Spent> slope(
      LongFunction<Dataset<?>> one, LongFunction<Dataset<?>> five) {
    Measured short1 = new Measured(one).warm();
    Measured long5 = new Measured(five).warm();
    return () -> long5.measure().minus(short1.measure()).over(4);
  }

  /** The measurements of one operator, ours and tf.data's. */
  private static final class Measurements {
    private final Subject subject;
    private final double[] ours;
    private final Map<TfData.Mode, MeasuredPeer> bases;
    private final Map<TfData.Mode, MeasuredPeer> peers = new LinkedHashMap<>();

    Measurements(
        Subject subject, int pairs, Map<TfData.Mode, MeasuredPeer> bases, @Nullable TfData tfData) {
      this.subject = subject;
      this.ours = new double[pairs];
      this.bases = bases;
      if (tfData != null && !subject.peerStep.isEmpty()) {
        for (TfData.Mode mode : bases.keySet()) {
          peers.put(mode, new MeasuredPeer(tfData, mode, subject.peerStep));
        }
      } else {
        peers.putAll(bases); // tf.data's range alone is the base itself
      }
    }

    void measure(int pair) {
      ours[pair] = subject.ours.get().cpuNs();
      if (!subject.peerStep.isEmpty()) {
        peers.values().forEach(MeasuredPeer::measure);
      }
    }

    Row row(TfData.Mode mode) {
      Bar bar = Bar.atMost(subject.barNs);
      MeasuredPeer peer = peers.get(mode);
      MeasuredPeer base = bases.get(mode);
      if (peer == null || base == null) {
        return Row.alone(subject.name, UNIT, Interval.of(ours), bar);
      }
      double[] theirs = Spent.cpu(peer.runs());
      if (!subject.alone) {
        double[] without = Spent.cpu(base.runs());
        for (int i = 0; i < theirs.length; i++) {
          theirs[i] -= without[i];
        }
      }
      return Row.ofPairs(
          subject.name,
          UNIT,
          ours,
          theirs,
          peer.name(),
          mode == TfData.Mode.DEFAULT ? bar : null,
          LEAST_NS);
    }
  }
}
