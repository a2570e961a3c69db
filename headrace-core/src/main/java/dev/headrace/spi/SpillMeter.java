package dev.headrace.spi;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * How much of what an operator holds is on disk, in all passes.
 *
 * <p><b>Threading:</b> safe.
 */
public final class SpillMeter {
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong peak = new AtomicLong();
  private final LongAdder written = new LongAdder();
  private final LongAdder read = new LongAdder();
  private volatile @Nullable Path folder;

  void writes(long recordBytes, long placeBytes, Path itsFolder) {
    folder = itsFolder;
    written.add(recordBytes);
    long now = bytes.addAndGet(placeBytes);
    if (now > peak.get()) {
      peak.accumulateAndGet(now, Math::max);
    }
  }

  void reads(long recordBytes) {
    read.add(recordBytes);
  }

  void frees(long placeBytes) {
    bytes.addAndGet(-placeBytes);
  }

  /** What was counted so far; null before anything was written. */
  public OpCounters.@Nullable Spill read() {
    Path path = folder;
    return path == null
        ? null
        : new OpCounters.Spill(path.toString(), bytes.get(), peak.get(), written.sum(), read.sum());
  }
}
