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
 * @param elapsedNs since the first element was asked for
 * @param waitNs of it, the consumer spent inside the pipeline
 * @param memoryPeakBytes the most that there was on the heap and off it at once
 */
public record PipelineStats(
    long epoch,
    long elements,
    long failures,
    long elapsedNs,
    long waitNs,
    long heapBytes,
    long heapPeakBytes,
    long nativeBytes,
    long nativePeakBytes,
    long memoryPeakBytes,
    List<OpStats> operators,
    List<KnobChange> knobChanges) {

  /** The share of its time that the consumer spent waiting for the pipeline. */
  public double waitShare() {
    return elapsedNs == 0 ? 0 : Math.min(1, (double) waitNs / elapsedNs);
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
            elapsedNs / 1e9,
            elapsedNs == 0 ? 0 : elements * 1e9 / elapsedNs,
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
