package dev.headrace.cli;

import dev.headrace.profile.KnobChange;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a user's pipeline, or program, and shows what it does. */
@Command(
    name = "run",
    description = "Runs a pipeline, or a program with pipelines, and shows what it does.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "A dataset is consumed by a training step that waits (--step-ms); a program is run as it is,",
      "and every pipeline that it opens is looked at. Ctrl-C ends it; what was measured is"
          + " printed.",
      "Exit code 1 where elements or the program failed.",
      "",
      "Examples:",
      "  headrace run Train.java --step-ms 15 --epochs 2",
      "  headrace run -cp target/classes com.acme.Train::validation --steps 500 --json",
      "  headrace run Train.java::main --metrics 9400 --report run.html -- --lr 0.1"
    })
final class RunCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;
  @Mixin private UserProgram user = new UserProgram();
  @Mixin private LoopOptions loop = new LoopOptions();

  @Mixin private Outputs outputs = new Outputs();

  @Option(names = "--json", description = "Print JSON; what a program prints goes to stderr.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    CommandLine command = Objects.requireNonNull(spec).commandLine();
    loop.check(command);
    outputs.check(command);
    PrintWriter out = command.getOut();
    PrintWriter err = command.getErr();
    UserProgram.Target target = user.find();
    try (Progress progress = new Progress(err);
        PipelineWatch watch = new PipelineWatch(seen -> {});
        Outputs.Serving _ = outputs.serve(watch::stats, err)) {
      Runnable tick = () -> progress.show(watch::line);
      int code =
          switch (target) {
            case UserProgram.DatasetTarget dataset ->
                DatasetLoop.consume(
                    dataset.name(), dataset.named().dataset(), loop, progress, err, tick);
            case UserProgram.MainTarget program ->
                ProgramEnd.code(
                    program, ProgramRun.run(program, loop.seconds(), json, progress, tick), err);
          };
      progress.clear();
      List<PipelineWatch.Seen> seen = watch.finish();
      print(target.name(), seen, out);
      out.flush();
      outputs.write(target.name(), seen, List.of(), command);
      return code;
    }
  }

  private void print(String name, List<PipelineWatch.Seen> pipelines, PrintWriter out) {
    if (json) {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("program", name);
      List<Object> each = new ArrayList<>();
      pipelines.forEach(one -> each.add(StatsJson.of(one.stats())));
      all.put("pipelines", each);
      out.println(JsonText.of(all));
      return;
    }
    if (pipelines.isEmpty()) {
      out.println(name + ": no pipeline gave an element.");
    }
    for (PipelineWatch.Seen one : pipelines) {
      out.print(pipelines.size() == 1 ? "" : "pipeline %d: ".formatted(one.number()));
      out.print(one.stats());
      for (KnobChange change : one.stats().knobChanges()) {
        out.println("  tuned: " + change);
      }
    }
  }
}
