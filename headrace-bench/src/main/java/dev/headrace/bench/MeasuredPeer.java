package dev.headrace.bench;

import java.util.ArrayList;
import java.util.List;

/** One chain of tf.data in one mode, with a length that takes long enough to be timed. */
final class MeasuredPeer {
  private static final double TARGET_NS = 120e6;

  private final TfData tfData;
  private final List<String> chain;
  private final TfData.Mode mode;
  private final long elements;
  private final List<Spent> runs = new ArrayList<>();

  MeasuredPeer(TfData tfData, TfData.Mode mode, String... chain) {
    this.tfData = tfData;
    this.mode = mode;
    this.chain = List.of(chain);
    double each = tfData.measure(this.chain, mode, 2048).wallNs();
    long fitting = (long) (TARGET_NS / each);
    this.elements = Math.clamp(fitting, 1024, 1 << 20);
  }

  /** Measures once more and returns what one element took. */
  Spent measure() {
    Spent spent = tfData.measure(chain, mode, elements);
    runs.add(spent);
    return spent;
  }

  Spent[] runs() {
    return runs.toArray(new Spent[0]);
  }

  TfData.Mode mode() {
    return mode;
  }

  double medianCpuNs() {
    return Interval.of(Spent.cpu(runs())).median();
  }

  String name() {
    return tfData.name(mode);
  }
}
