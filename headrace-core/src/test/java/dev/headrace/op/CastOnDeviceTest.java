package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.HostDevice;
import dev.headrace.golden.Outcomes;
import dev.headrace.profile.OpStats;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What was only cast is copied as it was, and cast on the device. */
@ExtendWith(NoLeftovers.class)
@Timeout(60)
class CastOnDeviceTest {
  private static final int BATCHES = 6;
  private static final int BYTES = 512;

  private final HostDevice device =
      HostDevice.simulated()
          .bytesPerSecond(1_000_000_000)
          .pinning(HostDevice.Pinning.ALLOCATED)
          .open();

  @AfterEach
  void close() {
    device.close();
  }

  private static Dataset<Tensor> bytes() {
    return range(BATCHES * 4).map(x -> filled((byte) (long) x)).batch(4);
  }

  private static Tensor filled(byte value) {
    byte[] values = new byte[BYTES / 4];
    Arrays.fill(values, value);
    return Tensor.of(Shape.of(values.length), values);
  }

  private static long copied(Dataset<?> onDevice) {
    try (Pipeline<?> pipeline = onDevice.open()) {
      pipeline.forEach(x -> {});
      return pipeline.stats().operators().stream()
          .map(OpStats::transfer)
          .filter(Objects::nonNull)
          .mapToLong(transfer -> transfer.copies().bytes())
          .sum();
    }
  }

  private void sends(long bytesPerBatch, Dataset<?> batches) {
    Dataset<?> there = batches.prefetchToDevice(device);
    assertThat(Outcomes.of(there)).isEqualTo(Outcomes.of(batches));
    assertThat(copied(there)).isEqualTo(BATCHES * bytesPerBatch);
    assertThat(device.usedBytes()).isZero();
  }

  @Test
  void bytesCrossTheBusAndFloatsArrive() {
    sends(BYTES, bytes().map(x -> x.convert(DType.FLOAT32)));
    sends(BYTES, bytes().map(x -> x.convert(DType.FLOAT32).scale(1 / 255.0).subtract(0.5)));
    sends(BYTES, bytes().map(x -> x.convert(DType.FLOAT64)));
  }

  @Test
  void explainSaysSo() {
    assertThat(bytes().map(x -> x.convert(DType.FLOAT32)).prefetchToDevice(device).explain())
        .containsPattern(
            "tensors that map \\(.*\\) only casts, and makes larger, are cast by prefetchToDevice"
                + " \\(.*\\), after it has copied them");
  }

  @Test
  void alsoBesideOtherTensors() {
    sends(
        2 * BYTES, bytes().map(x -> Map.of("image", x.convert(DType.FLOAT32), "raw", x.compute())));
  }

  @Test
  void whatDoesNotGrowIsComputedOnTheHost() {
    sends(BYTES, bytes().map(x -> x.convert(DType.INT8)));
    int room = 256; // what a scalar takes, between others
    sends(room, bytes().map(x -> x.convert(DType.FLOAT32).sum()));
  }

  @Test
  void whatMayDifferInItsLastBitsIsComputedOnTheHost() {
    sends(4 * BYTES, bytes().map(x -> x.convert(DType.FLOAT32).exp()));
  }

  @Test
  void whereNoBusIsNothingIsMoved() {
    Dataset<Tensor> floats = bytes().map(x -> x.convert(DType.FLOAT32));
    assertThat(copied(floats.prefetchToDevice(Device.host()))).isEqualTo(BATCHES * 4L * BYTES);
  }

  @Test
  void functionsOnTheDeviceAreGivenWhatLiesThere() {
    Dataset<Tensor> floats = bytes().map(x -> x.convert(DType.FLOAT32));
    Dataset<Tensor> rows =
        floats.prefetchToDevice(device).mapOnDevice(x -> x.mapRows(row -> row.square()));
    assertThat(Outcomes.of(rows)).isEqualTo(Outcomes.of(floats.map(x -> x.square())));
    assertThat(copied(rows)).isEqualTo(BATCHES * 4L * BYTES);
  }

  @Test
  void manyTensorsAtOnce() {
    sends(
        20 * BYTES,
        bytes()
            .map(
                x ->
                    IntStream.range(0, 20)
                        .mapToObj(i -> x.convert(DType.FLOAT32).add(i))
                        .toList()));
  }

  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n ->
                range(20)
                    .map(x -> filled((byte) Outcomes.refusing(7, x)), n)
                    .batch(3)
                    .map(x -> x.convert(DType.FLOAT32), n)
                    .prefetchToDevice(List.of(device)))
        .check();
    assertThat(device.usedBytes()).isZero();
    PipelineContract.of(
            n -> bytes().map(x -> x.convert(DType.FLOAT32), n).prefetch(2).cache(device).repeat(2))
        .sampled(12)
        .check();
  }
}
