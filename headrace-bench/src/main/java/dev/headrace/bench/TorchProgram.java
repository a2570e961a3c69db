package dev.headrace.bench;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * PyTorch on a GPU, in a Python process of its own; or nothing, where it was not asked for or is
 * not there.
 *
 * <p><b>Ownership:</b> the process ends when this is closed.
 */
final class TorchProgram implements AutoCloseable {
  private static final Path FOLDER = Path.of("peers", "torch");

  private final Path program;
  private final List<String> notes;
  private @Nullable PeerProcess process;

  private TorchProgram(Path program, List<String> notes, @Nullable PeerProcess process) {
    this.program = program;
    this.notes = notes;
    this.process = process;
  }

  /**
   * Starts a program, where PyTorch was asked for.
   *
   * @param notes told why it is not there, or was started again
   */
  static TorchProgram start(Setup setup, String program, List<String> notes) {
    Path file = FOLDER.resolve(program);
    Torch torch = setup.torch();
    if (torch == null) {
      notes.add(program + ": PyTorch was not measured: ask for it with --peer torch.");
      return new TorchProgram(file, notes, null);
    }
    try {
      return new TorchProgram(file, notes, PeerProcess.start(file, torch.python()));
    } catch (PeerProcess.Unavailable e) {
      notes.add("%s: PyTorch was not measured: %s".formatted(program, e.getMessage()));
      return new TorchProgram(file, notes, null);
    }
  }

  boolean isThere() {
    return process != null;
  }

  private PeerProcess process() {
    return Objects.requireNonNull(process, "expected a peer that is there");
  }

  /** Asks; a process that ended meanwhile, as PyTorch's do at times, is started once more. */
  private Map<String, @Nullable Object> ask(Map<String, @Nullable Object> request) {
    PeerProcess asked = process();
    try {
      return asked.ask(request);
    } catch (IllegalStateException | UncheckedIOException e) {
      asked.close();
      notes.add(
          "%s: started once more, because of: %s".formatted(program.getFileName(), e.getMessage()));
      try {
        process = PeerProcess.start(program, asked.python());
      } catch (PeerProcess.Unavailable gone) {
        e.addSuppressed(gone);
        throw e;
      }
      return process().ask(request);
    }
  }

  /** What it is called in a report. */
  String name(String form, Object... arguments) {
    return "torch " + process().version() + " " + form.formatted(arguments);
  }

  /** What a step takes, on a batch that lies on the device and on batches of a DataLoader. */
  record Steps(double aloneMs, double withMs) {}

  /** {@code device.py}. */
  Steps steps(long bytes, double stepNs, int batches, int workers, boolean ownStream) {
    Map<String, @Nullable Object> request = new LinkedHashMap<>();
    request.put("bytes", bytes);
    request.put("stepNs", stepNs);
    request.put("batches", batches);
    request.put("workers", workers);
    request.put("ownStream", ownStream);
    Map<String, @Nullable Object> answer = ask(request);
    return new Steps(
        PeerProcess.number(answer, "aloneNs") / 1e6, PeerProcess.number(answer, "withNs") / 1e6);
  }

  /** {@code jpegs.py}: photographs a second, ready to be trained on. */
  double imagesPerSecond(
      Path folder, int batch, int batches, int workers, String mode, boolean half) {
    Map<String, @Nullable Object> request = new LinkedHashMap<>();
    request.put("path", folder.toString());
    request.put("batch", batch);
    request.put("batches", batches);
    request.put("workers", workers);
    request.put("mode", mode);
    request.put("half", half);
    double wallNs = PeerProcess.number(ask(request), "wallNs");
    return (double) batch * batches / (wallNs / 1e9);
  }

  @Override
  public void close() {
    if (process != null) {
      process.close();
    }
  }
}
