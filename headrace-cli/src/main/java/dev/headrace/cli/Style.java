package dev.headrace.cli;

import picocli.CommandLine;

/** Words that stand out, where colours are wanted. */
record Style(boolean hasColours) {
  /** The style of a command's output. */
  static Style of(CommandLine command) {
    return new Style(command.getColorScheme().ansi().enabled());
  }

  String bold(String text) {
    return coded("1", text);
  }

  String good(String text) {
    return coded("1;32", text);
  }

  String bad(String text) {
    return coded("1;31", text);
  }

  String doubtful(String text) {
    return coded("1;33", text);
  }

  private String coded(String code, String text) {
    return hasColours
        ? TerminalWriter.ESCAPE + "[" + code + "m" + text + TerminalWriter.ESCAPE + "[0m"
        : text;
  }
}
