package dev.headrace.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One chain of tf.data in one mode, with a length that takes long enough to be timed. */
final class MeasuredPeer {
  private static final double TARGET_NS = 120e6;

  private final TfData tfData;
  private final List<String> chain;
  private final @Nullable Case subject;
  private final TfData.Mode mode;
  private final long elements;
  private final List<Spent> runs = new ArrayList<>();

  MeasuredPeer(TfData tfData, TfData.Mode mode, String... chain) {
    this.tfData = tfData;
    this.mode = mode;
    this.chain = List.of(chain);
    this.subject = null;
    this.elements = fittingElements(1 << 20);
  }

  private MeasuredPeer(TfData tfData, TfData.Mode mode, Case subject, long most) {
    this.tfData = tfData;
    this.mode = mode;
    this.chain = List.of();
    this.subject = subject;
    this.elements = fittingElements(most);
  }

  /** A case of {@code operators.py}, over at most {@code most} elements. */
  static MeasuredPeer ofCase(TfData tfData, TfData.Mode mode, String name, Path folder, long most) {
    return new MeasuredPeer(tfData, mode, new Case(name, folder), most);
  }

  private record Case(String name, Path folder) {}

  private long fittingElements(long most) {
    long fitting = (long) (TARGET_NS / measured(2048).wallNs());
    return Math.clamp(fitting, 1024, most);
  }

  private Spent measured(long count) {
    return subject == null
        ? tfData.measure(chain, mode, count)
        : tfData.measureCase(subject.name, subject.folder, mode, count);
  }

  /** Measures once more and returns what one element took. */
  Spent measure() {
    Spent spent = measured(elements);
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
