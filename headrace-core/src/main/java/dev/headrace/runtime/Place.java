package dev.headrace.runtime;

import dev.headrace.profile.OpStats;
import dev.headrace.profile.Snapshot;
import dev.headrace.spi.Meter;
import dev.headrace.spi.Op;
import dev.headrace.spi.SpillMeter;
import dev.headrace.spi.TransferMeter;
import dev.headrace.tune.Tuned;
import java.nio.file.Path;
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

  WatchBelow.Counts counts() {
    WorkerCrew running = crew;
    CrewMeter.Totals done = crewMeter.totals();
    return new WatchBelow.Counts(
        meter.elements(),
        meter.timedElements(),
        meter.timedNs(),
        done.workElements(),
        done.workNs(),
        done.waitNs(),
        onlyPulls,
        running != null && running.isOwnedByStage() && !running.isInline());
  }

  Snapshot.Op counters(boolean withLatest) {
    WorkerCrew running = crew;
    Stage buffer = stage;
    return new Snapshot.Op(
        key,
        meter.elements(),
        meter.failures(),
        meter.timedElements(),
        meter.timedNs(),
        meter.timedWaitNs(),
        new Snapshot.Sampled(meter.cpuOfTimed().wallNs(), meter.cpuOfTimed().cpuNs()),
        meter.laterNs(),
        new Snapshot.Sampled(meter.cpuOfLater().wallNs(), meter.cpuOfLater().cpuNs()),
        meter.sizedElements(),
        meter.sizedBytes(),
        meter.bytesP99(),
        running == null || running.isInline()
            ? null
            : crewMeter.read(
                running.workerCount(),
                running.isTuned(),
                onlyPulls,
                running.isOwnedByStage(),
                running.cpuShare(),
                buffer == null ? 0 : buffer.buffered(),
                buffer == null ? 0 : buffer.capacity(),
                buffer != null && buffer.isCapacityTuned(),
                withLatest),
        transfer());
  }

  private Snapshot.@Nullable Transfer transfer() {
    String device = transfers.device();
    return device == null
        ? null
        : new Snapshot.Transfer(
            device,
            transfers.deviceCount(),
            transfers.isPinned(),
            transfers.copies(),
            transfers.bytes(),
            transfers.copyNs(),
            transfers.computeNs(),
            transfers.stagedNs(),
            transfers.waitNs(),
            transfers.stepNs(),
            transfers.steps(),
            transfers.roomWaitNs(),
            transfers.deviceBytes(),
            transfers.deviceLimitBytes(),
            transfers.isShortOfRoom());
  }

  OpStats stats() {
    Stage running = stage;
    StageCounters counters = running == null ? null : running.counters();
    return new OpStats(
        op.word(),
        path,
        depth,
        meter.elements(),
        meter.failures(),
        meter.totalNs(),
        counters == null
            ? null
            : new OpStats.StageStats(
                counters.workers(),
                counters.targetWorkers(),
                counters.cpuShare(),
                counters.workElements(),
                counters.workNs(),
                counters.buffered(),
                counters.highestBuffered(),
                counters.capacity(),
                counters.waits(),
                counters.waitNs()),
        transferStats(),
        spillStats());
  }

  private OpStats.@Nullable SpillStats spillStats() {
    Path folder = spills.folder();
    return folder == null
        ? null
        : new OpStats.SpillStats(
            folder.toString(),
            spills.bytes(),
            spills.peakBytes(),
            spills.writtenBytes(),
            spills.readBytes());
  }

  private OpStats.@Nullable TransferStats transferStats() {
    String device = transfers.device();
    return device == null
        ? null
        : new OpStats.TransferStats(
            device,
            transfers.isPinned(),
            transfers.bytes(),
            transfers.copies(),
            transfers.copyNs(),
            transfers.computeNs(),
            transfers.stagedNs(),
            transfers.waitNs(),
            transfers.stepNs(),
            transfers.roomWaitNs(),
            transfers.deviceBytes(),
            transfers.deviceLimitBytes());
  }
}
