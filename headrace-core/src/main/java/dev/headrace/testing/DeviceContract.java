package dev.headrace.testing;

import dev.headrace.data.DType;
import dev.headrace.data.Plural;
import dev.headrace.data.Shape;
import dev.headrace.data.SlabPool;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceEvent;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceMemoryException;
import dev.headrace.device.DeviceStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * What every device promises, checked on one: copies arrive whole and in order, events tell when,
 * streams wait for each other, computations see what was copied, memory is bounded and comes back,
 * and a stream can be closed at any time, after which nothing touches the memory it was given.
 *
 * <pre>{@code
 * DeviceContract.of(() -> HostDevice.simulated().pinned(false).open()).check();
 * }</pre>
 *
 * <p>Throws {@link AssertionError}; needs no test framework. Each check has a device of its own.
 */
public final class DeviceContract {
  private static final long MOST_WAIT_NS = TimeUnit.SECONDS.toNanos(60);
  private static final int ROUNDS = 20;
  private static final int COPIES = 50;

  private final Supplier<? extends Device> devices;
  private final SlabPool.Source hostMemory;

  private DeviceContract(Supplier<? extends Device> devices, SlabPool.Source hostMemory) {
    this.devices = devices;
    this.hostMemory = hostMemory;
  }

  /** The contract of devices that are made like this, and closed after each check. */
  public static DeviceContract of(Supplier<? extends Device> devices) {
    return new DeviceContract(devices, (arena, bytes) -> arena.allocate(bytes, 64));
  }

  /** Says where host memory comes from: pinned memory, say. Plain native memory otherwise. */
  public DeviceContract hostMemory(SlabPool.Source source) {
    return new DeviceContract(devices, source);
  }

  /** Checks everything. */
  public void check() {
    run("copies arrive whole", this::copiesArriveWhole);
    run("copies of a stream stay in order", this::copiesStayInOrder);
    run("events tell what is done", this::eventsTellWhatIsDone);
    run("streams wait for events of others", this::streamsWaitForEvents);
    run("memory that is not pinned is free at once", this::stagedMemoryIsFreeAtOnce);
    run("memory is bounded and comes back", DeviceContract::memoryIsBounded);
    run("what is computed follows what is copied", this::computesInOrder);
    run("casts give the same bits as on the host", this::castsGiveTheSameBits);
    run("memory that the host cannot read throws", DeviceContract::foreignMemoryThrows);
    run("pinned memory is, and comes back", this::pinnedMemory);
    run("a stream can be closed with copies under way", this::streamsCloseAtAnyTime);
    run("a closed device gives nothing", DeviceContract::closedDevicesGiveNothing);
  }

  private interface Check {
    void run(Device device, Arena arena) throws InterruptedException;
  }

  private void run(String what, Check check) {
    try (Device device = devices.get()) {
      long usedBefore = device.usedBytes();
      try (Arena arena = Arena.ofShared()) {
        check.run(device, arena);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(what + ": interrupted", e);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("device " + device.name() + ": " + what + ": " + e, e);
      }
      expect(
          "the memory of '" + what + "' back when its arena closed",
          true,
          device.usedBytes() <= usedBefore);
    }
  }

  private void copiesArriveWhole(Device device, Arena arena) throws InterruptedException {
    try (DeviceStream stream = device.openStream("contract")) {
      for (int bytes : new int[] {1, 63, 4096, 1 << 20, (5 << 20) + 7}) {
        MemorySegment there = device.allocate(arena, bytes);
        MemorySegment back = hostMemory.allocate(arena, bytes);
        stream.copyToDevice(host(arena, bytes, bytes), there);
        stream.copyToHost(there, back);
        await(stream);
        expectContent("a copy of " + bytes + " " + Plural.word(bytes, "byte"), bytes, back);
      }
    }
  }

  private void copiesStayInOrder(Device device, Arena arena) throws InterruptedException {
    int bytes = 100_000;
    MemorySegment there = device.allocate(arena, bytes);
    List<MemorySegment> backs = new ArrayList<>();
    try (DeviceStream stream = device.openStream("contract")) {
      for (int i = 0; i < ROUNDS; i++) {
        MemorySegment back = hostMemory.allocate(arena, bytes);
        backs.add(back);
        stream.copyToDevice(host(arena, bytes, i), there);
        stream.copyToHost(there, back);
      }
      await(stream);
    }
    for (int i = 0; i < ROUNDS; i++) {
      expectContent("what was copied in round " + i, i, backs.get(i));
    }
  }

  private void eventsTellWhatIsDone(Device device, Arena arena) throws InterruptedException {
    int bytes = 1 << 20;
    MemorySegment there = device.allocate(arena, bytes);
    MemorySegment here = host(arena, bytes, 1);
    try (DeviceStream stream = device.openStream("contract");
        DeviceEvent start = stream.record()) {
      stream.copyToDevice(here, there);
      try (DeviceEvent end = stream.record()) {
        expect("an event to be done", true, end.await(MOST_WAIT_NS));
        expect("a done event to say so", true, end.isDone());
        expect("an event before it to be done", true, start.isDone() && start.await(0));
        expect("time to go forward", true, end.nanosSince(start) >= 0);
      }
      try (DeviceEvent idle = stream.record()) {
        expect("an event of an idle stream to be done", true, idle.await(MOST_WAIT_NS));
      }
    }
  }

  private void streamsWaitForEvents(Device device, Arena arena) throws InterruptedException {
    int bytes = 300_000;
    MemorySegment there = device.allocate(arena, bytes);
    MemorySegment back = hostMemory.allocate(arena, bytes);
    try (DeviceStream in = device.openStream("contract in");
        DeviceStream out = device.openStream("contract out")) {
      for (int i = 0; i < ROUNDS; i++) {
        in.copyToDevice(host(arena, bytes, i), there);
        try (DeviceEvent copiedIn = in.record()) {
          out.waitFor(copiedIn);
          out.copyToHost(there, back);
          try (DeviceEvent copiedOut = out.record()) {
            in.waitFor(copiedOut);
            expect("the second stream to end", true, copiedOut.await(MOST_WAIT_NS));
            expectContent("what the second stream saw in round " + i, i, back);
          }
        }
      }
      await(in);
    }
  }

  private void stagedMemoryIsFreeAtOnce(Device device, Arena arena) throws InterruptedException {
    int bytes = 200_000;
    MemorySegment here = hostMemory.allocate(arena, bytes);
    if (device.isPinned(here)) {
      return;
    }
    MemorySegment back = hostMemory.allocate(arena, bytes);
    MemorySegment there = device.allocate(arena, bytes);
    try (DeviceStream stream = device.openStream("contract")) {
      fill(here, 1);
      stream.copyToDevice(here, there);
      fill(here, 2);
      stream.copyToHost(there, back);
      expectContent("what was copied before the memory was used again", 1, back);
      await(stream);
    }
  }

  private void computesInOrder(Device device, Arena arena) throws InterruptedException {
    int elements = 10_000;
    int bytes = 4 * elements;
    MemorySegment there = device.allocate(arena, bytes);
    MemorySegment result = device.allocate(arena, bytes);
    Tensor input = Tensor.wrap(DType.INT32, Shape.of(elements), there, device.place());
    List<MemorySegment> backs = new ArrayList<>();
    try (DeviceStream stream = device.openStream("contract")) {
      for (int round = 0; round < ROUNDS; round++) {
        MemorySegment here = hostMemory.allocate(arena, bytes);
        for (int i = 0; i < elements; i++) {
          here.set(ValueLayout.JAVA_INT_UNALIGNED, 4L * i, i + round);
        }
        MemorySegment back = hostMemory.allocate(arena, bytes);
        backs.add(back);
        stream.copyToDevice(here, there);
        stream.compute(input.scale(0.5), result);
        stream.copyToHost(result, back);
      }
      await(stream);
      Tensor halves = Tensor.wrap(DType.FLOAT32, Shape.of(elements), result, device.place());
      expect("a copy in the host's memory", null == halves.toHost().place(), true);
      expect(
          "its last element", (elements + ROUNDS - 2) / 2f, halves.toHost().floatAt(elements - 1));
    }
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < elements; i++) {
        float got = backs.get(round).get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i);
        expect("element " + i + " of round " + round, (i + round) / 2f, got);
      }
    }
  }

  private void castsGiveTheSameBits(Device device, Arena arena) throws InterruptedException {
    if (!device.computesCasts()) {
      return;
    }
    int elements = 1_000;
    MemorySegment here = hostMemory.allocate(arena, elements);
    for (int i = 0; i < elements; i++) {
      here.set(ValueLayout.JAVA_BYTE, i, (byte) (7 * i));
    }
    MemorySegment there = device.allocate(arena, elements);
    Tensor bytes = Tensor.wrap(DType.UINT8, Shape.of(elements), here);
    Tensor copied = Tensor.wrap(DType.UINT8, Shape.of(elements), there, device.place());
    List<UnaryOperator<Tensor>> casts =
        List.of(
            x -> x.convert(DType.FLOAT16),
            x -> x.convert(DType.INT64).multiply(3),
            x -> x.scale(1 / 255.0).subtract(0.485).divide(0.229),
            x -> x.convert(DType.FLOAT64).sqrt().clip(1, 9));
    try (DeviceStream stream = device.openStream("contract")) {
      stream.copyToDevice(here, there);
      for (UnaryOperator<Tensor> cast : casts) {
        Tensor wanted = cast.apply(bytes);
        MemorySegment result = device.allocate(arena, wanted.byteSize());
        MemorySegment back = hostMemory.allocate(arena, wanted.byteSize());
        stream.compute(cast.apply(copied), result);
        stream.copyToHost(result, back);
        await(stream);
        String what = wanted.describe();
        expect(what, wanted.compute().placedMemory().mismatch(back), -1L);
      }
    }
  }

  private static void foreignMemoryThrows(Device device, Arena arena) {
    MemorySegment there = device.allocate(arena, 64);
    Tensor tensor = Tensor.wrap(DType.UINT8, Shape.of(64), there, device.place());
    if (device.place() == null) {
      return; // the host's own
    }
    expect("the place's name", device.name(), tensor.place() == null ? "" : tensor.place().name());
    for (Runnable use :
        List.<Runnable>of(
            () -> there.get(ValueLayout.JAVA_BYTE, 0),
            () -> tensor.slice(0, 3).longAt(1),
            tensor::toByteArray)) {
      try {
        use.run();
        throw new AssertionError("expected memory of a device to refuse, but it was read");
      } catch (WrongThreadException | IllegalStateException e) {
        expect("a message", true, e.getMessage() != null);
      }
    }
  }

  private void pinnedMemory(Device device, Arena arena) throws InterruptedException {
    int bytes = 1 << 20;
    MemorySegment there = device.allocate(arena, bytes);
    MemorySegment back = hostMemory.allocate(arena, bytes);
    for (int round = 0; round < 3; round++) {
      try (Arena own = Arena.ofShared();
          DeviceStream stream = device.openStream("contract")) {
        MemorySegment pinned = device.allocatePinned(own, bytes);
        expect("the address to be a multiple of 64", 0L, pinned.address() % 64);
        fill(pinned, round);
        stream.copyToDevice(pinned, there);
        stream.copyToHost(there, back);
        await(stream);
        expectContent("what was copied from pinned memory", round, back);
      }
    }
  }

  private static void memoryIsBounded(Device device, Arena arena) {
    long before = device.usedBytes();
    MemorySegment first = device.allocate(arena, 1000);
    expect("the address to be a multiple of 64", 0L, first.address() % 64);
    expect("used memory to grow", true, device.usedBytes() >= before + 1000);
    try {
      device.allocate(arena, device.memoryBytes());
      throw new AssertionError("expected no room for more than there is, but got some");
    } catch (DeviceMemoryException e) {
      String text = String.valueOf(e.getMessage());
      expect("the message to name the device", true, text.contains(device.name()));
      expect("the wanted size", device.memoryBytes(), e.wantedBytes());
    }
    try (Arena own = Arena.ofShared()) {
      MemorySegment _ = device.allocate(own, 1000);
    }
    try {
      device.allocate(arena, 0);
      throw new AssertionError("expected 0 bytes to be refused, but got memory");
    } catch (IllegalArgumentException e) {
      expect("used memory as before", true, device.usedBytes() >= before + 1000);
    }
  }

  private void streamsCloseAtAnyTime(Device device, Arena arena) throws InterruptedException {
    int bytes = 1 << 20;
    for (int round = 0; round < ROUNDS; round++) {
      List<DeviceEvent> events = new ArrayList<>();
      DeviceStream stream;
      try (Arena own = Arena.ofShared()) {
        MemorySegment there = device.allocate(own, bytes);
        stream = device.openStream("contract");
        MemorySegment here = hostMemory.allocate(own, bytes);
        for (int i = 0; i < (device.isPinned(here) ? COPIES : round % 3); i++) {
          stream.copyToDevice(here, there);
          events.add(stream.record());
        }
        stream.close();
        stream.close();
      } // nothing touches the memory any more, so it can be freed
      for (DeviceEvent event : events) {
        expect("events of a closed stream to be over", true, event.isDone());
        try {
          expect("no wait for them", true, event.await(0));
        } catch (DeviceException e) {
          expect("the device's name", device.name(), e.device());
        }
        event.close();
      }
      try {
        stream.record();
        throw new AssertionError("expected a closed stream to refuse, but got an event");
      } catch (DeviceException e) {
        expect("the device's name", device.name(), e.device());
      }
    }
  }

  private static void closedDevicesGiveNothing(Device device, Arena arena) {
    if (device == Device.host()) {
      return; // has no owner, so nothing closes it
    }
    DeviceStream left = device.openStream("contract");
    device.close();
    device.close();
    for (Runnable use :
        List.<Runnable>of(
            left::record, () -> device.openStream("contract"), () -> device.allocate(arena, 1))) {
      try {
        use.run();
        throw new AssertionError("expected a closed device to refuse, but it did not");
      } catch (DeviceException e) {
        expect("the device's name", device.name(), e.device());
      }
    }
    left.close();
  }

  // ---- content ----------------------------------------------------------------------------------

  private MemorySegment host(Arena arena, int bytes, int seed) {
    MemorySegment memory = hostMemory.allocate(arena, bytes);
    fill(memory, seed);
    return memory;
  }

  private static void fill(MemorySegment memory, int seed) {
    for (long i = 0; i < memory.byteSize(); i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, content(seed, i));
    }
  }

  private static byte content(int seed, long index) {
    return (byte) (seed * 31 + index * 7 + (index >> 8));
  }

  private static void expectContent(String what, int seed, MemorySegment memory) {
    for (long i = 0; i < memory.byteSize(); i++) {
      byte got = memory.get(ValueLayout.JAVA_BYTE, i);
      if (got != content(seed, i)) {
        throw new AssertionError(
            "%s: expected byte %d to be %d, but got %d".formatted(what, i, content(seed, i), got));
      }
    }
  }

  private static void await(DeviceStream stream) throws InterruptedException {
    try (DeviceEvent done = stream.record()) {
      expect("the copies to arrive within a minute", true, done.await(MOST_WAIT_NS));
    }
  }

  private static void expect(String what, Object expected, Object got) {
    if (!expected.equals(got)) {
      throw new AssertionError("expected " + what + ": " + expected + ", but got " + got);
    }
  }
}
