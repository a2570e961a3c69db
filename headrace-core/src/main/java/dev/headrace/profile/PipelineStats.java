package dev.headrace.profile;

import dev.headrace.data.Plural;
import dev.headrace.spi.OpCounters;
import java.util.List;
import java.util.Locale;

/**
 * What a pipeline has done so far.
 *
 * @param epoch the pass it is in, from 0
 * @param elements delivered to the consumer, and {@code failures} thrown at it
 */
public record PipelineStats(
    long epoch,
    long elements,
    long failures,
    Time time,
    Memory memory,
    List<OpStats> operators,
    List<KnobChange> knobChanges) {

  /**
   * The time of the consumer.
   *
   * @param elapsedNs since the first element was asked for
   * @param waitNs of it, inside the pipeline
   */
  public record Time(long elapsedNs, long waitNs) {}

  /**
   * What elements take, on the heap and off it.
   *
   * @param peakBytes the most that there was of both at once
   */
  public record Memory(
      long heapBytes, long heapPeakBytes, long nativeBytes, long nativePeakBytes, long peakBytes) {}

  /** The share of its time that the consumer spent waiting for the pipeline. */
  public double waitShare() {
    return time.elapsedNs == 0 ? 0 : Math.min(1, (double) time.waitNs / time.elapsedNs);
  }

  /** Elements a second. */
  public double rate() {
    return time.elapsedNs == 0 ? 0 : elements * 1e9 / time.elapsedNs;
  }

  /** A table for people. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%s in %.2f s (%,.0f/s), %s; the consumer waited %.0f %% of the" + " time%n",
            Plural.of(elements, "element"),
            time.elapsedNs / 1e9,
            rate(),
            Plural.of(failures, "failure"),
            100 * waitShare()));
    for (OpStats op : operators) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s%s: %s, %,.0f ns each pulled",
              "  ".repeat(op.depth() + 1),
              op.path(),
              Plural.of(op.elements(), "element"),
              op.elements() == 0 ? 0 : (double) op.totalNs() / op.elements()));
      OpCounters.Stage stage = op.stage();
      if (stage != null) {
        text.append(
            String.format(
                Locale.ROOT,
                "; %s, %,.0f ns of work each, CPU share %.0f %%, buffer %d of %d, waited"
                    + " for %s",
                Plural.of(stage.workers(), "worker"),
                stage.work().each(),
                100 * stage.cpuShare(),
                stage.buffer().elements(),
                stage.buffer().capacity(),
                Plural.of(stage.waits().count(), "time")));
      }
      OpCounters.Spill spill = op.spill();
      if (spill != null) {
        text.append(
            String.format(
                Locale.ROOT,
                "; %s on disk, at most %s; %s written, %s read back",
                DiagnosisText.bytes(spill.bytes()),
                DiagnosisText.bytes(spill.peakBytes()),
                DiagnosisText.bytes(spill.writtenBytes()),
                DiagnosisText.bytes(spill.readBytes())));
      }
      text.append(System.lineSeparator());
    }
    return text.toString();
  }
}
