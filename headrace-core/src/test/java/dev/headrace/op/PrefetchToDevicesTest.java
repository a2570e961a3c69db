package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Kept;
import dev.headrace.Pipeline;
import dev.headrace.data.DType;
import dev.headrace.data.Place;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.HostDevice;
import dev.headrace.golden.Outcomes;
import dev.headrace.profile.OpStats;
import dev.headrace.spi.OpCounters;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Several devices get batches in turn. */
@ExtendWith(NoLeftovers.class)
@Timeout(60)
class PrefetchToDevicesTest {
  private final HostDevice first = HostDevice.simulated().named("first").open();
  private final HostDevice second = HostDevice.simulated().named("second").open();
  private final HostDevice third = HostDevice.simulated().named("third").open();

  @AfterEach
  void close() {
    first.close();
    second.close();
    third.close();
  }

  private static Dataset<Tensor> batches(int elements, int size, int parallelism) {
    return range(elements)
        .map(x -> Tensor.of((float) Outcomes.refusing(7, x), x * 0.5f), parallelism)
        .batch(size);
  }

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> batches(20, 3, n).prefetchToDevice(List.of(first, second))).check();
    PipelineContract.of(n -> batches(20, 3, 2).prefetchToDevice(List.of(first, second, third), n))
        .check();
    PipelineContract.of(
            n ->
                batches(20, 3, n)
                    .prefetchToDevice(List.of(first, second))
                    .mapOnDevice(x -> x.square()))
        .check();
    assertThat(List.of(first.usedBytes(), second.usedBytes(), third.usedBytes())).containsOnly(0L);
  }

  @Test
  void elementsComeInOrderFromEachDeviceInTurn() {
    Addresses a = new Addresses(first);
    Addresses b = new Addresses(second);
    List<Integer> turns = new ArrayList<>();
    List<Float> values = new ArrayList<>();
    try (Pipeline<Tensor> pipeline =
        range(12)
            .map(x -> Tensor.of((float) x, 1f))
            .prefetchToDevice(List.of(a.device, b.device))
            .open()) {
      for (Tensor element : pipeline) {
        turns.add(a.has(element) ? 0 : b.has(element) ? 1 : -1);
        values.add(element.floatAt(0));
      }
      OpCounters.Transfer stats = transfers(pipeline);
      assertThat(stats.device().name()).isEqualTo("first, second");
      assertThat(stats.copies().count()).isEqualTo(12);
      assertThat(stats.device().limitBytes()).isEqualTo(first.memoryBytes() + second.memoryBytes());
    }
    assertThat(turns).containsExactly(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1);
    assertThat(values).isSorted().hasSize(12);
  }

  @Test
  void batchesThatAreKeptStayOnTheirDevices() {
    List<Kept<Tensor>> kept = new ArrayList<>();
    try (Pipeline<Tensor> pipeline =
        batches(7, 1, 1).prefetchToDevice(List.of(first, second, third), 2).open()) {
      for (Tensor batch : pipeline) {
        kept.add(pipeline.keep(batch));
      }
      assertThat(kept).hasSize(7);
      for (int i = 0; i < 7; i++) {
        try (Kept<Tensor> batch = kept.get(i)) {
          assertThat(batch.value().floatAt(0)).isEqualTo(i);
        }
      }
    }
  }

  @Test
  void whatLiesOnOneOfThemStaysThere() {
    Addresses a = new Addresses(first, new Somewhere("first"));
    Addresses b = new Addresses(second, new Somewhere("second"));
    try (Arena arena = Arena.ofShared()) {
      Tensor there =
          Tensor.wrap(DType.FLOAT32, Shape.of(2), b.device.allocate(arena, 8), b.device.place());
      Tensor here = Tensor.of(1f, 2f);
      List<String> places = new ArrayList<>();
      try (Pipeline<Tensor> pipeline =
          Dataset.fromList(List.of(there, there, here, there, here, here))
              .prefetchToDevice(List.of(a.device, b.device))
              .open()) {
        for (Tensor element : pipeline) {
          boolean isSame = element.placedMemory().address() == there.placedMemory().address();
          places.add(isSame ? "as it was" : Objects.requireNonNull(element.place()).name());
        }
        assertThat(transfers(pipeline).copies().count()).isEqualTo(3);
      }
      assertThat(places)
          .containsExactly("as it was", "as it was", "first", "as it was", "second", "first");
    }
  }

  /** Where the tensors of a device are. */
  private record Somewhere(String name) implements Place {
    @Override
    public int number() {
      return 0;
    }

    @Override
    public void copyToHost(MemorySegment from, MemorySegment to) {
      to.copyFrom(from);
    }
  }

  @Test
  void anErrorOfOneDeviceEndsThePipelineByName() {
    try (HostDevice small = HostDevice.simulated().named("small").memoryBytes(16).open();
        Pipeline<Tensor> pipeline =
            range(100)
                .map(x -> Tensor.zeros(DType.FLOAT32, Shape.of(100)))
                .prefetchToDevice(List.of(first, small))
                .open()) {
      assertThatThrownBy(() -> pipeline.forEach(x -> {})).hasMessageContaining("small");
    }
    assertThat(first.usedBytes()).isZero();
  }

  @Test
  void noDeviceIsAnError() {
    assertThatThrownBy(() -> range(3).prefetchToDevice(List.of()))
        .hasMessage("prefetchToDevice: expected at least one device, but got none");
    assertThatThrownBy(() -> range(3).prefetchToDevice(Arrays.asList(first, null)))
        .hasMessage("prefetchToDevice: expected a device, but got null");
  }

  private static OpCounters.Transfer transfers(Pipeline<?> pipeline) {
    return pipeline.stats().operators().stream()
        .map(OpStats::transfer)
        .filter(Objects::nonNull)
        .findFirst()
        .orElseThrow();
  }

  /** Knows which memory a device gave. */
  private static final class Addresses {
    private final List<MemorySegment> given = new CopyOnWriteArrayList<>();
    final Device device;

    Addresses(Device of) {
      this(of, null);
    }

    /** With a place, which host devices have not. */
    Addresses(Device of, @Nullable Place place) {
      device =
          (Device)
              Proxy.newProxyInstance(
                  Device.class.getClassLoader(),
                  new Class<?>[] {Device.class},
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("place")) {
                      return place;
                    }
                    try {
                      Object result = method.invoke(of, arguments);
                      if (method.getName().equals("allocate")) {
                        given.add((MemorySegment) result);
                      }
                      return result;
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  });
    }

    boolean has(Tensor tensor) {
      long address = tensor.placedMemory().address();
      return given.stream()
          .anyMatch(
              memory ->
                  address >= memory.address() && address < memory.address() + memory.byteSize());
    }
  }
}
