package dev.headrace.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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

/** Runs one of the example programs. */
@Command(
    name = "demo",
    description = "Runs one of the programs in examples/, or lists them.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Each program makes the data it needs. Exit code 1 where it fails.",
      "",
      "Examples:",
      "  headrace demo list",
      "  headrace demo 000-1",
      "  headrace demo 000-1 -- 200 100    200 loads of 100 ms each"
    })
final class DemoCommand implements Callable<Integer> {
  private static final String LIST = "list";

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "DEMO",
      defaultValue = LIST,
      description = "Its id, or 'list' for all of them (default: ${DEFAULT-VALUE}).")
  private String id = LIST;

  @Parameters(
      index = "1..*",
      paramLabel = "ARGUMENT",
      description = "After --: arguments for the program; its source says which it takes.")
  private List<String> arguments = new ArrayList<>();

  @Option(names = "--json", description = "List as JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    CommandLine command = Objects.requireNonNull(spec).commandLine();
    List<Demo> demos = Demo.all();
    if (id.equals(LIST)) {
      list(demos, command.getOut());
      return Main.OK;
    }
    Demo chosen =
        demos.stream()
            .filter(demo -> demo.id().equals(id))
            .findFirst()
            .orElseThrow(() -> unknown(command, demos));
    if (json) {
      throw new ParameterException(command, "--json: expected with 'list', but got it with " + id);
    }
    command.getErr().println(chosen.id() + ": " + chosen.title());
    command.getErr().flush();
    return run(chosen, command);
  }

  private ParameterException unknown(CommandLine command, List<Demo> demos) {
    return new ParameterException(
        command,
        "DEMO: expected %s or list, but got '%s'"
            .formatted(demos.stream().map(Demo::id).collect(Collectors.joining(", ")), id));
  }

  private void list(List<Demo> demos, PrintWriter out) {
    if (json) {
      List<Object> all = new ArrayList<>();
      for (Demo demo : demos) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("id", demo.id());
        one.put("class", demo.type());
        one.put("title", demo.title());
        all.add(one);
      }
      out.println(JsonText.of(Map.of("demos", all)));
    } else if (demos.isEmpty()) {
      out.println("There are no demos on the class path: headrace-examples is not there.");
    } else {
      int width = demos.stream().mapToInt(demo -> demo.id().length()).max().orElse(0);
      for (Demo demo : demos) {
        out.printf(Locale.ROOT, "%-" + width + "s  %s%n", demo.id(), demo.title());
        out.printf(Locale.ROOT, "%-" + width + "s  %s%n", "", demo.type());
      }
    }
    out.flush();
  }

  private int run(Demo demo, CommandLine command) throws IOException {
    UserCode code = UserCode.load(demo.type(), null);
    MainMethod main = code.main();
    if (main == null) {
      throw new IllegalArgumentException(
          "%s: expected a main method in %s, but there is none".formatted(demo.id(), demo.type()));
    }
    UserProgram.MainTarget target =
        new UserProgram.MainTarget(demo.type(), code.loader(), main, arguments);
    try (Progress progress = new Progress(command.getErr())) {
      return ProgramEnd.code(
          target, ProgramRun.run(target, 0, false, progress, () -> {}), command.getErr());
    }
  }
}
