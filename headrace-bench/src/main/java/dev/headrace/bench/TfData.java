package dev.headrace.bench;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

  private final PeerProcess process;

  private TfData(PeerProcess process) {
    this.process = process;
  }

  /**
   * Starts the peer.
   *
   * @param python the interpreter; null for the variable HEADRACE_PYTHON, then {@code python3}
   * @throws PeerUnavailable where there is no Python, no TensorFlow or no program
   */
  public static TfData start(@Nullable String python) throws PeerUnavailable {
    try {
      return new TfData(PeerProcess.start(PROGRAM, python));
    } catch (PeerProcess.Unavailable e) {
      throw new PeerUnavailable("tfdata", e);
    }
  }

  /** Another process of the same kind, for what needs a fresh one. */
  TfData another() throws PeerUnavailable {
    return start(process.python());
  }

  /** What it is called in a report. */
  String name(Mode mode) {
    return "tf.data " + process.version() + " (" + mode.words + ")";
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
    return PeerProcess.number(process.ask(with(request, mode, elements)), "addedBytes");
  }

  /**
   * What a batch of a pipeline of {@code autotune.py} takes, with every number left to AUTOTUNE.
   *
   * @param seconds how long it is measured, after its first 5 s or 200 batches
   */
  double autotunedMsPerBatch(Map<String, @Nullable Object> pipeline, double seconds) {
    Map<String, @Nullable Object> request = new LinkedHashMap<>();
    request.put("autotune", pipeline);
    request.put("seconds", seconds);
    Map<String, @Nullable Object> answer = process.ask(request);
    return PeerProcess.number(answer, "wallNs") / 1e6 / PeerProcess.number(answer, "batches");
  }

  /** What such a pipeline adds to the memory of a fresh process at its peak. */
  double autotunedBytes(Map<String, @Nullable Object> pipeline, double seconds) {
    Map<String, @Nullable Object> request = new LinkedHashMap<>();
    request.put("autotune", pipeline);
    request.put("seconds", seconds);
    request.put("memory", true);
    return PeerProcess.number(process.ask(request), "addedBytes");
  }

  private Spent ask(Map<String, @Nullable Object> request, Mode mode, long elements) {
    return process.measure(with(request, mode, elements), elements);
  }

  private static Map<String, @Nullable Object> with(
      Map<String, @Nullable Object> request, Mode mode, long elements) {
    request.put("mode", mode.name().toLowerCase(Locale.ROOT));
    request.put("elements", elements);
    return request;
  }

  @Override
  public void close() {
    process.close();
  }
}
