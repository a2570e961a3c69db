package dev.headrace.cli;

import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The entry of the {@code headrace} command. */
@Command(
    name = "headrace",
    description = "An input-pipeline engine for machine learning on the JVM.",
    versionProvider = Main.Version.class,
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  headrace quickstart                       see what AUTOTUNE makes of slow loading",
      "  headrace doctor Train.java --step-ms 15   why a pipeline is not faster, and what to"
          + " change",
      "  headrace run Train.java::main -- --lr 1   run a program and see what its pipelines do",
      "  headrace lint Train.java                  find mistakes without running it",
      "  headrace demo list                        programs that show something",
      "  headrace config                           every setting, its value and origin",
      "  headrace device                           which GPUs are there, and how fast they are",
      "  headrace bench overhead --peer tfdata     what the engine costs, beside tf.data",
      "  headrace check-determinism Train.java     one thread against many, element by element",
      "  headrace records verify 'train-*'         check every record of TFRecord files",
      "",
      "Exit codes: 0 done, 1 failed or found something, 2 wrong usage, 130 stopped by Ctrl-C."
    })
public final class Main implements Runnable {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;
  static final int STOPPED = 130;

  @Spec private @Nullable CommandSpec spec;

  private Main() {}

  /** Runs the command and ends the JVM with its exit code. */
  public static void main(String[] args) {
    Interruption interruption = Interruption.ofThisThread();
    int code = FAILED;
    try {
      code = commandLine().execute(args);
    } finally {
      if (code != OK && ProgramRun.hasExited()) {
        Runtime.getRuntime()
            .halt(code); // the code that the user's program exits with would hide it
      }
      interruption.finished();
    }
    if (!interruption.isUnderWay()) {
      System.exit(code); // in the middle of a shutdown it would wait for itself
    }
  }

  private static CommandLine commandLine() {
    return commandLine(
        new OutputStreamWriter(System.out, System.out.charset()),
        new OutputStreamWriter(System.err, System.err.charset()));
  }

  /** The command, which prints to these; what it prints is fit for a terminal. */
  static CommandLine commandLine(Writer toOut, Writer toErr) {
    TerminalWriter out = new TerminalWriter(toOut);
    TerminalWriter err = new TerminalWriter(toErr);
    CommandLine commands = new CommandLine(new Main());
    commands.addSubcommand(new QuickstartCommand());
    commands.addSubcommand(new RunCommand());
    commands.addSubcommand(new DoctorCommand());
    commands.addSubcommand(new LintCommand());
    commands.addSubcommand(new ExplainCommand());
    commands.addSubcommand(new DemoCommand());
    commands.addSubcommand(new ConfigCommand());
    commands.addSubcommand(new DeviceCommand());
    commands.addSubcommand(new CheckDeterminismCommand());
    commands.addSubcommand(new ReplayCommand());
    commands.addSubcommand(new RecordsCommand());
    try {
      commands.addSubcommand(new BenchCommand());
    } catch (NoClassDefFoundError e) {
      // headrace-bench is never published: without its jar there is no bench.
    }
    commands.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    commands.setCaseInsensitiveEnumValuesAllowed(true);
    commands.setUsageHelpWidth(100);
    commands.setColorScheme(
        CommandLine.Help.defaultColorScheme(
            Terminal.hasColours() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF));
    commands.setExecutionExceptionHandler(
        (exception, command, parsed) -> {
          if (Interruption.isUnderWayAnywhere()) {
            command.getErr().println("stopped");
            return STOPPED;
          }
          command.getErr().println(Style.of(command).bad("headrace: " + message(exception)));
          if (System.getProperty("headrace.trace") != null) {
            exception.printStackTrace(command.getErr());
          }
          return command.getCommandSpec().exitCodeOnExecutionException();
        });
    commands.setParameterExceptionHandler(
        (exception, args) -> {
          CommandLine command = exception.getCommandLine();
          command.getErr().println(Style.of(command).bad(message(exception)));
          if (!UnmatchedArgumentException.printSuggestions(exception, command.getErr())) {
            err.trusting(
                () -> {
                  command.usage(command.getErr());
                  return USAGE;
                });
          }
          return USAGE;
        });
    commands.setExecutionStrategy(
        parsed -> {
          Integer help = out.trusting(() -> CommandLine.executeHelpRequest(parsed));
          return help == null ? new CommandLine.RunLast().execute(parsed) : help;
        });
    return commands;
  }

  @Override
  public void run() {
    CommandLine own = Objects.requireNonNull(spec).commandLine();
    throw new ParameterException(own, "expected a command, but got none");
  }

  private static String message(Throwable exception) {
    String message = exception.getMessage();
    return message == null ? exception.toString() : message;
  }

  /** Prints a line of progress, where it does not get into what is piped on. */
  static void progress(PrintWriter err, String line) {
    if (Terminal.isThere()) {
      err.print(TerminalWriter.ERASED + line);
    } else {
      err.println(line);
    }
    err.flush();
  }

  /** Removes the line of progress. */
  static void endProgress(PrintWriter err) {
    if (Terminal.isThere()) {
      err.print(TerminalWriter.ERASED);
      err.flush();
    }
  }

  /** The version in the jar, and the Java it runs on. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      @Nullable String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {
        "headrace " + (version == null ? "(not packaged)" : version),
        "Java " + Runtime.version() + ", " + System.getProperty("java.vm.name")
      };
    }
  }
}
