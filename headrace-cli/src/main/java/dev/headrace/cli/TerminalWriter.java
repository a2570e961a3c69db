package dev.headrace.cli;

import dev.headrace.data.VisibleText;
import java.io.IOException;
import java.io.Writer;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where commands print: names and messages from outside reach the terminal as {@link VisibleText},
 * so that they cannot color, erase or retype anything.
 *
 * <p><b>Threading:</b> any thread. <b>Ownership:</b> closing closes what it writes to.
 */
final class TerminalWriter extends Writer {
  /**
   * What the command itself begins a sequence with. The rest of it cannot be guessed, so no text
   * from outside can hold one.
   */
  static final String ESCAPE =
      "\u001b" + HexFormat.of().toHexDigits(new SplittableRandom().nextLong());

  /** Takes away the line on which the cursor is. */
  static final String ERASED = ESCAPE + "[2K" + ESCAPE + "[G";

  private final Writer out;
  private volatile @Nullable Thread trusted;

  TerminalWriter(Writer out) {
    this.out = out;
  }

  /** Runs what prints no text from outside, and has sequences that are not from here. */
  <T extends @Nullable Object> T trusting(Supplier<T> printing) {
    trusted = Thread.currentThread();
    try {
      return printing.get();
    } finally {
      trusted = null;
    }
  }

  @Override
  public void write(char[] from, int at, int length) throws IOException {
    write(new String(from, at, length));
  }

  @Override
  public void write(String text, int at, int length) throws IOException {
    write(text.substring(at, at + length));
  }

  @Override
  public void write(String text) throws IOException {
    out.write(trusted == Thread.currentThread() ? text : visible(text));
  }

  private static String visible(String text) {
    int escape = text.indexOf(ESCAPE);
    if (escape < 0) {
      return fromOutside(text);
    }
    return fromOutside(text.substring(0, escape))
        + '\u001b'
        + visible(text.substring(escape + ESCAPE.length()));
  }

  /** Where lines end with two characters, both stay. */
  private static String fromOutside(String text) {
    String end = System.lineSeparator();
    return VisibleText.of(text.replace(end, "\n")).replace("\n", end);
  }

  @Override
  public void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
