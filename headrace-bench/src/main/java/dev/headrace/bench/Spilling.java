package dev.headrace.bench;

import static dev.headrace.Dataset.range;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.data.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * What it costs to hold elements on disk: operators that hold elements of 4 kB, nearly all of them
 * on disk, beside the same in memory. The disk is the temporary folder's, most often its cache in
 * memory.
 */
final class Spilling implements Scenario {
  private static final int ELEMENTS = 1 << 13;
  private static final int BYTES = 4_000;
  private static final long SMALL_BUDGET = 4 << 20;
  private static final long LARGE_BUDGET = 256 << 20;

  @Override
  public String name() {
    return "spill";
  }

  @Override
  public String summary() {
    return "elements held on disk beside the same in memory; about a minute";
  }

  @Override
  public List<Row> run(Setup setup) throws IOException {
    Map<String, UnaryOperator<Dataset<byte[]>>> holders = new LinkedHashMap<>();
    holders.put("shuffle", in -> in.shuffle(ELEMENTS / 2, Seed.of(7)));
    holders.put("cache", in -> in.cache());
    holders.put(
        "group_by_window", in -> in.groupByWindow(x -> x[0] & 3, (key, window) -> window, 1000));
    List<Row> rows = new ArrayList<>();
    for (var entry : holders.entrySet()) {
      setup.progress().accept(entry.getKey());
      Measured onDisk = measured(entry.getValue(), SMALL_BUDGET);
      Measured inMemory = measured(entry.getValue(), LARGE_BUDGET);
      double[] ours = new double[setup.pairs()];
      double[] others = new double[setup.pairs()];
      for (int pair = 0; pair < setup.pairs(); pair++) {
        ours[pair] = onDisk.measure().cpuNs();
        others[pair] = inMemory.measure().cpuNs();
      }
      rows.add(
          Row.ofPairs(
              entry.getKey() + " on disk", "CPU ns/elem", ours, others, "in memory", null, 1));
    }
    return rows;
  }

  private static Measured measured(UnaryOperator<Dataset<byte[]>> holder, long budget) {
    Options options = Options.defaults().heapBudget(budget);
    return new Measured(n -> holder.apply(range(n).map(Spilling::element)).options(options))
        .atMost(ELEMENTS)
        .warm();
  }

  private static byte[] element(long number) {
    byte[] bytes = new byte[BYTES];
    bytes[0] = (byte) number;
    return bytes;
  }
}
