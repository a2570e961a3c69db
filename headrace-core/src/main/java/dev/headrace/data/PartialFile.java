package dev.headrace.data;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Files that are being written and take their name when they are whole. Until then they are hidden
 * beside it, and no pattern matches them.
 */
public final class PartialFile {
  private static final String SUFFIX = ".partial";
  private static final int ATTEMPTS = 100;

  private PartialFile() {}

  /** Makes an empty file beside {@code file}, which has the rights that a new file has there. */
  public static Path createBeside(Path file) throws IOException {
    for (int attempt = 1; ; attempt++) {
      String random = Long.toHexString(ThreadLocalRandom.current().nextLong());
      Path partial = file.resolveSibling("." + file.getFileName() + "." + random + SUFFIX);
      try {
        return Files.createFile(partial);
      } catch (FileAlreadyExistsException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** Whether a file of this name is one that is being written, or the lock of one. */
  public static boolean isPartial(String name) {
    String file = name.substring(name.lastIndexOf('/') + 1);
    return file.startsWith(".") && (file.endsWith(SUFFIX) || file.endsWith(SUFFIX + ".lock"));
  }
}
