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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * tf.data in a Python process of its own, asked for one measurement at a time.
 *
 * <p><b>Ownership:</b> the process ends when this is closed.
 */
public final class TfData implements AutoCloseable {
  private static final Path PROGRAM = Path.of("peers", "tfdata", "overhead.py");

  /** How a tf.data pipeline is written; see {@code peers/tfdata/README.md}. */
  enum Mode {
    DEFAULT("default"),
    TUNED("tuned by hand"),
    AUTOTUNE("AUTOTUNE");

    final String words;

    Mode(String words) {
      this.words = words;
    }
  }

  private final String python;
  private final Process process;
  private final BufferedWriter requests;
  private final BufferedReader answers;
  private final String version;

  private TfData(Process process, String python) throws Unavailable {
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
   * Starts the peer.
   *
   * @param python the interpreter; null for the variable HEADRACE_PYTHON, then {@code python3}
   * @throws Unavailable where there is no Python, no TensorFlow or no program
   */
  public static TfData start(@Nullable String python) throws Unavailable {
    String interpreter = python != null ? python : System.getenv("HEADRACE_PYTHON");
    if (interpreter == null) {
      interpreter = "python3";
    }
    Path program = findProgram();
    if (program == null) {
      throw new Unavailable(
          PROGRAM + " was found neither above this program nor above the current folder");
    }
    try {
      Process process =
          new ProcessBuilder(interpreter, program.toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      return new TfData(process, interpreter);
    } catch (IOException e) {
      throw new Unavailable(String.valueOf(e.getMessage()));
    }
  }

  /** Another process of the same kind, for what needs a fresh one. */
  TfData another() throws Unavailable {
    return start(python);
  }

  private static @Nullable Path findProgram() {
    CodeSource source = TfData.class.getProtectionDomain().getCodeSource();
    if (source != null) {
      try {
        Path found = findAbove(Path.of(source.getLocation().toURI()));
        if (found != null) {
          return found;
        }
      } catch (URISyntaxException | IllegalArgumentException e) {
        return findAbove(Path.of(""));
      }
    }
    return findAbove(Path.of(""));
  }

  private static @Nullable Path findAbove(Path start) {
    for (Path folder = start.toAbsolutePath(); folder != null; folder = folder.getParent()) {
      Path program = folder.resolve(PROGRAM);
      if (Files.isRegularFile(program)) {
        return program;
      }
    }
    return null;
  }

  /** What it is called in a report. */
  String name(Mode mode) {
    return "tf.data " + version + " (" + mode.words + ")";
  }

  /** What one element of a chain over {@code range(elements)} takes. */
  Spent measure(List<String> chain, Mode mode, long elements) {
    Map<String, @Nullable Object> request = new LinkedHashMap<>();
    request.put("chain", chain);
    return ask(request, mode, elements);
  }

  /** What one element takes in a case of {@code operators.py}. */
  Spent measureCase(String name, Path folder, Mode mode, long elements) {
    Map<String, @Nullable Object> request = new LinkedHashMap<>();
    request.put("case", name);
    request.put("path", folder.toString());
    return ask(request, mode, elements);
  }

  /** What running a case once adds to the memory of a fresh process at its peak. */
  double addedBytes(String name, Path folder, Mode mode, long elements) {
    Map<String, @Nullable Object> request = new LinkedHashMap<>();
    request.put("case", name);
    request.put("path", folder.toString());
    request.put("memory", true);
    return number(asked(request, mode, elements), "addedBytes");
  }

  private Spent ask(Map<String, @Nullable Object> request, Mode mode, long elements) {
    Map<String, @Nullable Object> answer = asked(request, mode, elements);
    return new Spent(number(answer, "cpuNs"), number(answer, "wallNs")).each(elements);
  }

  private Map<String, @Nullable Object> asked(
      Map<String, @Nullable Object> request, Mode mode, long elements) {
    request.put("mode", mode.name().toLowerCase(Locale.ROOT));
    request.put("elements", elements);
    try {
      requests.write(Json.write(request));
      requests.newLine();
      requests.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("tf.data: the process has ended", e);
    }
    return answer();
  }

  private Map<String, @Nullable Object> answer() {
    try {
      String line = answers.readLine();
      if (line == null) {
        throw new IllegalStateException("the process ended without an answer");
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

  private static Object field(Map<String, @Nullable Object> answer, String name) {
    Object value = answer.get(name);
    if (value == null) {
      throw new IllegalStateException("expected '" + name + "' in the answer, but got " + answer);
    }
    return value;
  }

  private static double number(Map<String, @Nullable Object> answer, String name) {
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
  public static final class Unavailable extends Exception {
    private static final long serialVersionUID = 1;

    Unavailable(String why) {
      super("peer tfdata not available: " + why + "; rows show no peer");
    }
  }
}
