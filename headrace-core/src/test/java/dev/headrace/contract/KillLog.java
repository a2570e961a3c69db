package dev.headrace.contract;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a program that may be killed at any moment leaves behind: a log of what it was given, and
 * now and then a checkpoint together with how much of the log belongs to it, in one file.
 */
final class KillLog {
  private final Path log;
  private final Path saved;
  private final @Nullable Checkpoint checkpoint;
  private final List<String> before = new ArrayList<>();
  private int lines;

  /** Cuts the log back to the last checkpoint, if there is one. */
  KillLog(Path folder) throws IOException {
    log = folder.resolve("log");
    saved = folder.resolve("saved");
    if (Files.exists(saved)) {
      String text = Files.readString(saved);
      int lineEnd = text.indexOf('\n');
      checkpoint = Checkpoint.parse(text.substring(lineEnd + 1));
      before.addAll(
          Files.readAllLines(log).subList(0, Integer.parseInt(text.substring(0, lineEnd))));
    } else {
      checkpoint = null;
    }
    lines = before.size();
    StringBuilder text = new StringBuilder();
    before.forEach(line -> text.append(line).append('\n'));
    replace(log, text.toString());
  }

  /** What was logged up to the checkpoint. */
  List<String> before() {
    return before;
  }

  <T> Pipeline<T> open(Dataset<T> dataset) {
    return checkpoint == null ? dataset.open() : dataset.open(checkpoint);
  }

  /** Logs a line; how many there are now. */
  int append(String line) throws IOException {
    Files.writeString(log, line + "\n", StandardOpenOption.APPEND);
    return ++lines;
  }

  void save(Pipeline<?> pipeline) throws IOException {
    replace(saved, lines + "\n" + pipeline.checkpoint());
  }

  /** Gives a file other contents, so that whoever is killed leaves the old or the new ones. */
  private static void replace(Path file, String text) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    Files.writeString(temporary, text);
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
