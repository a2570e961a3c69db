package dev.headrace.bench;

import dev.headrace.Dataset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one element costs in {@code range, map, map, batch(128), prefetch}: CPU time of the whole
 * process, and wall time beside it.
 */
final class HeadlineRows {
  private static final String NAME = "range-map-map-batch(128)-prefetch";
  private static final String[] PEER_CHAIN = {"map", "map", "batch:128", "prefetch"};

  private HeadlineRows() {}

  static List<Row> measure(Setup setup) {
    setup.progress().accept(NAME);
    Measured ours = new Measured(Chains::headline).warm();
    List<MeasuredPeer> peers = new ArrayList<>();
    TfData tfData = setup.peer();
    if (tfData != null) {
      for (TfData.Mode mode : TfData.Mode.values()) {
        peers.add(new MeasuredPeer(tfData, mode, PEER_CHAIN));
      }
    }
    Measured one = new Measured(Chains::oneByOne).warm();
    Spent[] runs = new Spent[setup.pairs()];
    Spent[] oneRuns = new Spent[setup.pairs()];
    double[] openings = new double[setup.pairs()];
    for (int i = 0; i < runs.length; i++) {
      runs[i] = ours.measure();
      peers.forEach(MeasuredPeer::measure);
      oneRuns[i] = one.measure();
      openings[i] = openingCpuUs();
    }
    List<Row> rows = new ArrayList<>();
    if (peers.isEmpty()) {
      Interval cpu = Interval.of(Spent.cpu(runs));
      rows.add(Row.alone(NAME, "CPU ns/elem", cpu, Bar.ratioAtLeast(500)));
      rows.add(Row.alone(NAME, "wall ns/elem", Interval.of(Spent.wall(runs)), null));
    } else {
      MeasuredPeer asUsersRunIt = peers.getFirst();
      MeasuredPeer best =
          peers.stream().min(Comparator.comparingDouble(MeasuredPeer::medianCpuNs)).orElseThrow();
      rows.addAll(rows(runs, asUsersRunIt, Bar.ratioAtLeast(500)));
      if (best != asUsersRunIt) {
        rows.addAll(rows(runs, best, null));
      }
    }
    Interval oneCpu = Interval.of(Spent.cpu(oneRuns));
    rows.add(Row.alone("range-map, next() for each element", "CPU ns/elem", oneCpu, null));
    rows.add(Row.alone("open() and close() of " + NAME, "CPU us", Interval.of(openings), null));
    return rows;
  }

  /** Opens and closes without reading; the mean of many, because one is short. */
  private static double openingCpuUs() {
    int times = 50;
    Dataset<?> dataset = Chains.headline(1_000);
    Spent spent =
        Spent.on(
            () -> {
              for (int i = 0; i < times; i++) {
                dataset.open().close();
              }
            });
    return spent.each(times).cpuNs() / 1e3;
  }

  private static List<Row> rows(Spent[] ours, MeasuredPeer peer, @Nullable Bar bar) {
    Spent[] theirs = peer.runs();
    return List.of(
        Row.ofPairs(NAME, "CPU ns/elem", Spent.cpu(ours), Spent.cpu(theirs), peer.name(), bar, 0),
        Row.ofPairs(
            NAME, "wall ns/elem", Spent.wall(ours), Spent.wall(theirs), peer.name(), null, 0));
  }
}
