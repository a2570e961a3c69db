package dev.headrace.bench;

import dev.headrace.data.Plural;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PyTorch's DataLoader in a Python process of its own.
 *
 * <p><b>Ownership:</b> the process ends when this is closed.
 */
public final class Torch implements AutoCloseable {
  private static final Path PROGRAM = Path.of("peers", "torch", "jpeg.py");

  private final PeerProcess process;

  private Torch(PeerProcess process) {
    this.process = process;
  }

  /**
   * Starts the peer.
   *
   * @param python the interpreter; null for the variable HEADRACE_PYTHON, then {@code python3}
   * @throws PeerUnavailable where there is no Python, no PyTorch or no program
   */
  public static Torch start(@Nullable String python) throws PeerUnavailable {
    try {
      return new Torch(PeerProcess.start(PROGRAM, python));
    } catch (PeerProcess.Unavailable e) {
      throw new PeerUnavailable("torch", e);
    }
  }

  /** What it is called in a report. */
  String name(int workers) {
    return "torch %s DataLoader, %d %s"
        .formatted(process.version(), workers, Plural.word(workers, "worker"));
  }

  /** What one photograph of the folder takes. */
  Spent measure(Path folder, int workers, long elements) {
    Map<String, @Nullable Object> request = new LinkedHashMap<>();
    request.put("path", folder.toString());
    request.put("elements", elements);
    request.put("workers", workers);
    return process.measure(request, elements);
  }

  /** The interpreter that it runs on. */
  String python() {
    return process.python();
  }

  @Override
  public void close() {
    process.close();
  }
}
