package dev.headrace.runtime;

import dev.headrace.profile.OpStats;
import dev.headrace.spi.Meter;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpCounters;
import dev.headrace.spi.SpillMeter;
import dev.headrace.spi.TransferMeter;
import dev.headrace.tune.Tuned;
import org.jspecify.annotations.Nullable;

/**
 * One operator of the plan: where its cursors count, in all passes.
 *
 * <p><b>Threading:</b> safe; each counter is written as its meter says.
 */
final class Place {
  final String key;
  final Op op;
  final String path;
  final int depth;
  final Meter meter = new Meter();
  final CrewMeter crewMeter = new CrewMeter();
  volatile @Nullable WorkerCrew crew;
  volatile Tuned tuned = Tuned.UNKNOWN;
  final TransferMeter transfers = new TransferMeter();
  final SpillMeter spills = new SpillMeter();
  volatile @Nullable Stage stage;

  /** Whether its workers only pull its input, whose operators count what they do themselves. */
  volatile boolean onlyPulls;

  volatile @Nullable String remark;

  Place(String key, Op op, String path, int depth) {
    this.key = key;
    this.op = op;
    this.path = path;
    this.depth = depth;
  }

  /**
   * Everything that is counted here.
   *
   * @param withLatest whether single times belong to it, which are many
   */
  OpCounters counters(boolean withLatest) {
    WorkerCrew running = crew;
    Stage buffer = stage;
    return new OpCounters(
        meter.read(),
        crewMeter.read(
            running == null || running.isInline() ? null : running.threads(),
            onlyPulls,
            withLatest),
        buffer == null ? null : buffer.counters(),
        transfers.read(),
        spills.read());
  }

  OpStats stats() {
    return new OpStats(op.word(), path, depth, counters(false));
  }
}
