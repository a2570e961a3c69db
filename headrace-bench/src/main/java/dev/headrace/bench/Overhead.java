package dev.headrace.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What the engine itself costs: functions do next to nothing, so that what is left is overhead.
 *
 * <p>All of it is measured in a JVM that has run every operator with many functions before; see
 * {@link Chains#warmUp}.
 */
final class Overhead implements Scenario {
  @Override
  public String name() {
    return "overhead";
  }

  @Override
  public String summary() {
    return "CPU time and bytes per element, latency of next(), checkpoints; about 3 minutes";
  }

  @Override
  public List<Row> run(Setup setup) throws IOException, InterruptedException {
    setup.progress().accept("running every operator once");
    Chains.warmUp();
    List<Row> rows = new ArrayList<>();
    rows.addAll(HeadlineRows.measure(setup));
    rows.addAll(OperatorRows.measure(setup));
    rows.addAll(AllocationRows.measure(setup));
    rows.addAll(LatencyRows.measure(setup));
    rows.addAll(CheckpointRows.measure(setup));
    rows.addAll(MeterRows.measure(setup));
    return rows;
  }
}
