package dev.headrace.cli;

import dev.headrace.bench.DeviceBench;
import dev.headrace.bench.HeldOutDoctor;
import dev.headrace.bench.MlperfStorage;
import dev.headrace.bench.PeerUnavailable;
import dev.headrace.bench.Report;
import dev.headrace.bench.Row;
import dev.headrace.bench.Scenario;
import dev.headrace.bench.Setup;
import dev.headrace.bench.TfData;
import dev.headrace.bench.Torch;
import dev.headrace.data.PartialFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures Headrace, alone or beside a peer. */
@Command(
    name = "bench",
    description = "Measures Headrace, alone or beside a peer.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Rows are medians with a 95 %% interval; a ratio above 1 means that we are better. A bar",
      "holds when the unfavourable end of the interval does.",
      "",
      "Examples:",
      "  headrace bench overhead",
      "  headrace bench overhead --peer tfdata --python .venv/bin/python --json overhead.json",
      "  headrace bench scaling --pairs 5",
      "  headrace bench mlperf --seconds 60 --scale 2",
      "  headrace bench doctor --held-out --json held-out.json",
      "  headrace bench device --peer torch --json device.json",
      "  headrace bench device --parts A,B --simulated"
    })
final class BenchCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "SCENARIO",
      completionCandidates = ScenarioNames.class,
      description = {"What to measure: ${COMPLETION-CANDIDATES}."})
  private String scenario = "";

  @Option(
      names = "--peer",
      paramLabel = "PEER",
      completionCandidates = PeerNames.class,
      description = "Measure a peer in turn with us: ${COMPLETION-CANDIDATES}.")
  private @Nullable String peer;

  @Option(
      names = "--pairs",
      paramLabel = "N",
      defaultValue = "9",
      description = "How many interleaved measurements make a row (default: ${DEFAULT-VALUE}).")
  private int pairs;

  @Option(
      names = "--python",
      paramLabel = "PATH",
      description = "Python for the peer (default: the variable HEADRACE_PYTHON, then python3).")
  private @Nullable String python;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the report as JSON, too.")
  private @Nullable Path json;

  @Option(names = "--strict", description = "Exit with 1 where a bar is missed.")
  private boolean strict;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = {
        "mlperf: how long each workload is trained (default: 27);",
        "doctor --held-out: how long each pipeline is looked at (default: 1.5)."
      })
  private @Nullable Double seconds;

  @Option(
      names = "--scale",
      paramLabel = "X",
      description = "mlperf: how many times as many files to make as usual (default: 1).")
  private @Nullable Double scale;

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      description = "device: which parts, of ${COMPLETION-CANDIDATES} (default: all).")
  private @Nullable Set<DeviceBench.Part> parts;

  @Option(
      names = "--simulated",
      description = "device: try the measurements on a simulated device; they tell nothing.")
  private boolean simulated;

  @Option(
      names = "--held-out",
      description = {
        "doctor: pipelines that the diagnosis was not improved on, put together at random;",
        "the truth about each is measured. About 8 minutes."
      })
  private boolean heldOut;

  @Option(
      names = "--seed-set",
      paramLabel = "N",
      description = "doctor --held-out: which set of pipelines (default: 1).")
  private @Nullable Integer seedSet;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "doctor --held-out: how many pipelines (default: 90).")
  private @Nullable Integer count;

  @Override
  public Integer call() throws IOException, InterruptedException {
    CommandLine command = Objects.requireNonNull(spec).commandLine();
    Scenario chosen = chosen(command);
    if (peer != null && !PeerNames.ALL.contains(peer)) {
      throw new ParameterException(
          command,
          "--peer: expected " + String.join(" or ", PeerNames.ALL) + ", but got '" + peer + "'");
    }
    if (pairs < 1) {
      throw new ParameterException(command, "--pairs: expected at least 1, but got " + pairs);
    }
    PrintWriter out = command.getOut();
    PrintWriter err = command.getErr();
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    List<String> notes = new ArrayList<>();
    if (pairs < Setup.LEAST_PAIRS) {
      notes.add(
          "%d %s fewer than the %d that a 95 %% interval asks for."
              .formatted(pairs, pairs == 1 ? "pair is" : "pairs are", Setup.LEAST_PAIRS));
    }
    List<Row> rows;
    try (Peers peers = startPeer(err, notes)) {
      rows =
          chosen.run(new Setup(pairs, peers.tfData, peers.torch, line -> Main.progress(err, line)));
    } finally {
      Main.endProgress(err);
    }
    notes.addAll(chosen.notes());
    Report report = Report.now(chosen.name(), load, notes, rows);
    out.print(report.table(Style.of(command)::good, Style.of(command)::bad));
    if (json != null) {
      PartialFile.write(json, report.toJson().getBytes(StandardCharsets.UTF_8));
      out.println();
      out.println("written to " + json);
    }
    out.flush();
    return strict && !report.holds() ? Main.FAILED : Main.OK;
  }

  private Scenario chosen(CommandLine command) throws IOException {
    if (heldOut || seedSet != null || count != null) {
      return heldOut(command);
    }
    if (seconds != null || scale != null) {
      return sized(command);
    }
    if (parts != null || simulated) {
      return inPart(command);
    }
    return Scenario.available().stream()
        .filter(candidate -> candidate.name().equals(scenario))
        .findFirst()
        .orElseThrow(
            () ->
                new ParameterException(
                    command,
                    "SCENARIO: expected "
                        + Scenario.available().stream()
                            .map(Scenario::name)
                            .collect(Collectors.joining(" or "))
                        + ", but got '"
                        + scenario
                        + "'"
                        + (ScenarioNames.OF_ADAPTERS.containsKey(scenario)
                            ? ScenarioNames.HOW_TO_GET_ADAPTERS.formatted(scenario)
                            : "")));
  }

  private Scenario heldOut(CommandLine command) throws IOException {
    int set = seedSet == null ? 1 : seedSet;
    int pipelines = count == null ? HeldOutDoctor.USUAL_COUNT : count;
    double look = seconds == null ? HeldOutDoctor.USUAL_SECONDS : seconds;
    HeldOutDoctor doctor = new HeldOutDoctor(set, pipelines, look);
    if (!heldOut || !doctor.name().equals(scenario)) {
      throw new ParameterException(
          command,
          "--held-out, --seed-set, --count: expected doctor --held-out, but got '%s'%s"
              .formatted(scenario, heldOut ? "" : " without --held-out"));
    }
    if (!HeldOutDoctor.seedSets().contains(set)) {
      throw new ParameterException(
          command,
          "--seed-set: expected one of %s, but got %d".formatted(HeldOutDoctor.seedSets(), set));
    }
    if (pipelines < 1 || !(look > 0)) {
      throw new ParameterException(
          command,
          "--count, --seconds: expected at least 1 and more than 0, but got %d and %s"
              .formatted(pipelines, look));
    }
    return doctor;
  }

  private Scenario sized(CommandLine command) {
    MlperfStorage sized =
        new MlperfStorage(
            seconds == null ? MlperfStorage.SECONDS : seconds, scale == null ? 1 : scale);
    if (!sized.name().equals(scenario)) {
      throw new ParameterException(
          command, "--seconds, --scale: expected the scenario mlperf, but got '" + scenario + "'");
    }
    return sized;
  }

  private Scenario inPart(CommandLine command) {
    DeviceBench inPart = new DeviceBench(parts == null ? Set.of() : parts, simulated);
    if (!inPart.name().equals(scenario)) {
      throw new ParameterException(
          command,
          "--parts, --simulated: expected the scenario device, but got '" + scenario + "'");
    }
    return inPart;
  }

  private Peers startPeer(PrintWriter err, List<String> notes) {
    if (peer == null) {
      return new Peers(null, null);
    }
    Main.progress(err, "starting " + peer);
    try {
      return peer.equals(PeerNames.TFDATA)
          ? new Peers(TfData.start(python), null)
          : new Peers(null, Torch.start(python));
    } catch (PeerUnavailable e) {
      Main.endProgress(err);
      err.println(e.getMessage());
      err.flush();
      notes.add(String.valueOf(e.getMessage()));
      return new Peers(null, null);
    }
  }

  /** The peers of one run; closes those that were started. */
  private record Peers(@Nullable TfData tfData, @Nullable Torch torch) implements AutoCloseable {
    @Override
    public void close() {
      if (tfData != null) {
        tfData.close();
      }
      if (torch != null) {
        torch.close();
      }
    }
  }

  /** The scenarios, with what they measure, for the help text. */
  static final class ScenarioNames implements Iterable<String> {
    /** Those of headrace-frameworks, which is there only when it was built with the adapters. */
    static final Map<String, String> OF_ADAPTERS =
        new TreeMap<>(
            Map.of(
                "djl", "training with DJL, on Headrace and on DJL's own loader",
                "frameworks", "handing batches to training frameworks"));

    static final String HOW_TO_GET_ADAPTERS =
        "; it needs the adapters for training frameworks: in a clone, run ./headrace bench %s, or"
            + " build them with: mvn -Padapters -DskipTests package";

    @Override
    public Iterator<String> iterator() {
      Map<String, String> names = new LinkedHashMap<>();
      Scenario.available().forEach(scenario -> names.put(scenario.name(), scenario.summary()));
      OF_ADAPTERS.forEach((name, summary) -> names.putIfAbsent(name, summary));
      return names.entrySet().stream()
          .map(scenario -> scenario.getKey() + " (" + scenario.getValue() + ")")
          .iterator();
    }
  }

  /** The peers we know. */
  static final class PeerNames implements Iterable<String> {
    static final String TFDATA = "tfdata";
    static final List<String> ALL = List.of(TFDATA, "torch");

    @Override
    public Iterator<String> iterator() {
      return List.of(TFDATA, "torch (jpeg and device only)").iterator();
    }
  }
}
