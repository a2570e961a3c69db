package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Part A: how near {@code prefetchToDevice} comes to copying from pinned memory back to back.
 *
 * <p>Batches that lie in pinned memory show what the operator costs. Batches that are assembled in
 * it, by copying image after image, show what a machine's cores and memory add; that is measured
 * without the device as well.
 */
final class DeviceCopies {
  static final Shape IMAGE = Shape.of(224, 224, 3);
  private static final int READY = 3;
  private static final int IMAGES = 256;
  private static final String RAW = "raw copies from pinned memory, back to back";

  private final DeviceSubject subject;
  private final Setup setup;
  private final int batch;
  private final double seconds;
  private final List<String> notes;

  DeviceCopies(DeviceSubject subject, Setup setup, int batch, double seconds, List<String> notes) {
    this.subject = subject;
    this.setup = setup;
    this.batch = batch;
    this.seconds = seconds;
    this.notes = notes;
  }

  List<Row> measure() throws InterruptedException {
    List<Row> rows = new ArrayList<>();
    for (DType dtype : List.of(DType.UINT8, DType.FLOAT32)) {
      rows.addAll(measure(dtype));
    }
    return rows;
  }

  private List<Row> measure(DType dtype) throws InterruptedException {
    Shape shape = IMAGE.prepend(batch);
    long bytes = shape.elements() * dtype.byteSize();
    String name =
        String.format(Locale.ROOT, "A. %.0f MB (%s%s)", bytes / 1e6, dtype.tfName(), shape);
    int pairs = setup.pairs();
    double[] raw = new double[pairs];
    double[] ready = new double[pairs];
    double[] assembled = new double[pairs];
    double[] notCopied = new double[pairs];
    try (Arena arena = Arena.ofShared();
        RawCopies copies = new RawCopies(subject.device(), arena, bytes);
        DeviceReader<Tensor> pinned =
            new DeviceReader<>(
                subject, lying(device(), arena, dtype, shape).prefetchToDevice(device()));
        DeviceReader<Tensor> filled =
            new DeviceReader<>(subject, assembled(dtype).prefetchToDevice(device()));
        DeviceReader<Tensor> host = new DeviceReader<>(subject, assembled(dtype))) {
      double copyNs = copies.nsPerCopy(4);
      int count = (int) Math.clamp(seconds * 1e9 / copyNs, 4, 5_000);
      double assemblyNs = host.nsPerBatch(4);
      int fewer = (int) Math.clamp(seconds * 1e9 / Math.max(copyNs, assemblyNs), 4, count);
      for (int pair = 0; pair < pairs; pair++) {
        setup.progress().accept("%s: pair %d of %d".formatted(name, pair + 1, pairs));
        raw[pair] = bytes / copies.nsPerCopy(count);
        ready[pair] = bytes / pinned.nsPerBatch(count);
        assembled[pair] = bytes / filled.nsPerBatch(fewer);
        notCopied[pair] = bytes / host.nsPerBatch(fewer);
      }
      notes.add(DeviceBench.described(name + ", in pinned memory", pinned.transfers()));
      notes.add(DeviceBench.described(name + ", assembled", filled.transfers()));
    }
    int cores = Runtime.getRuntime().availableProcessors();
    return List.of(
        Row.ofRates(
            name + ": batches in pinned memory",
            "GB/s",
            ready,
            raw,
            RAW,
            subject.bar(Bar.ratioAtLeast(0.95))),
        Row.ofRates(
            name + ": assembled on " + cores + " cores, copied", "GB/s", assembled, raw, RAW, null),
        Row.ofRates(name + ": assembled, not copied", "GB/s", notCopied, raw, RAW, null));
  }

  private Device device() {
    return subject.device();
  }

  // ---- pipelines --------------------------------------------------------------------------------

  /** Batches that lie in pinned memory, and cost nothing. */
  static Dataset<Tensor> lying(Device device, Arena arena, DType dtype, Shape shape) {
    List<Tensor> batches = new ArrayList<>();
    for (int i = 0; i < READY; i++) {
      MemorySegment memory =
          device.allocatePinned(arena, shape.elements() * dtype.byteSize()).fill((byte) i);
      batches.add(Tensor.wrap(dtype, shape, memory));
    }
    return Dataset.range(Long.MAX_VALUE).map(i -> batches.get((int) (i % READY)));
  }

  /** Batches whose images are copied together, by as many threads as there are cores. */
  private Dataset<Tensor> assembled(DType dtype) {
    List<Tensor> images = new ArrayList<>();
    for (int i = 0; i < IMAGES; i++) {
      images.add(Tensor.zeros(dtype, IMAGE));
    }
    return Dataset.range(Long.MAX_VALUE)
        .map(
            i -> Tensor.deferred(new Pasted(images.get((int) (i % IMAGES)))),
            Runtime.getRuntime().availableProcessors())
        .batch(batch, true);
  }

  /** The elements of another tensor, copied to wherever they are wanted. */
  private record Pasted(Tensor source) implements Expression {
    @Override
    public DType dtype() {
      return source.dtype();
    }

    @Override
    public Shape shape() {
      return source.shape();
    }

    @Override
    public List<Tensor> sources() {
      return List.of(source);
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      source.copyInto(destination, 0);
    }

    @Override
    public String describe() {
      return "copy ← " + source.describe();
    }
  }

  // ---- the limit --------------------------------------------------------------------------------

  /** Copies from two pieces of pinned memory to two pieces of the device's, in turn. */
  static final class RawCopies implements AutoCloseable {
    private final DeviceStream stream;
    private final List<MemorySegment> host = new ArrayList<>();
    private final List<MemorySegment> there = new ArrayList<>();

    RawCopies(Device device, Arena arena, long bytes) {
      for (int i = 0; i < 2; i++) {
        host.add(device.allocatePinned(arena, bytes).fill((byte) i));
        there.add(device.allocate(arena, bytes));
      }
      this.stream = device.openStream("raw copies");
    }

    double nsPerCopy(int count) throws InterruptedException {
      DeviceSubject.await(stream);
      long startNs = System.nanoTime();
      for (int i = 0; i < count; i++) {
        stream.copyToDevice(host.get(i % 2), there.get(i % 2));
      }
      DeviceSubject.await(stream);
      return (double) (System.nanoTime() - startNs) / count;
    }

    @Override
    public void close() {
      stream.close();
    }
  }
}
