package dev.headrace.bench;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Part B: whether copies disappear behind steps that take longer, beside the same steps on data
 * that lies on the device, and beside PyTorch's DataLoader.
 */
final class DeviceOverlap {
  private static final double STEP_OVER_COPY = 1.25;
  private static final double SHORTEST_STEP_NS = 300_000;
  private static final int TORCH_WORKERS = 4;

  /** So often everything is done before it is measured. */
  private static final int WARM = 3;

  private final DeviceSubject subject;
  private final Setup setup;
  private final int batch;
  private final double seconds;
  private final List<String> notes;

  DeviceOverlap(DeviceSubject subject, Setup setup, int batch, double seconds, List<String> notes) {
    this.subject = subject;
    this.setup = setup;
    this.batch = batch;
    this.seconds = seconds;
    this.notes = notes;
  }

  List<Row> measure() throws InterruptedException {
    List<Row> rows = new ArrayList<>();
    try (TorchProgram torch = TorchProgram.start(setup, "device.py", notes)) {
      for (DType dtype : List.of(DType.UINT8, DType.FLOAT32)) {
        rows.addAll(measure(dtype, torch));
      }
    }
    return rows;
  }

  private List<Row> measure(DType dtype, TorchProgram torch) throws InterruptedException {
    Shape shape = DeviceCopies.IMAGE.prepend(batch);
    long bytes = shape.elements() * dtype.byteSize();
    Device device = subject.device();
    int pairs = setup.pairs();
    double[] resident = new double[pairs];
    double[] prefetched = new double[pairs];
    double[] times = new double[pairs];
    double[] exposed = new double[pairs];
    double[] documented = new double[pairs];
    double[] ahead = new double[pairs];
    double[] torchTimes = new double[pairs];
    String name;
    try (Arena arena = Arena.ofShared()) {
      double copyNs;
      try (DeviceCopies.RawCopies copies = new DeviceCopies.RawCopies(device, arena, bytes)) {
        copyNs = copies.nsPerCopy((int) Math.clamp(seconds * 1e9 / copies.nsPerCopy(4), 4, 1_000));
      }
      double stepNs = Math.max(STEP_OVER_COPY * copyNs, SHORTEST_STEP_NS);
      name =
          String.format(
              Locale.ROOT,
              "B. %.0f MB, copy %.2f ms, step %.2f ms",
              bytes / 1e6,
              copyNs / 1e6,
              stepNs / 1e6);
      int count = (int) Math.clamp(seconds * 1e9 / stepNs, 4, 2_000);
      try (DeviceStep step = DeviceStep.taking(Math.round(stepNs), subject, arena);
          DeviceReader<Tensor> reader =
              new DeviceReader<>(
                  subject,
                  DeviceCopies.lying(device, arena, dtype, shape).prefetchToDevice(device))) {
        Tensor there = Tensor.wrap(dtype, shape, device.allocate(arena, bytes), device.place());
        for (int warm = 0; warm < WARM; warm++) {
          double _ = nsPerStep(step, there, count);
          DeviceReader.Reading _ = reader.read(count, step::on);
        }
        for (int pair = 0; pair < pairs; pair++) {
          setup.progress().accept("%s: pair %d of %d".formatted(name, pair + 1, pairs));
          resident[pair] = nsPerStep(step, there, count) / 1e6;
          DeviceReader.Reading reading = reader.read(count, step::on);
          prefetched[pair] = reading.nsPerBatch() / 1e6;
          times[pair] = prefetched[pair] / resident[pair];
          exposed[pair] = 100.0 * reading.waitNs() / Math.max(1, reading.copyNs());
          if (torch.isThere()) {
            documented[pair] = torch.steps(bytes, stepNs, count, TORCH_WORKERS, false).withMs();
            TorchProgram.Steps best = torch.steps(bytes, stepNs, count, TORCH_WORKERS, true);
            ahead[pair] = best.withMs();
            torchTimes[pair] = best.withMs() / best.aloneMs();
          }
        }
        notes.add(DeviceBench.described(name, reader.transfers()));
      }
    }
    List<Row> rows = new ArrayList<>();
    rows.add(
        Row.ofPairs(
            name + ": prefetched",
            "ms/step",
            prefetched,
            resident,
            "the same steps on a batch that lies on the device",
            null,
            1e-6));
    rows.add(
        Row.alone(
            name + ": prefetched over lying there",
            "times",
            Interval.of(times),
            subject.bar(Bar.atMost(1.01))));
    rows.add(
        Row.alone(
            name + ": copying that steps waited for",
            "% of copying",
            Interval.of(exposed),
            subject.bar(Bar.atMost(2))));
    if (torch.isThere()) {
      rows.add(
          Row.ofPairs(
              name + ": prefetched",
              "ms/step",
              prefetched,
              documented,
              torch.name("DataLoader, %d workers, pin_memory, non_blocking", TORCH_WORKERS),
              null,
              1e-6));
      rows.add(
          Row.ofPairs(
              name + ": prefetched",
              "ms/step",
              prefetched,
              ahead,
              torch.name("the same, copies on a stream of their own by hand"),
              null,
              1e-6));
      rows.add(
          Row.alone(
              name + ": torch's loader over lying there", "times", Interval.of(torchTimes), null));
    }
    return rows;
  }

  private double nsPerStep(DeviceStep step, Tensor batch, int count) throws InterruptedException {
    step.on(batch);
    subject.settle();
    long startNs = System.nanoTime();
    for (int i = 0; i < count; i++) {
      step.on(batch);
    }
    subject.settle();
    return (double) (System.nanoTime() - startNs) / count;
  }
}
