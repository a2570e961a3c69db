package dev.headrace.cli;

import java.io.Console;

/** Whether a person is looking. */
final class Terminal {
  private Terminal() {}

  /** Whether standard input and output are a terminal, so that lines may be overwritten. */
  static boolean isThere() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /** Whether to use colours: on a terminal, unless NO_COLOR says otherwise. */
  static boolean hasColours() {
    return isThere() && System.getenv("NO_COLOR") == null;
  }
}
