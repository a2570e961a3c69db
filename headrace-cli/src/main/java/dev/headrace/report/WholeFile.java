package dev.headrace.report;

import dev.headrace.data.PartialFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes a text so that its file is never seen half written. */
final class WholeFile {
  private WholeFile() {}

  static void write(Path file, String text) throws IOException {
    Path target = file.toAbsolutePath();
    Path folder = target.getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Path partial = PartialFile.createBeside(target);
    try {
      // Not writeString: it refuses half a pair, which names from outside may hold.
      Files.write(partial, text.getBytes(StandardCharsets.UTF_8));
      try {
        Files.move(
            partial, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } catch (AtomicMoveNotSupportedException e) {
        Files.move(partial, target, StandardCopyOption.REPLACE_EXISTING);
      }
    } finally {
      Files.deleteIfExists(partial);
    }
  }
}
