package dev.headrace.op;

import dev.headrace.data.Log;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files that a source has mapped into memory. They stay mapped for later passes, which then
 * find them without a page fault.
 *
 * <p>Mapping is best while files stay in the machine's memory and worst when they do not, so what a
 * source maps is bounded by half of that memory; other files are read. The system property {@code
 * headrace.mmap} set to {@code false} has all of them read, set to {@code true} all of them mapped.
 *
 * <p><b>Threading:</b> safe.
 *
 * <p><b>Ownership:</b> memory is unmapped by the garbage collector, when neither this nor a record
 * needs it any more.
 */
final class MappedFiles {
  static final String PROPERTY = "headrace.mmap";

  /** Files below are read at once: a process can have only so many mappings. */
  private static final long LEAST_BYTES = 64 * 1024;

  private static final long MOST_BYTES = memoryBytes() / 2;

  private final Map<Path, Mapped> mapped = new HashMap<>();
  private long bytes;

  private record Mapped(MemorySegment memory, long size, FileTime modified) {}

  /** The bytes of a file, or null where it should be read instead. */
  synchronized @Nullable MemorySegment map(Path path) throws IOException {
    String wish = System.getProperty(PROPERTY, "auto");
    if (wish.equals("false")
        || path.getFileSystem() != FileSystems.getDefault()
        || !Files.isRegularFile(path)) {
      return null; // a file that is not there is said when it is read
    }
    long size = Files.size(path);
    FileTime modified = Files.getLastModifiedTime(path);
    Mapped known = mapped.get(path);
    if (known != null && known.size == size && known.modified.equals(modified)) {
      return known.memory;
    }
    boolean pays = size >= LEAST_BYTES && bytes + size <= MOST_BYTES;
    if (!(wish.equals("true") ? size > 0 : pays)) {
      return null;
    }
    MemorySegment memory;
    try (FileChannel channel = FileChannel.open(path)) {
      memory = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, Arena.ofAuto());
    } catch (IOException | OutOfMemoryError e) {
      // No address space, or a file system that cannot; a file that is not there fails again.
      Log.named("headrace.tfRecords")
          .log(Level.DEBUG, "{0}: is read, because it cannot be mapped: {1}", path, e);
      return null;
    }
    bytes += size - (known == null ? 0 : known.size);
    mapped.put(path, new Mapped(memory, size, modified));
    return memory;
  }

  private static long memoryBytes() {
    try {
      if (ManagementFactory.getOperatingSystemMXBean()
          instanceof com.sun.management.OperatingSystemMXBean machine) {
        return machine.getTotalMemorySize();
      }
    } catch (LinkageError e) {
      return Runtime.getRuntime().maxMemory(); // a runtime image without management
    }
    return Runtime.getRuntime().maxMemory();
  }
}
