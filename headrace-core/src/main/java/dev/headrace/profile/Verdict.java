package dev.headrace.profile;

import java.util.List;

/**
 * What limits a pipeline.
 *
 * @param operator the index of the operator it is about, −1 where it is about none
 * @param where that operator with its line, the consumer, the collector …
 * @param sentence the verdict in plain words
 * @param evidence the numbers under it, a line each
 * @param waitShare of its time the consumer waited
 * @param utilisation MLPerf's accelerator utilisation: the time of the steps over all time
 */
public record Verdict(
    Kind kind,
    int operator,
    String where,
    String sentence,
    List<String> evidence,
    double waitShare,
    double utilisation) {

  public Verdict {
    evidence = List.copyOf(evidence);
  }

  /** What a pipeline can be limited by. */
  public enum Kind {
    /** The training step itself: the pipeline keeps up. */
    CONSUMER_BOUND("the training step is the limit"),
    /** An operator that computes on all the cores it can get. */
    INPUT_BOUND("an operator of the pipeline is the limit"),
    /** An operator that runs on one thread while cores are idle. */
    SERIAL_BOUND("an operator runs one element after another"),
    /** Reading: a disk, many small files, a network. */
    SOURCE_BOUND("reading is the limit"),
    /** Copying to the device. */
    TRANSFER_BOUND("copying to the device is the limit"),
    /** Garbage collection, or memory that is too small for what is kept in it. */
    MEMORY_BOUND("memory is the limit"),
    /** A buffer too small for times that vary. */
    BUFFER_BOUND("a buffer is too small for times that vary"),
    /** The memory of the device. */
    DEVICE_MEMORY_BOUND("the device's memory is the limit"),
    /** Opening and the first element took longer than all the rest. */
    STARTUP_BOUND("starting takes longest"),
    /** Step and pipeline take about the same time. */
    BALANCED("step and pipeline are in balance");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    /** The kind in a few words. */
    public String words() {
      return words;
    }
  }
}
