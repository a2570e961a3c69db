package dev.headrace.op;

import dev.headrace.spi.Causes;
import dev.headrace.spi.Failure;
import dev.headrace.spi.FunctionIdentity;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A file of failures, a JSON object on a line each.
 *
 * <p>Lines are added, never lost: the last one is cut off only if it begins like a dead letter and
 * was not finished, because a process was killed while it wrote. A failure that is there already is
 * not written again. So a pipeline that is resumed from a checkpoint, and comes to the same
 * failures once more, leaves each of them there once.
 *
 * <p><b>Threading:</b> guarded by itself. <b>Ownership:</b> the pipeline closes it.
 */
final class DeadLetters implements Failure.AsidePlace, AutoCloseable {
  private static final String START = "{\"epoch\": ";
  private static final String STACK = ", \"stack\": ";

  /** Longer lines are not compared: a file of others may have no line breaks at all. */
  private static final int LONGEST_LINE = 1 << 24;

  private final Path path;
  private @Nullable FileOutputStream file;

  /** Hashes of the lines of earlier runs, without their stacks; sorted. */
  private long[] known = {};

  DeadLetters(Path path) {
    this.path = path;
  }

  @Override
  public synchronized void put(Failure failure, long epoch) throws IOException {
    String facts = factsOf(failure, epoch);
    try {
      FileOutputStream to = file == null ? open() : file;
      file = to;
      if (Arrays.binarySearch(known, hashOf(facts)) < 0) {
        String line = facts + STACK + quoted(stackOf(failure)) + "}\n";
        to.write(line.getBytes(StandardCharsets.UTF_8)); // at once: nothing is held back
      }
    } catch (IOException e) {
      throw new IOException(
          "dead letters: expected to write %s, but got %s".formatted(path.toAbsolutePath(), e), e);
    }
  }

  private FileOutputStream open() throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Tail tail = Files.exists(path) ? readKnown() : new Tail(0, "");
    if (tail.isDeadLetter()) {
      try (RandomAccessFile old = new RandomAccessFile(path.toFile(), "rw")) {
        old.setLength(tail.from); // a line that a killed process had begun
      }
    }
    FileOutputStream out = new FileOutputStream(path.toFile(), true);
    if (!tail.text.isEmpty() && !tail.isDeadLetter()) {
      out.write('\n'); // what is not ours stays, on a line of its own
    }
    return out;
  }

  /** What follows the last whole line, and where it begins. */
  private record Tail(long from, String text) {
    boolean isDeadLetter() {
      return text.startsWith(START);
    }
  }

  /** Reads the lines of earlier runs. */
  private Tail readKnown() throws IOException {
    long[] hashes = new long[16];
    int count = 0;
    long read = 0;
    long end = 0;
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try (InputStream in = new BufferedInputStream(Files.newInputStream(path))) {
      for (int next = in.read(); next >= 0; next = in.read()) {
        read++;
        if (next != '\n') {
          if (line.size() < LONGEST_LINE) {
            line.write(next);
          }
          continue;
        }
        hashes = count == hashes.length ? Arrays.copyOf(hashes, 2 * count) : hashes;
        hashes[count++] = hashOf(line.toString(StandardCharsets.UTF_8));
        line.reset();
        end = read;
      }
    }
    known = Arrays.copyOf(hashes, count);
    Arrays.sort(known);
    return new Tail(end, line.toString(StandardCharsets.UTF_8));
  }

  private static long hashOf(String line) {
    int stack = line.indexOf(STACK);
    return Long.parseUnsignedLong(
        FunctionIdentity.digest(stack < 0 ? line : line.substring(0, stack)), 16);
  }

  /** The line up to its stack, which may look different in another run. */
  private static String factsOf(Failure failure, long epoch) {
    return START
        + epoch
        + ", \"element\": "
        + (failure.id() == null ? "null" : quoted(failure.id().toString()))
        + ", \"path\": "
        + quoted(failure.path())
        + ", \"cause\": "
        + quoted(Causes.textOf(failure.cause()));
  }

  private static String stackOf(Failure failure) {
    StringWriter text = new StringWriter();
    failure.cause().printStackTrace(new PrintWriter(text));
    for (Throwable other : failure.others()) {
      text.append("and in the same place: ");
      other.printStackTrace(new PrintWriter(text));
    }
    return text.toString().strip();
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ' || Character.isSurrogate(c)) {
            out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    return out.append('"').toString();
  }

  @Override
  public synchronized void close() throws IOException {
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
