package dev.headrace.bench;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A peer in a Python process of its own, asked for one measurement at a time: a JSON object in a
 * line each way.
 *
 * <p><b>Ownership:</b> the process ends when this is closed.
 */
final class PeerProcess implements AutoCloseable {
  private final String python;
  private final Process process;
  private final BufferedWriter requests;
  private final BufferedReader answers;
  private final String version;

  private PeerProcess(Process process, String python) throws Unavailable {
    this.python = python;
    this.process = process;
    this.requests = process.outputWriter(StandardCharsets.UTF_8);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    try {
      this.version = String.valueOf(field(answer(), "version"));
    } catch (UncheckedIOException | IllegalStateException | IllegalArgumentException e) {
      close();
      throw new Unavailable(python + ": " + e.getMessage());
    }
  }

  /**
   * Starts a program of the folder {@code peers}.
   *
   * @param python the interpreter; null for the variable HEADRACE_PYTHON, then {@code python3}
   * @throws Unavailable where there is no Python, no library or no program
   */
  static PeerProcess start(Path program, @Nullable String python) throws Unavailable {
    String interpreter = python != null ? python : System.getenv("HEADRACE_PYTHON");
    if (interpreter == null) {
      interpreter = "python3";
    }
    Path found = find(program);
    if (found == null) {
      throw new Unavailable(
          program + " was found neither above this program nor above the current folder");
    }
    try {
      Process process =
          new ProcessBuilder(interpreter, found.toString()).redirectError(errors()).start();
      return new PeerProcess(process, interpreter);
    } catch (IOException e) {
      throw new Unavailable(String.valueOf(e.getMessage()));
    }
  }

  /** What the peer complains about goes to the file that HEADRACE_PEER_ERRORS names, or nowhere. */
  private static ProcessBuilder.Redirect errors() {
    String file = System.getenv("HEADRACE_PEER_ERRORS");
    return file == null
        ? ProcessBuilder.Redirect.DISCARD
        : ProcessBuilder.Redirect.appendTo(Path.of(file).toFile());
  }

  private static @Nullable Path find(Path program) {
    CodeSource source = PeerProcess.class.getProtectionDomain().getCodeSource();
    if (source != null) {
      try {
        Path found = findAbove(Path.of(source.getLocation().toURI()), program);
        if (found != null) {
          return found;
        }
      } catch (URISyntaxException | IllegalArgumentException e) {
        return findAbove(Path.of(""), program);
      }
    }
    return findAbove(Path.of(""), program);
  }

  private static @Nullable Path findAbove(Path start, Path program) {
    for (Path folder = start.toAbsolutePath(); folder != null; folder = folder.getParent()) {
      Path candidate = folder.resolve(program);
      if (Files.isRegularFile(candidate)) {
        return candidate;
      }
    }
    return null;
  }

  String python() {
    return python;
  }

  /** The version of the library it runs. */
  String version() {
    return version;
  }

  Map<String, @Nullable Object> ask(Map<String, @Nullable Object> request) {
    try {
      requests.write(Json.write(request));
      requests.newLine();
      requests.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("the peer's process has ended", e);
    }
    return answer();
  }

  /** A measurement that took {@code elements} elements. */
  Spent measure(Map<String, @Nullable Object> request, long elements) {
    Map<String, @Nullable Object> answer = ask(request);
    return new Spent(number(answer, "cpuNs"), number(answer, "wallNs")).each(elements);
  }

  private Map<String, @Nullable Object> answer() {
    try {
      String line = answers.readLine();
      if (line == null) {
        throw new IllegalStateException(
            "the process ended without an answer%s; set HEADRACE_PEER_ERRORS to a file to read why"
                .formatted(exit()));
      }
      Map<String, @Nullable Object> answer = Json.readObject(line);
      Object error = answer.get("error");
      if (error != null) {
        throw new IllegalStateException(error.toString());
      }
      return answer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How it ended, in words: 128 and more are signals. */
  private String exit() {
    try {
      return process.waitFor(2, TimeUnit.SECONDS) ? " (exit " + process.exitValue() + ")" : "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  private static Object field(Map<String, @Nullable Object> answer, String name) {
    Object value = answer.get(name);
    if (value == null) {
      throw new IllegalStateException("expected '" + name + "' in the answer, but got " + answer);
    }
    return value;
  }

  static double number(Map<String, @Nullable Object> answer, String name) {
    if (field(answer, name) instanceof Double number) {
      return number;
    }
    throw new IllegalStateException("expected a number '" + name + "', but got " + answer);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(2, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** The peer cannot be measured on this machine. */
  static final class Unavailable extends Exception {
    private static final long serialVersionUID = 1;

    Unavailable(String why) {
      super(why);
    }
  }
}
