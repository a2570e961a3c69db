package dev.headrace.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * A line on standard error that says how far long work is: redrawn on a terminal, every ten seconds
 * a new one elsewhere. What a user's program prints meanwhile is kept apart from it.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Progress implements AutoCloseable {
  private static final long TERMINAL_NS = 200_000_000L;
  private static final long ELSEWHERE_NS = 10_000_000_000L;

  private final PrintWriter err;
  private final boolean isTerminal = Terminal.isThere();
  private long shownNs = System.nanoTime();
  private boolean isDrawn;
  private boolean isAtStartOfLine = true;

  Progress(PrintWriter err) {
    this.err = err;
  }

  /** Shows a line if it is time for one. */
  synchronized void show(Supplier<String> line) {
    long now = System.nanoTime();
    if (now - shownNs >= (isTerminal ? TERMINAL_NS : ELSEWHERE_NS) && isAtStartOfLine) {
      shownNs = now;
      err.print(
          isTerminal ? TerminalWriter.ERASED + line.get() : line.get() + System.lineSeparator());
      err.flush();
      isDrawn = isTerminal;
    }
  }

  /** Takes the line away. */
  synchronized void clear() {
    if (isDrawn) {
      err.print(TerminalWriter.ERASED);
      err.flush();
      isDrawn = false;
    }
  }

  /** A stream of a program, before whose output the line is taken away. */
  PrintStream beside(PrintStream stream) {
    OutputStream clearing =
        new FilterOutputStream(stream) {
          @Override
          public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
          }

          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            synchronized (Progress.this) {
              clear();
              out.write(bytes, from, length);
              isAtStartOfLine = length == 0 ? isAtStartOfLine : bytes[from + length - 1] == '\n';
            }
          }
        };
    return new PrintStream(clearing, true, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    clear();
  }
}
