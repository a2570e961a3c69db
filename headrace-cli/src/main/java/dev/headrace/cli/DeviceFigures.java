package dev.headrace.cli;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceEvent;
import dev.headrace.device.DeviceStream;
import dev.headrace.image.Images;
import dev.headrace.image.testing.SyntheticPhotos;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What a device does in a second: copies of much and of little, computations, JPEG files. */
final class DeviceFigures {
  private static final long BLOCK_BYTES = 64L << 20;
  private static final int SMALL_BYTES = 64;

  /** Queued at once, so that the bus never waits for us. */
  private static final int QUEUED = 8;

  private static final int MOST_ROUNDS = 20_000;
  private static final int PHOTOS = 16;

  /**
   * One thing that was measured.
   *
   * @param key its name in JSON
   * @param value NaN where it could not be measured
   * @param problem why not
   */
  record Figure(
      String name, String key, double value, String format, double scale, String problem) {
    String text() {
      return Double.isNaN(value)
          ? "not measured: " + problem
          : String.format(Locale.ROOT, format, value * scale);
    }

    Object json() {
      return Double.isNaN(value) ? "not measured: " + problem : value;
    }
  }

  private interface Measurement {
    double run() throws InterruptedException;
  }

  private interface Work {
    void queue();
  }

  private final Device device;
  private final double seconds;
  private final int photos;
  private final Consumer<String> progress;

  /**
   * Measurements of a device.
   *
   * @param seconds for each of them
   * @param photos JPEG files in a batch
   */
  DeviceFigures(Device device, double seconds, int photos, Consumer<String> progress) {
    this.device = device;
    this.seconds = seconds;
    this.photos = photos;
    this.progress = progress;
  }

  List<Figure> measure() throws InterruptedException {
    long block = Math.clamp(device.memoryBytes() / 16, SMALL_BYTES, BLOCK_BYTES);
    List<Figure> figures = new ArrayList<>();
    try (Arena arena = Arena.ofShared();
        DeviceStream stream = device.openStream("measuring")) {
      MemorySegment there = device.allocate(arena, block);
      MemorySegment pinned = device.allocatePinned(arena, block).fill((byte) 1);
      MemorySegment plain = arena.allocate(block, 64).fill((byte) 1);
      figures.add(
          rate(
              "host to device, pinned",
              "hostToDevicePinnedBytesPerSecond",
              () -> bytesPerSecond(stream, block, () -> stream.copyToDevice(pinned, there))));
      figures.add(
          rate(
              "host to device, pageable",
              "hostToDevicePageableBytesPerSecond",
              () -> bytesPerSecond(stream, block, () -> stream.copyToDevice(plain, there))));
      figures.add(
          rate(
              "device to host, pinned",
              "deviceToHostPinnedBytesPerSecond",
              () -> bytesPerSecond(stream, block, () -> stream.copyToHost(there, pinned))));
      MemorySegment little = there.asSlice(0, SMALL_BYTES);
      MemorySegment few = pinned.asSlice(0, SMALL_BYTES);
      figures.add(
          time(
              "a copy of 64 bytes, waited for",
              "smallCopySeconds",
              () -> secondsEach(stream, () -> stream.copyToDevice(few, little))));
      Tensor doubled =
          Tensor.wrap(DType.FLOAT32, Shape.of(SMALL_BYTES / 4), little, device.place()).scale(2);
      MemorySegment result = device.allocate(arena, SMALL_BYTES);
      figures.add(
          time(
              "a computation on 64 bytes, waited for",
              "smallComputationSeconds",
              () -> secondsEach(stream, () -> stream.compute(doubled, result))));
      figures.add(
          time(
              "a computation among many",
              "queuedComputationSeconds",
              () -> secondsQueued(stream, () -> stream.compute(doubled, result))));
    }
    figures.add(
        figure(
            "JPEG files of 500 x 375 decoded",
            "jpegFilesPerSecond",
            "%,.0f a second",
            1,
            this::jpegsPerSecond));
    return figures;
  }

  private Figure rate(String name, String key, Measurement measurement)
      throws InterruptedException {
    return figure(name, key, "%.1f GB/s", 1e-9, measurement);
  }

  private Figure time(String name, String key, Measurement measurement)
      throws InterruptedException {
    return figure(name, key, "%.1f µs", 1e6, measurement);
  }

  /** What cannot be measured is said so, and the rest goes on. */
  private Figure figure(
      String name, String key, String format, double scale, Measurement measurement)
      throws InterruptedException {
    progress.accept(name);
    @Nullable Throwable problem;
    try {
      return new Figure(name, key, measurement.run(), format, scale, "");
    } catch (RuntimeException | LinkageError e) {
      problem = e;
    }
    return new Figure(name, key, Double.NaN, format, scale, problem.toString());
  }

  // ---- measuring --------------------------------------------------------------------------------

  private double bytesPerSecond(DeviceStream stream, long bytes, Work copy)
      throws InterruptedException {
    double[] rounds =
        rounds(
            () -> {
              for (int i = 0; i < QUEUED; i++) {
                copy.queue();
              }
              await(stream);
            });
    return bytes * QUEUED / median(rounds);
  }

  private double secondsEach(DeviceStream stream, Work work) throws InterruptedException {
    return median(
        rounds(
            () -> {
              work.queue();
              await(stream);
            }));
  }

  private double secondsQueued(DeviceStream stream, Work work) throws InterruptedException {
    int many = 200;
    return median(
            rounds(
                () -> {
                  for (int i = 0; i < many; i++) {
                    work.queue();
                  }
                  await(stream);
                }))
        / many;
  }

  private interface Round {
    void run() throws InterruptedException;
  }

  /** How many seconds each round took, after some that were not counted. */
  private double[] rounds(Round round) throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      round.run();
    }
    List<Double> taken = new ArrayList<>();
    long startNs = System.nanoTime();
    long beforeNs = startNs;
    do {
      round.run();
      long nowNs = System.nanoTime();
      taken.add((nowNs - beforeNs) / 1e9);
      beforeNs = nowNs;
    } while (beforeNs - startNs < seconds * 1e9 && taken.size() < MOST_ROUNDS);
    return taken.stream().mapToDouble(each -> each).toArray();
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }

  private static void await(DeviceStream stream) throws InterruptedException {
    try (DeviceEvent done = stream.record()) {
      boolean isDone = false;
      while (!isDone) {
        isDone = done.await(TimeUnit.SECONDS.toNanos(1));
      }
    }
  }

  // ---- JPEG files -------------------------------------------------------------------------------

  /** Batches of files that lie in memory, decoded on the device. */
  private double jpegsPerSecond() throws InterruptedException {
    byte[][] different =
        IntStream.range(0, Math.min(photos, PHOTOS))
            .parallel()
            .mapToObj(i -> Images.encodeJpeg(SyntheticPhotos.photo(375, 500, i, 12.5), 90))
            .toArray(byte[][]::new);
    byte[][] files = new byte[photos][];
    Arrays.setAll(files, i -> different[i % different.length]);
    Tensor batch = Tensor.wrapStrings(Shape.of(photos), files);
    DeviceStream consumer = device.consumer();
    try (Pipeline<Tensor> decoded =
        Dataset.range(Long.MAX_VALUE)
            .map(i -> batch)
            .prefetchToDevice(device)
            .mapOnDevice(rows -> rows.mapRows(Images::decodeJpeg))
            .open()) {
      var batches = decoded.iterator();
      for (int i = 0; i < 4; i++) {
        Tensor _ = batches.next();
      }
      int count = 0;
      long startNs = System.nanoTime();
      do {
        Tensor _ = batches.next();
        count++;
        if (consumer != null && count % QUEUED == 0) {
          await(consumer);
        }
      } while (System.nanoTime() - startNs < seconds * 1e9);
      if (consumer != null) {
        await(consumer);
      }
      return (double) count * photos / ((System.nanoTime() - startNs) / 1e9);
    }
  }
}
