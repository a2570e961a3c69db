package dev.headrace.cli;

import dev.headrace.profile.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Says why a user's pipeline is as fast as it is, and what to change. */
@Command(
    name = "doctor",
    description = "Runs a pipeline, or a program with pipelines, and says why it is not faster.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeOnExecutionException = Main.USAGE,
    footer = {
      "",
      "A dataset is consumed by a training step that waits (--step-ms), again and again, for ten",
      "seconds unless a limit is given; a program is run as it is, and told about when a pipeline"
          + " of",
      "it closes. Ctrl-C ends it; what was measured is told.",
      "",
      "Exit codes: 0 examined, 1 it is what --fail-on or --max-wait names, 2 it could not be",
      "examined (wrong usage, a program that does not compile or fails), 130 stopped by Ctrl-C.",
      "",
      "Examples:",
      "  headrace doctor Train.java --step-ms 15",
      "  headrace doctor Train.java --step-ms 15 --apply        make the first change, measure"
          + " again",
      "  headrace doctor Train.java::main -- --epochs 3         the program's own training loop",
      "  headrace doctor Train.java --report run.html --share   a page to show to others",
      "  headrace doctor -cp target/classes com.acme.Train --fail-on input-bound --max-wait 10"
    })
final class DoctorCommand implements Callable<Integer> {
  private static final double USUAL_SECONDS = 10;

  @Spec private @Nullable CommandSpec spec;
  @Mixin private UserProgram user = new UserProgram();
  @Mixin private LoopOptions loop = new LoopOptions();

  @Option(
      names = "--apply",
      description = "Make the first change that can be made here, measure again, compare.")
  private boolean applies;

  @Option(
      names = "--apply-all",
      description = "Go on, one change on top of the other, until none helps.")
  private boolean appliesAll;

  @Mixin private Gate gate = new Gate();
  @Mixin private Outputs outputs = new Outputs();

  @Option(names = "--json", description = "Print JSON; what a program prints goes to stderr.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    CommandLine command = Objects.requireNonNull(spec).commandLine();
    loop.check(command);
    gate.check(command);
    outputs.check(command);
    PrintWriter out = command.getOut();
    UserProgram.Target target = user.find();
    PrintWriter err = command.getErr();
    Progress progress = new Progress(err);
    Examination examination = new Examination(loop, progress, err);
    try (progress;
        Outputs.Serving _ = outputs.serve(examination::stats, err)) {
      DoctorText text = new DoctorText(target.name(), Style.of(command), out);
      int code =
          switch (target) {
            case UserProgram.DatasetTarget dataset -> examine(dataset, examination, text);
            case UserProgram.MainTarget program -> examine(program, examination, text, command);
          };
      progress.clear();
      List<String> reasons = new ArrayList<>();
      for (Diagnosis diagnosis : examination.diagnoses()) {
        reasons.addAll(gate.reasons(diagnosis));
      }
      if (json) {
        out.println(DoctorJson.of(target.name(), examination, reasons));
      } else {
        text.end(examination, reasons);
      }
      out.flush();
      outputs.write(target.name(), examination.pipelines(), examination.trials(), command);
      return code != Main.OK ? code : reasons.isEmpty() ? Main.OK : Main.FAILED;
    }
  }

  private int examine(UserProgram.DatasetTarget dataset, Examination examination, DoctorText text) {
    loop.endAfter(USUAL_SECONDS);
    int code = examination.examine(dataset.name(), dataset.named().dataset());
    if (!json) {
      text.diagnosis(examination);
    }
    if (code == Main.OK && (applies || appliesAll)) {
      code =
          examination.treat(
              appliesAll,
              trial -> {
                if (!json) {
                  text.trial(trial);
                }
              });
    }
    return code;
  }

  private int examine(
      UserProgram.MainTarget program,
      Examination examination,
      DoctorText text,
      CommandLine command) {
    if (applies || appliesAll) {
      throw new ParameterException(
          command,
          "--apply: expected a method that returns a dataset, which can be changed, but %s is a program; name a method, as in Train.java::dataset"
              .formatted(program.name()));
    }
    return examination.examine(
        program,
        json,
        seen -> {
          if (!json) {
            text.pipeline(seen);
          }
        });
  }
}
