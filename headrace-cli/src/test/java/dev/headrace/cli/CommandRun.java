package dev.headrace.cli;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine;

/** Runs commands on a user's sources, and keeps what they print. */
final class CommandRun {
  private final Path folder;
  private StringWriter out = new StringWriter();
  private StringWriter err = new StringWriter();

  CommandRun(Path folder) {
    this.folder = folder;
  }

  /** Writes a source file. */
  String source(String name, String text) {
    try {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      return Files.writeString(file, text).toString();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Runs a command; its exit code. */
  int run(String... args) {
    out = new StringWriter();
    err = new StringWriter();
    CommandLine command = Main.commandLine(out, err);
    command.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
    return command.execute(args);
  }

  /** What the last command printed. */
  String out() {
    return out.toString();
  }

  /** What it said beside. */
  String err() {
    return err.toString();
  }

  /** What it printed, read as one JSON object. */
  Map<String, Object> json() {
    return JsonObject.read(out());
  }
}
